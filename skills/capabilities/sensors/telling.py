"""What is said unasked of the sensors, by announcements.

| what                             | is said                                                      |
|----------------------------------|--------------------------------------------------------------|
| an anomaly begins                | once; an urgent one also in quiet hours                      |
| an urgent one goes on            | every `REPEAT_S`, in all rooms, until it is acknowledged     |
| it is over before that was heard | in its place, once, that it was                              |
| an urgent, or acknowledged, one  | that it is over, once                                        |
| is over                          |                                                              |
| more than `MOST_AT_A_TIME` wait  | of how many more sensors there is something to tell          |
| its sensor is muted              | nothing; an urgent one that still goes on is told afterwards |
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence

from assistant.core.messages import Anomaly
from assistant.core.sensors.described import Sensors
from assistant.skill.announcements import LONGEST_TEXT, MOST_WAITING, Priority
from skills.announcements.waiting import NAME, SkillAnnouncements
from skills.capabilities.sensors.store import Kept, SensorStore
from skills.later.timing import Timing
from skills.sensors.wording import as_usual, cause, further, going_on, on_day, sentence, story

REPEAT_S = 180.0
"""Seconds after which what is urgent is told again while nobody acknowledges it."""
MOST_AT_A_TIME = 5
"""Most announcements that wait while one more is told in its own words."""
MOST_REPEATED = 3
"""Most urgent anomalies that are told again in their own words; of the others, how many."""
_MOST_KNOWN = 100
_WRONG, _WELL = "not as usual", "as usual again"

log = logging.getLogger(__name__)


class Telling:
    """Announces anomalies; `muted` tells of which sensors nothing is said.

    While it is `quiet`, what is not urgent waits, so that its words tell when it began.
    """

    def __init__(
        self,
        store: SensorStore,
        announcements: SkillAnnouncements,
        described: Sensors,
        timing: Timing,
        muted: Callable[[str], bool],
        quiet: Callable[[], bool],
    ) -> None:
        self._store, self._announcements, self._described = store, announcements, described
        self._timing, self._muted, self._quiet = timing, muted, quiet
        self.look_at_s: float | None = 0.0
        """When to look for what is to be told again; 0.0 before that was looked for at all."""
        self._anomalies_of: dict[str, tuple[str, ...]] = {}
        """Announcement → the anomalies of which it tells."""
        self._repeated: list[str] = []
        self._summaries = {_WRONG: ("", 0), _WELL: ("", 0)}
        """What is told of further sensors → the announcement that tells it, and of how many."""
        self._started = ""

    def started(self, utterance_id: str) -> tuple[str, ...]:
        """The anomalies of which an announcement tells that is played now."""
        if not utterance_id.startswith(NAME):
            return ()
        self._started = utterance_id.removeprefix(NAME)
        return self._anomalies_of.get(self._started, ())

    def begins(self, anomaly: Anomaly, at_s: float) -> None:
        """Tell that an anomaly has begun, within the transaction that keeps it."""
        sensor = self._described.by_id[anomaly.sensor]
        if sensor.urgent:
            self.look_at_s = self.look_at_s or at_s + REPEAT_S
        if self._muted(anomaly.sensor):
            return
        priority: Priority = "urgent" if sensor.urgent else "normal"
        announcement = self._tell(anomaly, self._words(anomaly), priority, _WRONG)
        self._store.announce_by(anomaly.id, announcement)

    def ends(self, before: Kept, anomaly: Anomaly) -> None:
        """Tell that an anomaly is over, where that is told."""
        unheard = before.announcement in self._waiting() and before.announcement != self._started
        if unheard:
            self._announcements.cancel(before.announcement)
        if any(anomaly.id in self._anomalies_of.get(one, ()) for one in self._repeated):
            self._hush_repeated()  # of others it is said the next time
        urgent = self._described.by_id[anomaly.sensor].urgent
        if self._muted(anomaly.sensor):
            return
        if unheard:
            self.was(anomaly)
        elif urgent or before.acknowledged:
            self._tell(anomaly, as_usual(anomaly, self._described), "normal", _WELL)

    def was(self, anomaly: Anomaly) -> None:
        """Tell of an anomaly of which nothing was told before it was over."""
        if not self._muted(anomaly.sensor):
            began = on_day(anomaly.began, self._timing.now)
            words = story(anomaly, self._described, began)
            self._tell(anomaly, words, "normal", _WRONG)

    def due(self, at_s: float) -> list[Anomaly]:
        """What is urgent, not acknowledged, and to be told again now."""
        if self.look_at_s is None or at_s < self.look_at_s:
            return []
        first, self.look_at_s = not self.look_at_s, None
        urgent = [one.anomaly for one in self._store.wrong() if self._is_urgent(one)]
        if urgent:
            self.look_at_s = at_s + REPEAT_S
        if first:  # what was announced before still waits, or was just heard
            return []
        return [one for one in urgent if not self._muted(one.sensor)]

    def repeat(self, anomalies: Sequence[Anomaly]) -> None:
        """Tell anomalies again, in every room."""
        self._hush_repeated()
        words = " ".join(self._words(one, again=True) for one in anomalies[:MOST_REPEATED])
        if len(anomalies) > MOST_REPEATED:
            words += f" {further(len(anomalies) - MOST_REPEATED, _WRONG)}"
        ids = tuple(one.id for one in anomalies)
        self._repeated = [
            self._announce(ids, words, "urgent", area) for area in ("", *self._announcements.rooms)
        ]

    def hush(self, anomalies: Sequence[Kept]) -> None:
        """Say no more of these anomalies what waits to be said."""
        for one in anomalies:
            self._announcements.cancel(one.announcement)
        self._hush_repeated()

    def _hush_repeated(self) -> None:
        """Say no more what was to be told again."""
        for announcement in self._repeated:
            self._announcements.cancel(announcement)
        self._repeated = []

    def _is_urgent(self, one: Kept) -> bool:
        sensor = self._described.by_id.get(one.anomaly.sensor)
        return sensor is not None and sensor.urgent and not one.acknowledged

    def _words(self, anomaly: Anomaly, again: bool = False) -> str:
        wrong = [one.anomaly.sensor for one in self._store.wrong()]
        waits = self._quiet() and not self._described.by_id[anomaly.sensor].urgent
        now = self._timing.now
        since = (
            f" It began {on_day(anomaly.began, now)}." if waits else going_on(now - anomaly.began)
        )
        # The rule is not said again with every repetition.
        why = "" if again else cause(anomaly, self._described, wrong)
        return f"{sentence(anomaly, self._described)}{since}{why}"

    def _tell(self, anomaly: Anomaly, words: str, priority: Priority, kind: str) -> str:
        """Announce these words, or that there is one more of a kind; the announcement's id."""
        waiting = self._waiting()
        if len(waiting) < MOST_AT_A_TIME:
            return self._announce((anomaly.id,), words, priority)
        before, count = self._summaries[kind]
        count = count + 1 if before in waiting else 1
        self._announcements.cancel(before)
        self._summaries[kind] = self._announce((), further(count, kind), priority), count
        return ""

    def _announce(
        self, anomalies: tuple[str, ...], words: str, priority: Priority, area: str = ""
    ) -> str:
        if len(self._announcements.waiting()) >= MOST_WAITING:
            log.warning("too many announcements of sensors wait; one is left out (sensors.told)")
            return ""
        made = self._announcements.announce(words[:LONGEST_TEXT], priority=priority, area=area)
        self._anomalies_of[made] = anomalies
        while len(self._anomalies_of) > _MOST_KNOWN:
            self._anomalies_of.pop(next(iter(self._anomalies_of)))
        return made

    def _waiting(self) -> set[str]:
        return {one.id for one in self._announcements.waiting()}
