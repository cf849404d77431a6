"""A plant with 200 sensors for benchmarks, some of which have hard limits and an alarm."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from assistant.core.sensors.described import Alarm, Sensor, Sensors

COUNT = 200
A_MACHINE = 4
"""Sensors of one machine."""
LIMITED_EVERY = 4
"""Each so many-th sensor has limits."""
LOW, USUAL, HIGH = 0.0, 50.0, 100.0
STOP = "plant/stop"


def plant() -> Sensors:
    """The sensors, each with a topic of its own."""
    return Sensors(sensors=tuple(map(_sensor, range(COUNT))))


def limited(sensors: Sensors) -> Sequence[Sensor]:
    """Those with limits."""
    return [sensor for sensor in sensors.sensors if sensor.alarm is not None]


def as_file(sensors: Sensors) -> str:
    """The file that lists them; JSON is YAML, too."""
    return msgspec.json.encode(_without_none(msgspec.to_builtins(sensors))).decode()


def _sensor(number: int) -> Sensor:
    name = f"s{number}"
    machine = f"machine {number // A_MACHINE}"
    plain = Sensor(id=name, name=name, of=machine, topic=f"plant/{name}")
    if number % LIMITED_EVERY:
        return plain
    alarm = Alarm(topic=f"{STOP}/{name}", payload="1")
    return msgspec.structs.replace(plain, low=LOW, high=HIGH, alarm=alarm)


def _without_none(told: object) -> object:
    if isinstance(told, dict):
        return {key: _without_none(one) for key, one in told.items() if one is not None}
    if isinstance(told, list | tuple):
        return [_without_none(one) for one in told]
    return told
