"""The sensors that a file lists, as a skill sees them: how they are, and what was wrong."""

from __future__ import annotations

import msgspec

from assistant.core.sensors.described import Sensor, Sensors
from assistant.core.sensors.messages import Anomaly, SensorReading

__all__ = ["Anomaly", "Noticed", "Sensor", "SensorReading", "Sensors"]


class Noticed(msgspec.Struct, frozen=True, kw_only=True):
    """An anomaly that is kept, and whether somebody has acknowledged it."""

    anomaly: Anomaly
    acknowledged: bool = False

    @property
    def goes_on(self) -> bool:
        """Whether it is not over."""
        return self.anomaly.over is None
