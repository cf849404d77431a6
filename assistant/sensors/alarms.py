"""What is wrong as anomalies: each begins once, goes on while it is seen, and is over once."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime

import msgspec
from msgspec.structs import replace

from assistant.core.messages import Anomaly
from assistant.core.sensors.described import Sensors
from assistant.sensors.detection.judge import Found
from assistant.sensors.detection.single import SingleDetector

HOLDS_S = 10.0
"""Seconds for which all must be well until an anomaly is over."""
HOLDS_VALUES = 5
"""The same in values, for a sensor that tells one more rarely."""


class Open(msgspec.Struct):
    """An anomaly that goes on, and when it was seen last."""

    anomaly: Anomaly
    seen_s: float


class Alarms:
    """The anomalies that go on; `now` is the wall time.

    A sensor has one at a time, as has a group: what does not fit together while one of its sensors
    is wrong by itself is no further one.
    """

    def __init__(
        self,
        described: Sensors,
        now: Callable[[], datetime],
        goes_on: Iterable[Anomaly] = (),
        new_id: Callable[[], str] = lambda: uuid.uuid4().hex[:12],
    ) -> None:
        self._now, self._new_id = now, new_id
        self._together = {
            sensor: members for members in described.groups.values() for sensor in members
        }
        self._open = {anomaly.sensor: Open(anomaly, float("-inf")) for anomaly in goes_on}

    @property
    def open(self) -> tuple[Anomaly, ...]:
        """The anomalies that go on."""
        return tuple(one.anomaly for one in self._open.values())

    def see(self, found: Found, at_s: float, detector: SingleDetector) -> Anomaly | None:
        """Note what is wrong with a sensor, which `detector` judges; the anomaly, if it begins."""
        group = self._together.get(found.sensor, ()) if found.fault == "together" else ()
        known = next((self._open[name] for name in group if name in self._open), None)
        known = self._open.get(found.sensor, known)
        if known is not None:
            known.seen_s = at_s
            if found.score > known.anomaly.score:
                known.anomaly = replace(known.anomaly, score=found.score)
            return None
        anomaly = self._begun(found, at_s, detector)
        self._open[found.sensor] = Open(anomaly, at_s)
        return anomaly

    def pass_time(
        self, now_s: float, interval_s: Callable[[str], float] = lambda sensor: 0.0
    ) -> Iterator[Anomaly]:
        """The anomalies that are over; `interval_s` is how often a sensor tells its value."""
        for sensor, one in list(self._open.items()):
            if one.seen_s == float("-inf"):  # from before a restart: it has its time from now on
                one.seen_s = now_s
            if now_s - one.seen_s > max(HOLDS_S, HOLDS_VALUES * interval_s(sensor)):
                del self._open[sensor]
                yield replace(one.anomaly, over=self._now())

    def _begun(self, found: Found, at_s: float, detector: SingleDetector) -> Anomaly:
        trace, usual = detector.trace, detector.usual
        low, high = detector.bounds(found.fault)
        quiet_s = {"silent": at_s - trace.at_s, "stuck": detector.stuck_s}.get(found.fault)
        return Anomaly(
            id=self._new_id(),
            sensor=found.sensor,
            fault=found.fault,
            began=self._now(),
            score=found.score,
            value=None if trace.value != trace.value else trace.value,
            usual=usual,
            low=low,
            high=high,
            others=found.others,
            silent_s=quiet_s,
        )
