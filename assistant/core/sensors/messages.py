"""The messages about sensors: between the bridge, the process that judges them, and the skills."""

from __future__ import annotations

from typing import Literal

import msgspec

from assistant.core.parts import Control, Id, Work, ZonedDatetime

Fault = Literal["low", "high", "fast", "spike", "drift", "stuck", "silent", "together"]
"""What is wrong with a sensor: it passed a limit of its file ("low", "high", "fast"), it is far
from what was learnt for a moment ("spike") or slowly ("drift"), its value stands still ("stuck"),
none comes ("silent"), or it does not fit those of its group ("together")."""
Judged = Literal["learning", "well", "wrong"]


class SensorValue(msgspec.Struct, frozen=True, array_like=True):
    """A value, which is finite, with the seconds of CLOCK_BOOTTIME at which it came."""

    sensor: Id
    value: float
    at_s: float


class SensorValues(Work, frozen=True, kw_only=True):
    """Values in the order in which they came, from the bridge."""

    utterance_id: Id = ""
    values: tuple[SensorValue, ...]
    unusable: dict[Id, int] = msgspec.field(default_factory=dict)
    """Sensor → how many payloads held no number for it since the last such message."""


class Anomaly(msgspec.Struct, frozen=True, kw_only=True):
    """Something that is wrong with a sensor: facts alone, from which all sentences are made."""

    id: Id
    """The same for its begin and its end, and after a restart."""
    sensor: Id
    fault: Fault
    began: ZonedDatetime
    over: ZonedDatetime | None = None
    """When it was as usual again; None while it goes on."""
    score: float
    """How far beyond what is allowed, at most so far; 1 is the limit."""
    value: float | None = None
    """The value when it began; None for none."""
    usual: float | None = None
    """What the value usually is; None where that is not known."""
    low: float | None = None
    """The least value that is not wrong; None for any."""
    high: float | None = None
    """The largest value that is not wrong; None for any."""
    others: tuple[Id, ...] = ()
    """Further sensors of the group that have a large part in it, the largest first."""
    silent_s: float | None = None
    """Seconds since the last value, for "silent" and "stuck"."""


class SensorAlarm(Work, frozen=True, kw_only=True):
    """What the bridge is to publish: an anomaly that begins or is over.

    It may come twice, as after a crash: what is published is retained, and an alarm that the
    sensors' file names goes out once for each id.
    """

    utterance_id: Id = ""
    anomaly: Anomaly


class SensorEvent(Work, frozen=True, kw_only=True):
    """What the skills are to tell: an anomaly that begins or is over; it may come twice."""

    utterance_id: Id = ""
    anomaly: Anomaly


class SensorReading(msgspec.Struct, frozen=True, array_like=True):
    """How a sensor is now."""

    sensor: Id
    judged: Judged
    value: float | None
    """The last value; None for none yet."""
    ago_s: float
    """Seconds since it came."""
    usual: float | None
    low: float | None
    high: float | None


class SensorsReport(Control, frozen=True, kw_only=True):
    """How the sensors are, told every few seconds, and what became of their values so far."""

    readings: tuple[SensorReading, ...]
    wrong: tuple[Anomaly, ...] = ()
    """What is wrong now."""
    counts: dict[str, int] = msgspec.field(default_factory=dict)
    """ "values", "late", "doubled", "unusable", "unknown" → how many."""


class SensorsRequest(Work, frozen=True, kw_only=True):
    """What a user wants of the process that judges the sensors."""

    utterance_id: Id
    what: Literal["learn", "false_alarm", "roll_back"]
    sensors: tuple[Id, ...] = ()
    """What is to be learnt: from now on for `for_s` seconds all is well with them. For "roll_back",
    the sensors and groups that go back to what was learnt before."""
    for_s: float = 0.0
    anomaly: Id = ""
    """The one that was a false alarm."""
