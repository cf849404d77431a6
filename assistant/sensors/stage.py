"""The sensors as a stage: values in; what is wrong out, to the bridge and to the skills."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import ClassVar

from assistant.core.messages import (
    Message,
    SensorReading,
    SensorsReport,
    SensorsRequest,
    SensorValue,
    SensorValues,
)
from assistant.core.sensors.described import Sensors

REPORT_EVERY_S = 5.0
"""Seconds between two reports of how the sensors are."""


class SensorsStage:
    """Judges the values of the sensors that a file lists."""

    consumes: ClassVar[tuple[type[Message], ...]] = (SensorValues, SensorsRequest)

    def __init__(self, described: Sensors) -> None:
        self._described = described
        self._last: dict[str, SensorValue] = {}
        self._counts = Counter[str]()
        self._report_at_s = 0.0

    def feed(self, message: Message) -> Iterator[Message]:
        """Take values or a request, or report how the sensors are."""
        if isinstance(message, SensorValues):
            for value in message.values:
                self._take(value)
            self._counts["unusable"] += sum(message.unusable.values())
        if message.at_s >= self._report_at_s:
            self._report_at_s = message.at_s + REPORT_EVERY_S
            yield self._report(message.at_s)

    def deadline_s(self) -> float:
        """When to report next."""
        return self._report_at_s

    def _take(self, value: SensorValue) -> None:
        known = value.sensor in self._described.by_id
        self._counts["values" if known else "unknown"] += 1
        if known:
            self._last[value.sensor] = value

    def _report(self, at_s: float) -> SensorsReport:
        readings = tuple(
            SensorReading(one.sensor, "learning", one.value, at_s - one.at_s, None, None, None)
            for one in self._last.values()
        )
        return SensorsReport(readings=readings, counts=dict(self._counts))
