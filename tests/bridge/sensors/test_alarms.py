"""What is published of an anomaly: all its facts, and what the file has for it once."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from assistant.bridge.payloads import Publication
from assistant.bridge.sensors import alarms as alarms_module
from assistant.bridge.sensors.alarms import Alarms, summary
from assistant.core.messages import Anomaly
from assistant.core.sensors.described import Alarm, Cause, Sensor, Sensors

NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)
STOP = Publication("plant/motor3/stop", b"1")
PLANT = Sensors(
    sensors=(
        Sensor(
            id="vibration",
            name="vibration",
            of="motor three",
            unit="mm/s",
            topic="plant/motor3",
            alarm=Alarm(topic="plant/motor3/stop", payload="1"),
        ),
        Sensor(id="heat", name="temperature", of="motor three", topic="plant/motor3"),
        Sensor(
            id="freezer",
            name="freezer",
            topic="freezer",
            alarm=Alarm(topic="siren", payload="on", retain=True),
        ),
        Sensor(id="cellar", name="cellar", topic="cellar"),
    ),
    causes=(
        Cause(sensors=("vibration", "heat"), says="the bearing may be worn"),
        Cause(sensors=("cellar",), says="the door may be open"),
    ),
)


def anomaly(sensor: str = "vibration", number: str = "a1", **more: Any) -> Anomaly:
    given: dict[str, Any] = {"fault": "high", "began": NOON, "score": 2.5, "value": 27.5, **more}
    return Anomaly(id=number, sensor=sensor, **given)


def told(alarms: Alarms, one: Anomaly) -> list[Publication]:
    return list(alarms.publications(one, PLANT))


def facts(alarms: Alarms, one: Anomaly) -> dict[str, Any]:
    """What the retained topic says after it."""
    *_, last = told(alarms, one)
    assert (last.topic, last.retain) == (f"hark/anomaly/{one.sensor}", True)
    found: dict[str, Any] = json.loads(last.payload)
    return found


def test_all_the_facts_are_told() -> None:
    one = anomaly(usual=6.0, high=11.0, others=("heat",))
    assert facts(Alarms("hark"), one) == {
        "id": "a1",
        "sensor": "vibration",
        "name": "vibration",
        "of": "motor three",
        "fault": "high",
        "state": "wrong",
        "score": 2.5,
        "began": "2026-01-05T12:00:00Z",
        "over": None,
        "value": 27.5,
        "usual": 6.0,
        "low": None,
        "high": 11.0,
        "unit": "mm/s",
        "silent_s": None,
        "others": ["heat"],
        "cause": "the bearing may be worn",
    }


def test_the_alarm_of_the_file_goes_before_the_facts_and_once_for_each_anomaly() -> None:
    alarms = Alarms("hark")
    assert told(alarms, anomaly())[0] == STOP
    assert STOP not in told(alarms, anomaly())
    over = told(alarms, anomaly(over=NOON))
    assert STOP not in over
    assert json.loads(over[0].payload)["state"] == "over"
    assert told(alarms, anomaly(number="a2"))[0] == STOP
    assert STOP not in told(alarms, anomaly(number="a3", over=NOON))


def test_it_is_published_as_the_file_wants_it() -> None:
    alarm, _ = told(Alarms("hark"), anomaly("freezer"))
    assert alarm == Publication("siren", b"on", retain=True)


def test_nothing_is_published_that_the_file_does_not_name() -> None:
    alarms = Alarms("hark")
    assert [one.topic for one in told(alarms, anomaly("cellar"))] == ["hark/anomaly/cellar"]
    assert told(alarms, anomaly("../#")) == []


def test_of_two_faults_the_topic_tells_what_is_not_over() -> None:
    alarms = Alarms("hark")
    told(alarms, anomaly())
    told(alarms, anomaly(number="a2", fault="stuck"))
    over, still = told(alarms, anomaly(number="a2", fault="stuck", over=NOON))
    assert (json.loads(over.payload)["id"], json.loads(over.payload)["state"]) == ("a2", "over")
    assert (json.loads(still.payload)["id"], json.loads(still.payload)["state"]) == ("a1", "wrong")
    assert len(told(alarms, anomaly(over=NOON))) == 1


def test_a_cause_is_that_of_what_is_wrong_at_the_machine() -> None:
    alarms = Alarms("hark")
    assert facts(alarms, anomaly("cellar", "c"))["cause"] == "the door may be open"
    assert facts(alarms, anomaly("vibration"))["cause"] == ""
    assert facts(alarms, anomaly("freezer", "f"))["cause"] == ""
    assert facts(alarms, anomaly("heat", "h"))["cause"] == "the bearing may be worn"
    told(alarms, anomaly("vibration", over=NOON))
    assert facts(alarms, anomaly("heat", "h2"))["cause"] == ""


def test_a_number_that_json_has_not_is_left_out() -> None:
    assert facts(Alarms("hark"), anomaly(score=float("inf")))["score"] is None


def test_what_the_broker_has_kept_is_known_to_the_next_bridge() -> None:
    *_, kept = told(Alarms("hark"), anomaly())
    alarms = Alarms("hark")
    assert alarms.unpublished([anomaly()]) == [anomaly()]
    for nonsense in (b"", b"\xff", b"[1]", b'{"id": 3}', b'{"id": "%s"}' % (b"x" * 201)):
        alarms.remember(nonsense)
    alarms.remember(kept.payload)
    both = [anomaly(), anomaly(number="a2")]
    assert alarms.unpublished(both) == [anomaly(number="a2")]
    assert STOP not in told(alarms, anomaly())


def test_what_is_over_is_not_published_again() -> None:
    alarms = Alarms("hark")
    told(alarms, anomaly(over=NOON))
    assert alarms.unpublished([anomaly()]) == []


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(alarms_module, "MOST_REMEMBERED", 3)
    monkeypatch.setattr(alarms_module, "MOST_WRONG", 2)
    alarms = Alarms("hark")
    for number in range(5):
        told(alarms, anomaly(number=str(number)))
    assert STOP not in told(alarms, anomaly(number="4"))
    assert STOP not in told(alarms, anomaly(number="2"))
    assert told(alarms, anomaly(number="0"))[0] == STOP
    over = [told(alarms, anomaly(number=number, over=NOON)) for number in "204"]
    assert [len(one) for one in over] == [2, 1, 1]


def test_the_line_of_the_log_names_sensor_fault_and_id() -> None:
    line = summary(anomaly(), PLANT)
    assert line == (
        "vibration (vibration of motor three): wrong, high, value 27.5, score 2.50,"
        " since 2026-01-05 12:00:00 'a1' (sensors.alarm)"
    )
    gone = summary(anomaly("gone\n", "1\n", over=NOON), PLANT)
    assert gone.startswith(r"'gone\n': over, high")
    assert gone.isprintable()
