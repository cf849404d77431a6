"""Where the sensors' values come from: topics, and devices of the home."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from assistant.bridge.payloads import state_topic
from assistant.bridge.sensors.payloads import STATE, number, read
from assistant.bridge.sensors.waiting import WaitingValues
from assistant.core.clock import boottime_s
from assistant.core.errors import BridgeError
from assistant.core.sensors.described import Sensor, Sensors


class _Place(NamedTuple):
    """Where a sensor's number stands."""

    sensor: str
    path: tuple[str, ...]
    is_device: bool
    """Whether it is a device's state, which may also stand in the whole payload."""

    def number(self, told: Any) -> float | None:
        if self.is_device and not self.path:
            return number(told, (STATE,) if isinstance(told, dict) else ())
        return number(told, self.path)


class SensorInputs:
    """Finds the values in what a connection hears, and lets them wait.

    The states of devices are given to `hear_state`, or stand on their topics below `prefix`; with
    "" for it there are no topics.
    """

    def __init__(self, described: Sensors, waiting: WaitingValues, prefix: str = "") -> None:
        self._waiting, self._prefix = waiting, prefix
        self.follow(described)

    def follow(self, described: Sensors) -> None:
        """Have the values of these sensors, and of no others."""
        by_topic: dict[str, tuple[_Place, ...]] = {}
        by_entity: dict[str, tuple[Sensor, ...]] = {}
        for sensor in described.sensors:
            if sensor.entity:
                by_entity[sensor.entity] = (*by_entity.get(sensor.entity, ()), sensor)
            path = tuple(sensor.field.split(".")) if sensor.field else ()
            place = _Place(sensor.id, path, bool(sensor.entity))
            for topic in self._topics(sensor):
                by_topic[topic] = (*by_topic.get(topic, ()), place)
        # The connection's thread reads them meanwhile: each is replaced as a whole.
        self.described, self._by_topic, self._by_entity = described, by_topic, by_entity

    @property
    def topics(self) -> set[str]:
        """The topics on which values come."""
        return set(self._by_topic)

    def hear(self, topic: str, payload: bytes | bytearray) -> None:
        """Take a payload that is new, not one that the broker has kept."""
        if places := self._by_topic.get(topic):
            at_s, told = boottime_s(), read(payload)
            for place in places:
                self._waiting.add(place.sensor, place.number(told), at_s)

    def hear_state(self, entity_id: str, state: str, attribute: Callable[[str], Any]) -> None:
        """Take the new state of a device; `attribute` gives an attribute by its name."""
        if sensors := self._by_entity.get(entity_id):
            at_s = boottime_s()
            for sensor in sensors:
                told = attribute(sensor.field) if sensor.field else state
                self._waiting.add(sensor.id, number(told), at_s)

    def _topics(self, sensor: Sensor) -> Iterator[str]:
        if not self._prefix:
            return
        if sensor.topic:
            yield sensor.topic
            return
        # A device whose name no topic can hold announces itself, or is one of Home Assistant's.
        with contextlib.suppress(BridgeError):
            yield state_topic(self._prefix, sensor.entity)
