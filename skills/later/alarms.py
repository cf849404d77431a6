"""Alarms: kept on the disk, said at their time, and given again until they were heard.

A ring is a reply named after the alarm, its time and its number, so that playback says each once,
as it does a timer's. An alarm that insists rings again a while after it was heard, until somebody
interrupts it or says something about it.

| when it is due         | then                                                      |
|------------------------|-----------------------------------------------------------|
| now                    | it rings                                                  |
| for a while            | it rings, and says when it was due                        |
| for an hour, or longer | the same, once only: it is too late to wake anybody       |
| by a clock not trusted | it waits until the clock is                               |

What recurs rings once, however often it was missed.
"""

from __future__ import annotations

import logging
import math
import uuid
from collections.abc import Iterator
from datetime import UTC, time, timedelta

import msgspec

from assistant.core.database import Database
from assistant.core.errors import SkillError
from assistant.core.messages import SpokenReply, When
from assistant.english.spoken import length, spoken
from assistant.skill.plans import AT, LONGEST_WORDS, MOST_ALARMS, Alarm
from assistant.skill.reply import Undo
from skills.announcements.loudspeakers import Loudspeakers
from skills.later.plan import AtTime, Due
from skills.later.timing import LONGEST, Timing
from skills.later.wording import clock_of, in_words
from skills.scheduler import LONGEST_PATIENCE_S, PATIENCE_S, RUNG_S, SPOKEN_CHARACTERS_PER_S

RING = "alarm-"
LATE_S = 60.0
"""Seconds after its time from which an alarm says that it is late."""
LATEST_S = 3600.0
"""Seconds after its time from which an alarm that insists rings only once."""
EVERY_S = 30.0
"""Seconds from the end of a ring to the next of one that insists."""
MOST_RINGS = 12
"""Most rings of one that insists: for six minutes or more."""
RECHECK_S = 60.0
"""Most seconds until the wall clock is looked at again, which may have been set."""
CANCEL, RESTORE, RING_IN = "alarms.cancel", "alarms.restore", "alarms.ring_in"

log = logging.getLogger(__name__)


class _Row(msgspec.Struct, frozen=True, kw_only=True):
    """An alarm as stored."""

    id: str
    kind: str
    name: str
    words: str
    due: Due
    insists: bool = False
    heard: int = 0
    """How many of its rings were heard since it was due."""
    area: str = ""


def create_alarms(database: Database) -> None:
    """Create the table of alarms; `alarm` is a `_Row` as JSON."""
    database.execute("CREATE TABLE alarms (id TEXT PRIMARY KEY, alarm TEXT NOT NULL) STRICT")


class StoredAlarms:
    """The `Alarms` of the skills; the present is that of `timing`.

    An alarm rings in its room where one of the `loudspeakers` is there, else at the device.
    """

    def __init__(self, database: Database, timing: Timing, loudspeakers: Loudspeakers) -> None:
        self._database, self._timing, self._loudspeakers = database, timing, loudspeakers
        self._again: dict[str, tuple[float, float]] = {}
        """Ring → when it is given again, and how long was waited for it."""
        self._heard: set[str] = set()
        """Rings that were heard, which could not be noted on the disk."""
        self._rests_until_s: dict[str, float] = {}
        """Alarm that insists → when it rings again."""
        self._damaged: set[str] = set()
        self._last: _Row | None = None
        """The one that rang last."""
        self._last_s = -math.inf

    # ── what skills do ──────────────────────────────────────────────────────────────────────
    def set(
        self,
        when: When,
        words: str,
        *,
        kind: str = "alarm",
        name: str = "",
        at: time | None = None,
        insists: bool = False,
        area: str = "",
    ) -> Alarm:
        """Keep an alarm; raises `SkillError` for no such time, too many, or too many words."""
        if len(self._rows()) >= MOST_ALARMS:
            raise SkillError("alarm.too_many", f"You have {MOST_ALARMS} of these already.")
        _require_short(words, name, kind)
        due = self._timing.first(when, at)
        row = _Row(
            id=uuid.uuid4().hex,
            kind=kind,
            name=name,
            words=words,
            due=due,
            insists=insists,
            area=area,
        )
        self._put(row)
        return self._alarm(row)

    def all(self) -> tuple[Alarm, ...]:
        """Every alarm, the next first."""
        alarms = (self._alarm(row) for row in self._rows())
        return tuple(sorted(alarms, key=lambda alarm: alarm.at.astimezone(UTC)))

    @property
    def rung(self) -> Alarm | None:
        """The one that rings, or rang a few minutes ago at most; None for none."""
        known = self._last is not None and self._timing.countdown.at_s - self._last_s < RUNG_S
        return self._alarm(self._last) if known and self._last is not None else None

    def move(self, alarm_id: str, when: When, *, at: time | None = None) -> Undo:
        """Give an alarm another time; raises `SkillError` for no such time."""
        row = self._row(alarm_id)
        due = self._timing.first(when, at)
        self._put(msgspec.structs.replace(row, due=due, heard=0))
        return _restoring(row)

    def ring_in(self, alarm_id: str, area: str) -> Undo:
        """Let an alarm ring in another room; one that rings, or has just rung, rings there now."""
        rung = self._last if self.rung is not None else None
        ringing = any(row.id == alarm_id and self._is_due(row) for row in self._rows())
        if rung is not None and rung.id == alarm_id and not ringing:
            return self._again_after(rung, 0.0, area)
        row = self._row(alarm_id)
        self._place(row, area)
        return Undo(RING_IN, alarm_id, row.area)

    def skip(self, alarm_id: str) -> Undo:
        """Let an alarm that recurs ring only the time after the next."""
        row = self._row(alarm_id)
        after = row.due.local if isinstance(row.due, AtTime) else None
        following = self._timing.following(row.due)
        if after is None or following is None:
            raise SkillError("alarm.once", "That is only once.")
        self._put(msgspec.structs.replace(row, due=following, heard=0))
        return _restoring(row)

    def snooze(self, alarm_id: str, after: timedelta) -> Undo:
        """Let the one that rings, or rang last, ring again after a while."""
        if not timedelta(0) < after <= LONGEST:
            raise SkillError("alarm.snooze", "I can't wait for that long.")
        stored = [row for row in self._rows() if row.id == alarm_id]
        rung = self._last if self._last is not None and self._last.id == alarm_id else None
        row = stored[0] if stored else rung
        if row is None:
            raise SkillError("alarm.unknown", "That is no more.")
        if stored and self._is_due(row):
            self._over(row)
        return self._again_after(row, after.total_seconds(), row.area)

    def silence(self) -> tuple[Alarm, ...]:
        """End the ringing of all that ring."""
        ringing = [row for row in self._rows() if self._is_due(row)]
        alarms = tuple(map(self._alarm, ringing))
        for row in ringing:
            self._over(row)
        self._last = None
        return alarms

    def cancel(self, alarm_id: str) -> Undo:
        """Forget an alarm."""
        row = self._row(alarm_id)
        self._remove(row.id)
        return _restoring(row)

    def take_back(self, undo: Undo) -> None:
        """Take back what was done to an alarm; an undo of a skill's may be made up."""
        if undo.operation == CANCEL:
            self._remove(undo.id)
            return
        if undo.operation == RING_IN:
            for row in self._rows():
                if row.id == undo.id:
                    self._place(row, str(undo.value))
            return
        row = msgspec.json.decode(str(undo.value), type=_Row)
        _require_short(row.words, row.name, row.kind)
        if len(self._rows()) < MOST_ALARMS or any(one.id == row.id for one in self._rows()):
            self._put(row)

    # ── what the stage does ─────────────────────────────────────────────────────────────────
    @property
    def waits_for_clock(self) -> bool:
        """Whether an alarm waits for a clock that can be trusted."""
        return any(self._left_s(row) == math.inf for row in self._rows())

    def follow(self, put_back: bool) -> None:
        """Set when alarms are due by a clock that was set, perhaps back, or is trusted only now."""
        for row in self._rows():
            due = self._timing.followed(row.due, put_back)
            if due != row.due:
                self._put(msgspec.structs.replace(row, due=due))

    def rings(self, at_s: float) -> Iterator[SpokenReply]:
        """The rings to be played now."""
        for row in self._rows():
            if not self._is_due(row) or self._next_s(row, at_s) > at_s:
                continue
            ring, words = self._ring(row), self._words(row)
            _, waited_s = self._again.get(ring, (at_s, 0.0))
            first_s = PATIENCE_S + len(words) / SPOKEN_CHARACTERS_PER_S
            patience_s = min(2 * waited_s, LONGEST_PATIENCE_S) or first_s
            self._again[ring] = at_s + patience_s, patience_s
            self._last, self._last_s = row, at_s
            peer = self._loudspeakers.peer(row.area)
            yield SpokenReply(utterance_id=ring, text=words, once=True, area=row.area, peer=peer)

    def heard(self, utterance_id: str, interrupted: bool) -> None:
        """Note that playback has played a reply; if it was the ring of an alarm, that is over.

        One that insists goes on, unless somebody has `interrupted` it.
        """
        if not utterance_id.startswith(RING):
            return
        # It is noted even if the disk write fails: the same ring must not come again.
        self._heard.add(utterance_id)
        self._last_s = self._timing.countdown.at_s
        with self._database.transaction():
            for row in self._stored():
                if self._ring(row) not in self._heard:
                    continue
                late = -self._left_s(row) > LATEST_S
                if row.insists and row.heard + 1 < MOST_RINGS and not (interrupted or late):
                    self._put(msgspec.structs.replace(row, heard=row.heard + 1))
                    self._rests_until_s[row.id] = self._timing.countdown.at_s + EVERY_S
                else:
                    self._over(row)
        self._heard.clear()

    def deadline_s(self, at_s: float) -> float | None:
        """When `rings` must be called next; 0.0 while the time is not yet known."""
        rows = self._rows()
        if not at_s:
            return 0.0 if rows else None
        return min((self._next_s(row, at_s) for row in rows), default=None)

    def _next_s(self, row: _Row, at_s: float) -> float:
        """When to look at an alarm next; not after `at_s` where it is to ring now."""
        left_s = self._left_s(row)
        if left_s > 0:
            return at_s + (left_s if self._timing.is_sure(row.due) else min(left_s, RECHECK_S))
        again_at_s, _ = self._again.get(self._ring(row), (at_s, 0.0))
        return max(again_at_s, self._rests_until_s.get(row.id, at_s))

    def _words(self, row: _Row) -> str:
        late_s, now = -self._left_s(row), self._timing.now
        due = self._timing.moment(row.due).astimezone(now.tzinfo)
        words = row.words.replace(AT, spoken(due.timetz(), now))
        if late_s < LATE_S + row.heard * (EVERY_S + LONGEST_PATIENCE_S):
            return words
        ago = length(timedelta(minutes=late_s // 60))
        return f"{words} It was due {clock_of(due, now)}, {ago} ago."

    def _place(self, row: _Row, area: str) -> None:
        if self._is_due(row):
            # Its number goes up, so that this is another ring than the one begun elsewhere.
            self._put(msgspec.structs.replace(row, area=area, heard=row.heard + 1))
        else:
            self._write(msgspec.structs.replace(row, area=area))

    def _again_after(self, row: _Row, after_s: float, area: str) -> Undo:
        """Let what has rung ring again after a while, in an area, and return the undo."""
        due = self._timing.after(after_s)
        again = msgspec.structs.replace(row, id=uuid.uuid4().hex, due=due, heard=0, area=area)
        self._put(again)
        self._last = None
        return Undo(CANCEL, again.id)

    def _over(self, row: _Row) -> None:
        """End what an alarm rings for: it is set to its next time, or forgotten."""
        following = self._timing.following(row.due)
        if following is None:
            self._remove(row.id)
        else:
            self._put(msgspec.structs.replace(row, due=following, heard=0))

    def _is_due(self, row: _Row) -> bool:
        return bool(self._timing.countdown.at_s) and self._left_s(row) <= 0

    def _left_s(self, row: _Row) -> float:
        return self._timing.left_s(row.id, row.due)

    def _ring(self, row: _Row) -> str:
        due_s = self._timing.moment(row.due).timestamp()
        return f"{RING}{row.id}-{due_s:.0f}-{row.heard}"

    def _alarm(self, row: _Row) -> Alarm:
        return Alarm(
            id=row.id,
            kind=row.kind,
            name=row.name,
            at=self._timing.moment(row.due).astimezone(self._timing.now.tzinfo),
            then=in_words(row.due, self._timing, row.id),
            rule=row.due.rule if isinstance(row.due, AtTime) else "",
            held=self._left_s(row) == math.inf,
            ringing=self._is_due(row),
            area=row.area,
        )

    def _put(self, row: _Row) -> None:
        self._write(row)
        self._forget(row.id)

    def _write(self, row: _Row) -> None:
        text = msgspec.json.encode(row).decode()
        self._database.execute("INSERT OR REPLACE INTO alarms VALUES (?, ?)", row.id, text)

    def _remove(self, alarm_id: str) -> None:
        self._database.execute("DELETE FROM alarms WHERE id = ?", alarm_id)
        self._forget(alarm_id)

    def _forget(self, alarm_id: str) -> None:
        """Forget what was known in memory of an alarm that is set anew, or gone."""
        self._rests_until_s.pop(alarm_id, None)
        for ring in [ring for ring in self._again if ring.startswith(f"{RING}{alarm_id}-")]:
            del self._again[ring]
        self._timing.countdown.forget(alarm_id)

    def _row(self, alarm_id: str) -> _Row:
        found = [row for row in self._rows() if row.id == alarm_id]
        if not found:
            raise SkillError("alarm.unknown", "That is no more.")
        return found[0]

    def _rows(self) -> list[_Row]:
        """Every alarm but those whose ring was heard, which could not be noted."""
        rows = self._stored()
        return [row for row in rows if self._ring(row) not in self._heard] if self._heard else rows

    def _stored(self) -> list[_Row]:
        found = []
        for alarm_id, text in self._database.execute("SELECT id, alarm FROM alarms ORDER BY rowid"):
            try:
                found.append(msgspec.json.decode(text, type=_Row))
            except (msgspec.DecodeError, ValueError):
                if alarm_id not in self._damaged:
                    self._damaged.add(alarm_id)
                    log.error("an alarm is damaged and is passed over (alarm.damaged)")
        return found


def _require_short(*texts: str) -> None:
    if any(len(text) > LONGEST_WORDS for text in texts):
        raise SkillError("alarm.words", f"That is more than {LONGEST_WORDS} letters.")


def _restoring(row: _Row) -> Undo:
    return Undo(RESTORE, row.id, msgspec.json.encode(row).decode())
