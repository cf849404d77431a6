"""The sensors beside the skills: takes what is told of them, and gives what is asked about them.

What is noticed is kept before it is announced, in one transaction, so that what comes twice, as
after a crash, is told once.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime, timedelta

from assistant.core.database import Database
from assistant.core.messages import (
    Anomaly,
    Message,
    PlaybackStarted,
    SensorEvent,
    SensorReading,
    SensorsReport,
    SensorsRequest,
)
from assistant.core.sensors.described import Sensors
from assistant.skill.reply import Undo
from assistant.skill.sensors import Noticed
from skills.announcements.waiting import SkillAnnouncements, Waiting
from skills.capabilities.sensors.store import Kept, SensorStore
from skills.capabilities.sensors.telling import Telling
from skills.later.timing import Timing

OWNER = "sensors"
"""The skill whose announcements they are."""
MUTE, ACKNOWLEDGE = "sensors.mute", "sensors.acknowledge"
"""Operations of an undo."""
REPORT_LASTS_S = 30.0
"""Seconds after which a report says no more how the sensors are; one comes every five."""

log = logging.getLogger(__name__)


class WatchedSensors:
    """Implements `SensorWatch` on the sensors that are `described`."""

    def __init__(
        self, database: Database, described: Sensors, timing: Timing, waiting: Waiting
    ) -> None:
        self.described = described
        self._database, self._timing, self._store = database, timing, SensorStore(database)
        announcements = SkillAnnouncements(waiting, timing, OWNER)
        self._telling = Telling(
            *(self._store, announcements, described, timing),
            *(self._is_muted, waiting.quiet.holds),
        )
        self._report: SensorsReport | None = None
        self._at_s = self._reported_at_s = 0.0
        self.told: tuple[tuple[str, ...], datetime] | None = None

    # ── to the stage ────────────────────────────────────────────────────────────────────────
    @property
    def undoes(self) -> Mapping[str, Callable[[Undo], object]]:
        """What takes back which kind of undo."""
        return {
            MUTE: lambda undo: self.mute((undo.id,), timedelta(seconds=float(undo.value or 0))),
            ACKNOWLEDGE: lambda undo: self._forget_that_it_is_known(undo.id),
        }

    def observe(self, message: Message, at_s: float) -> None:
        """Take what is told of the sensors, and note what is said of them."""
        self._at_s = at_s
        match message:
            case SensorEvent(anomaly=anomaly) if anomaly.sensor in self.described.by_id:
                with self._database.transaction():
                    self._take(anomaly)
            case SensorEvent(anomaly=anomaly):
                log.warning("%s: no such sensor is listed (sensors.unknown)", anomaly.sensor)
            case SensorsReport():
                self._report, self._reported_at_s = message, at_s
            case PlaybackStarted(utterance_id=name):
                if ids := self._telling.started(name):
                    self.told = ids, self._timing.now

    def news(self, at_s: float) -> Iterator[Message]:
        """Announce what is due again, and give what is asked of the process that judges."""
        if due := self._telling.due(at_s):
            with self._database.transaction():
                self._telling.repeat(due)
        for number, request in self._store.requests() if self.described.sensors else ():
            yield request
            self._store.sent(number)

    def deadline_s(self) -> float | None:
        """When `news` must be asked for next; None while nothing waits."""
        return self._telling.look_at_s if self.described.sensors else None

    # ── to the skills ───────────────────────────────────────────────────────────────────────
    @property
    def readings(self) -> Mapping[str, SensorReading] | None:
        """Sensor → how it is; None where nothing was reported lately."""
        if self._report is None or self._at_s - self._reported_at_s > REPORT_LASTS_S:
            return None
        return {one.sensor: one for one in self._report.readings}

    def wrong(self) -> tuple[Noticed, ...]:
        """What is wrong now, the oldest first."""
        return self._known(self._store.wrong())

    def noticed(self) -> tuple[Noticed, ...]:
        """Every anomaly that is kept, the oldest first."""
        return self._known(self._store.all())

    def acknowledge(self, ids: Sequence[str]) -> tuple[Undo, ...]:
        """Tell these anomalies no more until they are over."""
        kept = [one for one in map(self._store.get, ids) if one and not one.acknowledged]
        for one in kept:
            self._store.acknowledge(one.anomaly.id, True)
        self._telling.hush(kept)
        return tuple(Undo(ACKNOWLEDGE, one.anomaly.id) for one in kept)

    def mute(self, sensors: Sequence[str], length: timedelta) -> tuple[Undo, ...]:
        """Tell nothing unasked of these sensors for a while; no time at all ends that."""
        before = {one: self.muted(one) or timedelta() for one in sensors}
        for sensor in sensors:
            self._timing.countdown.forget(_key(sensor))
            seconds = length.total_seconds()
            self._store.mute(sensor, self._timing.after(seconds) if seconds > 0 else None)
        if length:
            muted = [one for one in self._store.wrong() if one.anomaly.sensor in sensors]
            self._telling.hush(muted)
        return tuple(Undo(MUTE, one, left.total_seconds()) for one, left in before.items())

    def muted(self, sensor: str) -> timedelta | None:
        """For how long nothing is told of a sensor; None where all is."""
        due = self._store.muted(sensor)
        left_s = self._timing.left_s(_key(sensor), due) if due is not None else 0.0
        return timedelta(seconds=left_s) if left_s > 0 else None

    def learn(self, sensors: Sequence[str], length: timedelta) -> None:
        """Have what these sensors show from now on, for a while, taken for normal."""
        for_s = length.total_seconds()
        names = tuple(sensors)
        self._store.ask(SensorsRequest(utterance_id="", what="learn", sensors=names, for_s=for_s))

    def false_alarm(self, anomaly_id: str) -> None:
        """Have it learnt that all was well."""
        self.acknowledge((anomaly_id,))
        self._store.ask(SensorsRequest(utterance_id="", what="false_alarm", anomaly=anomaly_id))

    def _forget_that_it_is_known(self, anomaly_id: str) -> None:
        self._store.acknowledge(anomaly_id, False)
        self._telling.look_at_s = 0.0

    def _take(self, anomaly: Anomaly) -> None:
        before = self._store.get(anomaly.id)
        if before is not None and (anomaly.over is None or before.anomaly.over is not None):
            return  # it came twice
        self._store.put(anomaly)
        if before is not None:
            self._telling.ends(before, anomaly)
        elif anomaly.over is not None:
            self._telling.was(anomaly)
        else:
            self._telling.begins(anomaly, self._at_s)

    def _is_muted(self, sensor: str) -> bool:
        return self.muted(sensor) is not None

    def _known(self, kept: Sequence[Kept]) -> tuple[Noticed, ...]:
        """Those of sensors that are still listed."""
        return tuple(one for one in kept if one.anomaly.sensor in self.described.by_id)


def _key(sensor: str) -> str:
    return f"{MUTE} {sensor}"
