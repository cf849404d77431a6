"""What a skill may know of the sensors, and ask of what judges them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Protocol

from assistant.core.errors import SkillError
from assistant.skill.reply import Undo
from assistant.skill.sensors import Noticed, SensorReading, Sensors


class SensorWatch(Protocol):
    """The sensors, and what is kept of what was wrong; it survives a restart."""

    @property
    def described(self) -> Sensors:
        """What the file tells of them."""

    @property
    def readings(self) -> Mapping[str, SensorReading] | None:
        """Sensor → how it is; None where nothing was reported lately."""

    @property
    def told(self) -> tuple[tuple[str, ...], datetime] | None:
        """Ids of the anomalies that were last told unasked, and when; None for none."""

    def wrong(self) -> tuple[Noticed, ...]:
        """What is wrong now, the oldest first."""

    def noticed(self) -> tuple[Noticed, ...]:
        """Every anomaly that is kept, the oldest first."""

    def acknowledge(self, ids: Sequence[str]) -> tuple[Undo, ...]:
        """Tell these anomalies no more until they are over."""

    def mute(self, sensors: Sequence[str], length: timedelta) -> tuple[Undo, ...]:
        """Tell nothing unasked of these sensors for a while; no time at all ends that.

        What is done about an anomaly is done all the same.
        """

    def muted(self, sensor: str) -> timedelta | None:
        """For how long nothing is told of a sensor; None where all is."""

    def learn(self, sensors: Sequence[str], length: timedelta) -> None:
        """Have what these sensors show from now on, for a while, taken for normal."""

    def false_alarm(self, anomaly_id: str) -> None:
        """Have it learnt that all was well."""


class _NoSensors:
    described = Sensors()
    readings: Mapping[str, SensorReading] | None = None
    told: tuple[tuple[str, ...], datetime] | None = None

    def wrong(self) -> tuple[Noticed, ...]:
        return ()

    def noticed(self) -> tuple[Noticed, ...]:
        return ()

    def acknowledge(self, ids: Sequence[str]) -> tuple[Undo, ...]:
        raise _none()

    def mute(self, sensors: Sequence[str], length: timedelta) -> tuple[Undo, ...]:
        raise _none()

    def muted(self, sensor: str) -> timedelta | None:
        return None

    def learn(self, sensors: Sequence[str], length: timedelta) -> None:
        raise _none()

    def false_alarm(self, anomaly_id: str) -> None:
        raise _none()


NO_SENSORS: SensorWatch = _NoSensors()
"""Those of a skill of others, which has none."""


def _none() -> SkillError:
    return SkillError("skill.sensors", "there are no sensors here")
