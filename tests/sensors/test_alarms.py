"""An anomaly begins once, goes on while it is seen, and is over once."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import count

import pytest

from assistant.core.messages import Anomaly
from assistant.core.sensors.described import Sensor, Sensors
from assistant.sensors.alarms import HOLDS_S, HOLDS_VALUES, Alarms
from assistant.sensors.detection.judge import Found
from assistant.sensors.detection.single import SingleDetector

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
PLANT = Sensors(
    sensors=(
        Sensor(id="heat", name="temperature", of="motor three", topic="t", high=80.0),
        Sensor(id="hum", name="vibration", of="motor three", topic="t"),
        Sensor(id="cold", name="freezer", topic="t"),
    )
)
HOT = Found("heat", "high", 1.5)
TOGETHER = Found("hum", "together", 2.0, ("heat",))


@pytest.fixture
def alarms() -> Alarms:
    ids = map(str, count(1))
    return Alarms(PLANT, lambda: NOON, new_id=lambda: next(ids))


def judged(sensor: str, *values: float) -> SingleDetector:
    detector = SingleDetector(PLANT.by_id[sensor])
    for number, value in enumerate(values):
        detector.feed(value, float(number))
    return detector


def test_it_begins_once_with_the_facts_and_is_over_once(alarms: Alarms) -> None:
    begun = alarms.see(HOT, 2.0, judged("heat", 60.0, 90.0))
    assert begun is not None
    assert (begun.id, begun.sensor, begun.fault, begun.began) == ("1", "heat", "high", NOON)
    assert (begun.value, begun.low, begun.high, begun.over) == (90.0, None, 80.0, None)
    assert alarms.see(HOT._replace(score=3.0), 3.0, judged("heat", 95.0)) is None
    assert [one.score for one in alarms.open] == [3.0]
    assert list(alarms.pass_time(3.0 + HOLDS_S)) == []
    (over,) = alarms.pass_time(3.5 + HOLDS_S)
    assert (over.id, over.over) == ("1", NOON)
    assert alarms.open == ()
    again = alarms.see(HOT, 60.0, judged("heat", 95.0))
    assert again is not None
    assert again.id == "2"


def test_a_slow_sensor_has_some_values_time(alarms: Alarms) -> None:
    alarms.see(HOT, 0.0, judged("heat", 90.0))
    assert list(alarms.pass_time(HOLDS_VALUES * 60.0, lambda sensor: 60.0)) == []
    assert len(list(alarms.pass_time(HOLDS_VALUES * 60.0 + 1, lambda sensor: 60.0))) == 1


def test_what_does_not_fit_together_is_no_further_fault_of_a_group_with_one(
    alarms: Alarms,
) -> None:
    alarms.see(HOT, 0.0, judged("heat", 90.0))
    assert alarms.see(TOGETHER, 1.0, judged("hum", 1.0)) is None
    assert [one.sensor for one in alarms.open] == ["heat"]


def test_a_group_has_one_at_a_time_whoever_is_named(alarms: Alarms) -> None:
    begun = alarms.see(TOGETHER, 0.0, judged("hum", 1.0))
    assert begun is not None
    assert begun.others == ("heat",)
    assert alarms.see(TOGETHER._replace(sensor="heat"), 1.0, judged("heat", 60.0)) is None
    assert alarms.see(Found("cold", "spike", 2.0), 1.0, judged("cold", -18.0)) is not None


def test_one_from_before_a_restart_goes_on_under_its_id() -> None:
    kept = Anomaly(id="7", sensor="heat", fault="high", began=NOON, score=1.5)
    alarms = Alarms(PLANT, lambda: NOON, [kept])
    assert list(alarms.pass_time(1000.0)) == []
    assert alarms.see(HOT, 1001.0, judged("heat", 90.0)) is None
    (over,) = alarms.pass_time(1002.0 + HOLDS_S)
    assert over.id == "7"
