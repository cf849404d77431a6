"""Whether what was learnt still fits: a model that raises alarms in far too many hours is told.

A model of a made-up machine that is well raises one alarm in fifty days. A machine that is not well
raises one, too, which goes on until it is mended. Where alarms begin anew in hour after hour, the
machine runs otherwise than when it was learnt, or its fault comes and goes.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta

from assistant.core.messages import Anomaly, QualityAlert
from assistant.core.sensors.described import Sensors
from assistant.core.sensors.messages import Fault

HOURS = 24
"""The hours that are looked at, up to now."""
EXPECTED = 1
"""Hours of these in which an alarm of one model may begin."""
MOST, AGAIN_WELL = 6, 2
"""Hours of these from which a model is told, and those at which it is well again."""
BY_MODEL: tuple[Fault, ...] = ("spike", "drift", "together")
"""The faults that a model finds; the others are found by the file, or show in any stream."""

log = logging.getLogger(__name__)


class ModelWatch:
    """The hours in which alarms of each model began, from those `before`.

    A model is that of a sensor or of a group, and goes by its name.
    """

    def __init__(self, described: Sensors, before: Iterable[Anomaly] = ()) -> None:
        self._described = described
        self._hours = defaultdict[str, set[int]](set)
        self._told = set[str]()
        for anomaly in before:
            self.observe(anomaly)

    def model_of(self, sensor: str, fault: Fault) -> str:
        """The name of the model that finds a fault: the sensor's own, or its group's."""
        described = self._described.by_id.get(sensor)
        group = described.judged_with if described is not None and fault == "together" else ""
        return group or sensor

    def observe(self, anomaly: Anomaly) -> None:
        """Take an anomaly that begins."""
        if anomaly.fault in BY_MODEL:
            self._hours[self.model_of(anomaly.sensor, anomaly.fault)].add(_hour(anomaly.began))

    def pass_time(self, now: datetime) -> Iterator[QualityAlert]:
        """The alerts that begin or are over."""
        first = _hour(now - timedelta(hours=HOURS))
        for name, hours in self._hours.items():
            hours -= {hour for hour in hours if hour <= first}
            if name in self._told:
                if len(hours) <= AGAIN_WELL:
                    self._told.remove(name)
                    yield self._alert(name, over=True)
            elif len(hours) >= MOST:
                self._told.add(name)
                yield self._alert(name)

    def forget(self, names: Iterable[str]) -> None:
        """Another model takes the place of these: it is judged by what it does itself."""
        for name in names:
            self._hours[name].clear()

    def _alert(self, name: str, over: bool = False) -> QualityAlert:
        hours = len(self._hours[name])
        if over:
            log.info("%s: alarms are as rare as expected again (quality.recovered)", name)
        else:
            told = "%s: alarms in %d of %d hours: learn it again? (quality.alarms)"
            log.warning(told, name, hours, HOURS)
        return QualityAlert(
            stage="sensors",
            what=name,
            value=round(hours / HOURS, 4),
            expected=round(EXPECTED / HOURS, 4),
            over=over,
        )


def _hour(at: datetime) -> int:
    return int(at.timestamp() // 3600)
