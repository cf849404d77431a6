"""The sensors as a stage: values in; what is wrong out, to the bridge and to the skills."""

from __future__ import annotations

import logging
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime, timedelta
from typing import ClassVar, NamedTuple

from assistant.core.messages import (
    Anomaly,
    Message,
    SensorAlarm,
    SensorEvent,
    SensorReading,
    SensorsReport,
    SensorsRequest,
    SensorValue,
    SensorValues,
)
from assistant.core.sensors.described import Sensors
from assistant.core.sensors.messages import Fault, Judged
from assistant.sensors.alarms import Alarms
from assistant.sensors.detection.judge import Found, Judge, Learner
from assistant.sensors.detection.season import DayClock
from assistant.sensors.model_watch import HOURS, ModelWatch
from assistant.sensors.store import Store, UnderWay

LOOK_EVERY_S = 0.5
"""Seconds between two looks for sensors that are silent, and at groups, while values come."""
REPORT_EVERY_S = 5.0
"""Seconds between two reports of how the sensors are."""
KEEP_EVERY_S = 60.0
"""Seconds after which the levels are kept again, to go on from after a restart."""
FRESH_S = 600.0
"""Seconds for which kept levels are as good as new."""
OF_FILE: tuple[Fault, ...] = ("low", "high", "fast")
"""The faults that need no learning."""

log = logging.getLogger(__name__)


class Learning(NamedTuple):
    """Something that is learnt, and until when."""

    learner: Learner
    until_s: float


class SensorsStage:
    """Judges the values of the sensors that a file lists; what it learns is in the `store`.

    What begins is written down before it is told, and told again after a restart under the same id.
    `now` is the wall time, `boot_id` that of this boot, whose seconds the times of values are. What
    is being learnt outlives a stage that is rebuilt; after a restart it is learnt from what comes
    then.
    """

    consumes: ClassVar[tuple[type[Message], ...]] = (SensorValues, SensorsRequest)

    def __init__(
        self,
        described: Sensors,
        store: Store,
        now: Callable[[], datetime],
        boot_id: str,
        learning: list[Learning] | None = None,
    ) -> None:
        self._described, self._store = described, store
        self._now, self._boot_id = now, boot_id
        self._clock = DayClock()
        self._counts = Counter[str](values=0, late=0, doubled=0, unusable=0, unknown=0)
        self._learning = [] if learning is None else learning
        self._judge = self._made_judge()
        goes_on = [one for one in store.going_on if one.sensor in described.by_id]
        self._alarms = Alarms(described, now, goes_on)
        self._untold = list(goes_on)
        before = store.begun_since(now() - timedelta(hours=HOURS))
        self._models = ModelWatch(described, before)
        self._look_at_s = self._report_at_s = self._keep_at_s = 0.0
        self._restored = False

    def feed(self, message: Message) -> Iterator[Message]:
        """Take values or a request, or look at what time alone shows."""
        if not self._restored:
            self._restore(message.at_s)
        while self._untold:
            yield from self._told(self._untold.pop(0))
        if isinstance(message, SensorValues):
            self._counts["unusable"] += sum(message.unusable.values())
            for value in message.values:
                yield from self._take(value)
        elif isinstance(message, SensorsRequest):
            self._obey(message)
        if message.at_s >= self._look_at_s:
            yield from self._look(message.at_s)

    def deadline_s(self) -> float:
        """When to look again at what time alone shows."""
        return 0.0 if self._untold else self._look_at_s

    def close(self) -> None:
        """Keep the levels; the store stays for the next stage."""
        self._keep_levels(self._look_at_s)

    # ── values ──────────────────────────────────────────────────────────────────────────────

    def _take(self, value: SensorValue) -> Iterator[Message]:
        detector = self._judge.detectors.get(value.sensor)
        if detector is None:
            self._counts["unknown"] += 1
            return
        last_s = detector.trace.at_s
        if value.at_s <= last_s:
            same = value.at_s == last_s and value.value == detector.trace.value
            self._counts["doubled" if same else "late"] += 1
            return
        self._counts["values"] += 1
        found = self._judge.feed(value)
        for learning in self._learning:
            learning.learner.feed(value)
        if found is not None:
            yield from self._see(found, value.at_s)

    def _look(self, at_s: float) -> Iterator[Message]:
        self._look_at_s = at_s + LOOK_EVERY_S
        self._clock.offset_s = _local_s(self._now()) - at_s  # the clock may have been set
        for found in self._judge.pass_time(at_s):
            yield from self._see(found, at_s)
        for anomaly in self._alarms.pass_time(at_s, self._judge.interval_s):
            self._store.keep_anomaly(anomaly)
            log.info("%s is as usual again (sensors.over)", anomaly.sensor)
            yield from self._told(anomaly)
        self._learn(at_s)
        yield from self._models.pass_time(self._now())
        if at_s >= self._report_at_s:
            self._report_at_s = at_s + REPORT_EVERY_S
            yield self._report(at_s)
        if at_s >= self._keep_at_s:
            self._keep_at_s = at_s + KEEP_EVERY_S
            self._keep_levels(at_s)

    def _see(self, found: Found, at_s: float) -> Iterator[Message]:
        if found.fault not in OF_FILE and found.sensor in self._declared_well:
            return
        anomaly = self._alarms.see(found, at_s, self._judge.detectors[found.sensor])
        if anomaly is not None:
            self._store.keep_anomaly(anomaly)
            yield from self._told(anomaly)
            self._models.observe(anomaly)
            log.warning("%s: %s (sensors.wrong)", anomaly.sensor, anomaly.fault)

    @property
    def _declared_well(self) -> frozenset[str]:
        """The sensors that are being learnt, with which all is well."""
        return frozenset[str]().union(*(one.learner.sensors for one in self._learning))

    def _told(self, anomaly: Anomaly) -> Iterator[Message]:
        yield SensorAlarm(anomaly=anomaly)  # before anything is worded
        yield SensorEvent(anomaly=anomaly)

    # ── what is learnt ──────────────────────────────────────────────────────────────────────

    def _obey(self, request: SensorsRequest) -> None:
        if request.what == "learn":
            self._begin_learning(request.sensors, request.at_s + request.for_s)
            self._keep_under_way(request.at_s)
        elif request.what == "roll_back":
            self._roll_back(request.sensors)
        elif (of := self._store.sensor_of(request.anomaly)) is not None:
            model = self._models.model_of(*of)
            self._store.widen(model)
            self._judge_anew([model])

    def _begin_learning(self, names: Iterable[str], until_s: float) -> None:
        known = [name for name in names if name in self._described.by_id]
        self._learning.append(Learning(Learner(self._described, known, self._clock), until_s))

    def _keep_under_way(self, at_s: float) -> None:
        now = self._now()
        self._store.keep_under_way(
            UnderWay(tuple(sorted(learner.sensors)), now + timedelta(seconds=until_s - at_s))
            for learner, until_s in self._learning
        )

    def _roll_back(self, names: tuple[str, ...]) -> None:
        back = [name for name in names if self._store.roll_back(name)]
        if back:
            log.info("back to what was learnt before: %s (sensors.back)", ", ".join(back))
            self._judge_anew(back)
        else:
            log.warning("nothing was learnt before of %s (sensors.back)", ", ".join(names))

    def _learn(self, at_s: float) -> None:
        for learning in self._learning:
            learning.learner.pass_time(at_s)
        over = [one for one in self._learning if at_s >= one.until_s]
        if not over:
            return
        models: list[str] = []
        for learning in over:
            self._learning.remove(learning)
            learnt = learning.learner.learnt()
            models += [*learnt.single, *learnt.groups]
            self._store.keep_learnt(learnt, self._now())
            told = "%d sensors and %d groups were learnt (sensors.learnt)"
            log.info(told, len(learnt.single), len(learnt.groups))
        self._keep_under_way(at_s)
        self._judge_anew(models)

    def _made_judge(self) -> Judge:
        return Judge(self._described, self._store.learnt, self._store.slack, self._clock)

    def _judge_anew(self, models: Iterable[str]) -> None:
        """Judge by what is in the store now, from where the values have come to; these are new."""
        self._models.forget(models)
        before, self._judge = self._judge, self._made_judge()
        for name, detector in before.detectors.items():
            self._judge.detectors[name].trace = detector.trace

    # ── restarts ────────────────────────────────────────────────────────────────────────────

    def _restore(self, at_s: float) -> None:
        """Go on with what was under way, and from the levels that were kept, where they are of this
        boot and not too old."""
        self._restored = True
        kept_at_s, levels = self._store.levels(self._boot_id)
        for name in levels.keys() & self._judge.detectors.keys():
            if 0 <= at_s - kept_at_s < FRESH_S:
                self._judge.detectors[name].trace.go_on(levels[name])
        if not self._learning:
            now = self._now()
            for one in self._store.under_way:
                self._begin_learning(one.sensors, at_s + (one.until - now).total_seconds())

    def _keep_levels(self, at_s: float) -> None:
        traces = {name: one.trace.kept() for name, one in self._judge.detectors.items()}
        there = {name: kept for name, kept in traces.items() if kept is not None}
        if there:
            self._store.keep_levels(there, at_s, self._boot_id)

    # ── reports ─────────────────────────────────────────────────────────────────────────────

    def _report(self, at_s: float) -> SensorsReport:
        wrong = {anomaly.sensor for anomaly in self._alarms.open}
        learning = self._declared_well
        readings = []
        for name, detector in self._judge.detectors.items():
            trace = detector.trace
            if trace.at_s == -math.inf:
                continue
            judged: Judged = (
                "wrong" if name in wrong else "learning" if name in learning else "well"
            )
            low, high = detector.band
            readings.append(
                SensorReading(name, judged, trace.value, at_s - trace.at_s, trace.usual, low, high)
            )
        return SensorsReport(
            readings=tuple(readings), wrong=self._alarms.open, counts=dict(self._counts)
        )


def _local_s(now: datetime) -> float:
    """Seconds of local time, of which each midnight is a multiple of a day."""
    offset = now.utcoffset()
    return now.timestamp() + (0.0 if offset is None else offset.total_seconds())
