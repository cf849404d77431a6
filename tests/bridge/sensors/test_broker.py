"""Sensors on a real broker, which is restarted and refuses."""

from __future__ import annotations

import itertools
import json
import select
from contextlib import ExitStack, closing
from datetime import UTC, datetime
from typing import Any

import pytest
from paho.mqtt.packettypes import PacketTypes
from paho.mqtt.reasoncodes import ReasonCode

from assistant.bridge import mqtt as mqtt_module
from assistant.bridge.client import WAITING_COMMANDS
from assistant.bridge.mqtt import Broker
from assistant.core.clock import boottime_s
from assistant.core.messages import (
    Anomaly,
    HomeStates,
    SensorAlarm,
    SensorsReport,
    SensorValues,
    Tick,
)
from assistant.core.sensors.described import Alarm, Sensor, Sensors
from assistant.core.settings.mqtt import MqttSettings
from tests.support.mosquitto import PATIENCE_S, Lamp, Mosquitto
from tests.support.pumped_bridge import PumpedBridge

NOON = datetime(2026, 1, 5, 12, tzinfo=UTC)
STOP = Alarm(topic="plant/stop", payload="now")
MOTOR = Sensor(id="motor", name="vibration", topic="plant/motor", field="vibration", alarm=STOP)
LAMP = Sensor(id="lamp", name="lamp", entity="light.kitchen")
LEVEL = Sensor(id="level", name="level", topic="plant/level")
ENDS = itertools.count()


def anomaly(sensor: str, number: str, **more: Any) -> Anomaly:
    facts: dict[str, Any] = {"fault": "high", "began": NOON, "score": 2.0, **more}
    return Anomaly(id=number, sensor=sensor, **facts)


def until(lamp: Lamp, topic: str) -> list[tuple[str, bytes, bool]]:
    """All that comes up to a message on a topic."""
    heard = [lamp.heard.get(timeout=PATIENCE_S)]
    while heard[-1][0] != topic:
        heard.append(lamp.heard.get(timeout=PATIENCE_S))
    return heard


class Bench(PumpedBridge[Broker]):
    """The bridge's stage on a broker, with sensors."""

    def __init__(self, port: int, *sensors: Sensor, devices: tuple[str, ...] = ()) -> None:
        settings = MqttSettings(host="127.0.0.1", port=port)
        super().__init__(Broker(settings, devices, sensors=Sensors(sensors=sensors)))

    def values(self, last: tuple[str, float]) -> list[tuple[str, float]]:
        """Every value up to the one that is sent last, and of which sensors there was none."""
        found: list[tuple[str, float]] = []
        while not found or found[-1] != last:
            message = self.hears(SensorValues)
            found += [(name, -1.0) for name in message.unusable]
            found += [(one.sensor, one.value) for one in message.values if one.sensor != "end"]
        return found

    def has_heard(self, sensor: str, value: float) -> bool:
        """Whether this value of a sensor has come since it was last asked."""
        self._told += self.stage.feed(Tick(at_s=boottime_s()))
        values = [
            one
            for message in self._told
            if isinstance(message, SensorValues)
            for one in message.values
        ]
        self._told = [one for one in self._told if not isinstance(one, SensorValues)]
        return (sensor, value) in ((one.sensor, one.value) for one in values)

    def alarm(self, sensor: str = "motor", number: str = "1", **more: Any) -> None:
        """Have something be wrong."""
        alarm = SensorAlarm(anomaly=anomaly(sensor, number, **more))
        assert list(self.stage.feed(alarm)) == []

    def publishes_all(self) -> None:
        """Wait until the client of the broker has taken all alarms."""
        deadline_s = boottime_s() + PATIENCE_S
        while (due_s := self.link.due_s()) is not None:
            assert boottime_s() < deadline_s
            select.select([self.link], [], [], max(0.0, due_s - boottime_s()))
            list(self.stage.feed(Tick(at_s=boottime_s())))

    def close(self) -> None:
        self.link.close()


@pytest.fixture
def lamp(mosquitto: Mosquitto, things: ExitStack) -> Lamp:
    return things.enter_context(closing(Lamp(mosquitto.port, topic="#")))


def joined(things: ExitStack, lamp: Lamp, bench: Bench) -> Bench:
    """A bench whose subscriptions the broker has."""
    things.enter_context(closing(bench))
    bench.is_there()
    follow(lamp, bench)
    return bench


def follow(lamp: Lamp, bench: Bench) -> None:
    """Wait until the broker sends on what is published from now on."""
    end = Sensor(id="end", name="end", topic="end")
    bench.stage.follow_sensors(Sensors(sensors=(*bench.link._sensors.described.sensors, end)))
    number = next(ENDS)  # another each time: what was published before may still be on its way
    deadline_s = boottime_s() + PATIENCE_S
    while not bench.has_heard("end", number):
        assert boottime_s() < deadline_s
        lamp.tell("end", b"%d" % number, retain=False)


def test_values_come_in_their_order_and_retained_ones_do_not(
    mosquitto: Mosquitto, things: ExitStack, lamp: Lamp
) -> None:
    lamp.tell("plant/motor", b'{"vibration": 9}')
    bench = joined(things, lamp, Bench(mosquitto.port, MOTOR, LEVEL))
    for number in range(300):
        lamp.throw("plant/motor", b'{"vibration": %d}' % number)
    lamp.throw("plant/level", b"nonsense")
    lamp.tell("plant/level", b"3")
    found = bench.values(("level", 3.0))
    assert [value for sensor, value in found if sensor == "motor"] == list(map(float, range(300)))
    assert [value for sensor, value in found if sensor == "level"] == [-1.0, 3.0]


def test_a_device_that_the_home_does_not_name_is_followed_for_its_sensor_alone(
    mosquitto: Mosquitto, things: ExitStack, lamp: Lamp
) -> None:
    bench = joined(things, lamp, Bench(mosquitto.port, LAMP, devices=("switch.fan",)))
    lamp.tell("hark/light/kitchen/state", b'{"state": "ON"}')
    bench.values(("lamp", 1.0))
    lamp.tell("hark/switch/fan/state", b"ON")
    assert bench.hears(HomeStates).states == {"switch.fan": "on"}


def test_of_a_device_of_the_home_both_are_told(
    mosquitto: Mosquitto, things: ExitStack, lamp: Lamp
) -> None:
    lamp.tell("hark/light/kitchen/state", b"ON")
    bench = joined(things, lamp, Bench(mosquitto.port, LAMP, devices=("light.kitchen",)))
    assert bench.hears(HomeStates).states == {"light.kitchen": "on"}
    bench.stage.follow_sensors(Sensors(sensors=(LEVEL,)))
    lamp.tell("hark/light/kitchen/state", b"OFF")
    assert bench.hears(HomeStates).states == {"light.kitchen": "off"}
    bench.stage.follow_sensors(Sensors(sensors=(LAMP,)))
    bench.stage.follow(())
    lamp.tell("hark/light/kitchen/state", b"ON")
    bench.values(("lamp", 1.0))


def test_new_topics_are_subscribed_to_and_gone_ones_no_longer(
    mosquitto: Mosquitto, things: ExitStack, lamp: Lamp
) -> None:
    bench = joined(things, lamp, Bench(mosquitto.port, MOTOR))
    came: list[str] = []
    hears = bench.link._sensors.hear
    bench.link._sensors.hear = lambda t, p: (came.append(t), hears(t, p))[1]  # type: ignore[method-assign]
    bench.stage.follow_sensors(Sensors(sensors=(LEVEL,)))
    follow(lamp, bench)
    lamp.tell("plant/motor", b'{"vibration": 1}', retain=False)
    lamp.tell("plant/level", b"2", retain=False)
    bench.values(("level", 2.0))
    assert set(came) == {"end", "plant/level"}


def test_after_a_restart_of_the_broker_values_come_again(
    mosquitto: Mosquitto, things: ExitStack
) -> None:
    bench = things.enter_context(closing(Bench(mosquitto.port, LEVEL)))
    bench.is_there()
    mosquitto.stop()
    bench.is_away()
    mosquitto.start()
    bench.is_there()
    lamp = things.enter_context(closing(Lamp(mosquitto.port)))
    follow(lamp, bench)
    lamp.tell("plant/level", b"4", retain=False)
    bench.values(("level", 4.0))


def test_an_alarm_is_published_once_and_its_facts_are_retained(
    mosquitto: Mosquitto, things: ExitStack, lamp: Lamp
) -> None:
    bench = joined(things, lamp, Bench(mosquitto.port, MOTOR))
    bench.alarm()
    bench.alarm()
    bench.alarm(over=NOON)
    lamp.tell("last", b"")
    assert lamp.hears("plant/stop") == (b"now", False)
    heard = [lamp.hears("hark/anomaly/motor") for _ in range(3)]
    states = [json.loads(payload)["state"] for payload, _ in heard]
    assert states == ["wrong", "wrong", "over"]
    late = things.enter_context(closing(Lamp(mosquitto.port)))
    payload, retained = late.hears("hark/anomaly/motor")
    assert (json.loads(payload)["state"], retained) == ("over", True)
    assert "plant/stop" not in [topic for topic, *_ in lamp.heard.queue]


def test_what_a_bridge_that_was_killed_did_not_publish_the_next_one_does(
    mosquitto: Mosquitto, things: ExitStack, lamp: Lamp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mqtt_module, "RETAINED_S", 3600.0)
    first = joined(things, lamp, Bench(mosquitto.port, MOTOR, LEVEL))
    first.alarm()
    assert lamp.hears("plant/stop") == (b"now", False)
    lamp.hears("hark/anomaly/motor")
    wrong = (anomaly("motor", "1"), anomaly("level", "2"))
    second = joined(things, lamp, Bench(mosquitto.port, MOTOR, LEVEL))
    report = SensorsReport(readings=(), wrong=wrong)
    assert list(second.stage.feed(report)) == []
    lamp.tell("early", b"-", retain=False)
    monkeypatch.setattr(mqtt_module, "RETAINED_S", 0.0)
    for _ in range(2):
        list(second.stage.feed(report))
    came = [topic for topic, *_ in until(lamp, "hark/anomaly/level")]
    lamp.tell("late", b"-", retain=False)
    came += [topic for topic, *_ in until(lamp, "late")]
    named = [topic for topic in came if topic.startswith(("hark/anomaly", "plant", "early"))]
    assert named == ["early", "hark/anomaly/level"]


def test_alarms_of_the_time_without_a_broker_are_published_when_it_is_back(
    mosquitto: Mosquitto, things: ExitStack
) -> None:
    many = [
        Sensor(
            id=f"s{n}",
            name="s",
            topic=f"t/{n}",
            alarm=Alarm(topic=f"stop/{n}", payload=str(n), retain=True),
        )
        for n in range(WAITING_COMMANDS)
    ]
    bench = things.enter_context(closing(Bench(mosquitto.port, *many)))
    bench.is_there()
    mosquitto.stop()
    bench.is_away()
    for number in range(WAITING_COMMANDS):  # twice as many messages as paho keeps
        bench.alarm(f"s{number}", str(number))
    assert bench.link.due_s() is not None
    mosquitto.start()
    bench.is_there()
    lamp = things.enter_context(closing(Lamp(mosquitto.port, topic="#")))
    bench.publishes_all()
    stopped, facts = set[str](), set[str]()
    while len(stopped) < WAITING_COMMANDS or len(facts) < WAITING_COMMANDS:
        topic, payload, _ = lamp.heard.get(timeout=PATIENCE_S)
        if topic.startswith("stop/"):
            stopped.add(payload.decode())
        elif topic.startswith("hark/anomaly/"):
            facts.add(json.loads(payload)["id"])
    assert stopped == facts == {str(number) for number in range(WAITING_COMMANDS)}


def test_topics_that_the_broker_refuses_are_named_and_the_home_is_there(
    mosquitto: Mosquitto, things: ExitStack, caplog: pytest.LogCaptureFixture
) -> None:
    bench = things.enter_context(closing(Bench(mosquitto.port, devices=("switch.fan",))))
    bench.is_there()
    client = bench.link._client
    client.subscribe = lambda _: (0, 7)  # type: ignore[method-assign, assignment]
    bench.stage.follow_sensors(Sensors(sensors=(LEVEL,)))
    answers = client.on_subscribe
    assert answers is not None
    denied = [ReasonCode(PacketTypes.SUBACK, "Not authorized")]
    told = "may not subscribe to 1 topics: Not authorized"
    answers(client, None, 7, denied, None)
    assert f"sensors: {told} (bridge.refused)" in caplog.text
    assert bench.link.presence is not None
    assert bench.link.presence.present
    answers(client, None, 7, denied, None)  # the number of another one
    assert bench.is_away() == told
