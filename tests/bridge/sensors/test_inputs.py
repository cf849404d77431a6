"""Which values stand in what a connection hears."""

from __future__ import annotations

from assistant.bridge.sensors.inputs import SensorInputs
from assistant.bridge.sensors.waiting import WaitingValues
from assistant.core.clock import boottime_s
from assistant.core.messages import SensorValues
from assistant.core.sensors.described import Sensor, Sensors

PLANT = Sensors(
    sensors=(
        Sensor(id="heat", name="heat", topic="motor", field="heat"),
        Sensor(id="speed", name="speed", topic="motor", field="drive.speed"),
        Sensor(id="level", name="level", topic="level"),
        Sensor(id="room", name="room", entity="sensor.room"),
        Sensor(id="stove", name="stove", entity="climate.stove", field="current_temperature"),
        Sensor(id="odd", name="odd", entity="sensor.a/b"),
    )
)


class Heard:
    """Inputs, and what came of them."""

    def __init__(self, prefix: str = "hark") -> None:
        self.waiting = WaitingValues(lambda: None)
        self.inputs = SensorInputs(PLANT, self.waiting, prefix)

    def hear(self, topic: str, payload: bytes) -> tuple[dict[str, float], dict[str, int]]:
        """The values in a payload, and the sensors of which it holds none."""
        self.inputs.hear(topic, payload)
        return self.told()

    def told(self) -> tuple[dict[str, float], dict[str, int]]:
        message = self.waiting.next() or SensorValues(values=())
        self.waiting.delivered()
        return {one.sensor: one.value for one in message.values}, message.unusable


def test_each_sensor_of_a_topic_has_its_field() -> None:
    heard = Heard()
    assert heard.hear("motor", b'{"heat": 40, "drive": {"speed": "1200"}}') == (
        {"heat": 40.0, "speed": 1200.0},
        {},
    )
    assert heard.hear("motor", b'{"heat": 41}') == ({"heat": 41.0}, {"speed": 1})
    assert heard.hear("motor", b"\xff") == ({}, {"heat": 1, "speed": 1})
    assert heard.hear("elsewhere", b"1") == ({}, {})


def test_the_time_is_that_of_its_coming() -> None:
    heard = Heard()
    before_s = boottime_s()
    heard.inputs.hear("level", b"3")
    message = heard.waiting.next()
    assert message is not None
    assert before_s <= message.values[0].at_s <= boottime_s()


def test_a_device_has_its_state_on_its_topic() -> None:
    heard = Heard()
    for payload in (b"21.5", b'"21.5"', b'{"state": "21.5"}', b'{"state": 21.5, "battery": 3}'):
        assert heard.hear("hark/sensor/room/state", payload) == ({"room": 21.5}, {})
    assert heard.hear("hark/sensor/room/state", b"unavailable") == ({}, {"room": 1})
    assert heard.hear("hark/climate/stove/state", b'{"current_temperature": 19}') == (
        {"stove": 19.0},
        {},
    )


def test_a_device_may_be_told_of_by_its_link() -> None:
    heard = Heard("")
    assert heard.inputs.topics == set()
    heard.inputs.hear_state("sensor.room", "on", {}.get)
    heard.inputs.hear_state("climate.stove", "heat", {"current_temperature": 20}.get)
    heard.inputs.hear_state("sensor.other", "3", {}.get)
    assert heard.told() == ({"room": 1.0, "stove": 20.0}, {})
    heard.inputs.hear_state("climate.stove", "21", {}.get)
    heard.inputs.hear_state("sensor.room", "unknown", {}.get)
    assert heard.told() == ({}, {"stove": 1, "room": 1})


def test_other_sensors_take_the_place_of_these() -> None:
    heard = Heard()
    assert heard.inputs.topics == {
        *("motor", "level", "hark/sensor/room/state", "hark/climate/stove/state")
    }
    heard.inputs.follow(Sensors(sensors=(Sensor(id="new", name="new", topic="level"),)))
    assert heard.inputs.topics == {"level"}
    assert heard.hear("motor", b'{"heat": 40}') == ({}, {})
    assert heard.hear("level", b"3") == ({"new": 3.0}, {})
