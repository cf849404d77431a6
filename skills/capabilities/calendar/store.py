"""The calendar of the skills: a change is kept in `state.db` with its turn, and then in its file.

A changed event is a row from the turn that changes it until the file holds it; what is read is the
file with these rows over it. So whenever the process is killed, the file is whole, and what was
acknowledged is written there by the next one:

| killed while                             | the change                                   |
|------------------------------------------|----------------------------------------------|
| the turn is not committed                | was never made                               |
| it is committed, and the file is as it was | is written from its row                    |
| the file is replaced, and the row is left | is written again, which changes nothing     |
"""

from __future__ import annotations

import logging
import uuid
from collections.abc import Callable, Mapping, Set
from contextlib import suppress
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path
from threading import Thread

import msgspec

from assistant.core.calendar.recurrence import FAULTS
from assistant.core.calendar.series import LONGEST_RULE, Effort, RuleError
from assistant.core.database import Database
from assistant.core.errors import SkillError
from assistant.skill.plans import LONGEST_TITLE, CalendarEvent
from assistant.skill.reply import Undo
from skills.capabilities.calendar.collected import mark_removed
from skills.capabilities.calendar.events import KEPT, moved, times_of, without, written
from skills.capabilities.calendar.file import CalendarFile
from skills.capabilities.calendar.text import EMPTY, alone, blocks_of, events_in, with_events
from skills.later.plan import AtTime
from skills.later.timing import Timing
from skills.later.wording import day_in_words, in_words

RESTORE = "calendar.restore"
AGAIN_S = 60.0
"""Seconds until a file that could not be written is tried again."""
MOST_EVENTS = 5000
"""Most events to which another is added."""
HORIZONS = (timedelta(0), timedelta(days=60), timedelta(days=400), timedelta(days=4000))
"""How far ahead the next time of an event is searched for, one after the other."""
READ_AT_ONCE = 100_000
"""Most characters of new events that are read while somebody waits, some 0.2 s of work."""
READ_WITHIN_S = 0.5
"""Seconds that are waited for the reading of more."""
LONGEST_UID = 80
"""Most characters of an event's UID in the log."""
UNWRITTEN = "I couldn't write to your calendar yet. I keep what you said, and try again."

log = logging.getLogger(__name__)


def create_calendar_changes(database: Database) -> None:
    """Create the table of changed events as iCalendar text, "" for one that is removed."""
    database.execute(
        "CREATE TABLE calendar_changes (uid TEXT PRIMARY KEY, text TEXT NOT NULL) STRICT"
    )


class StoredCalendar:
    """The `Calendar` of the skills in the file at `path`; without one it is kept in `database`.

    The present is that of `timing`; `announce` tells the user, unasked, that the file cannot be
    written.
    """

    def __init__(
        self,
        database: Database,
        path: Path | None,
        timing: Timing,
        announce: Callable[[str], object],
    ) -> None:
        self._database, self._timing, self._announce = database, timing, announce
        self._file = CalendarFile(path) if path is not None else None
        self._warned = False
        self._again_s: float | None = None
        self._reader: Thread | None = None
        self._read = frozenset[str]()
        """The texts that were read."""
        self._left_out: dict[str, str] = {}
        """UID → the text of each event that cannot be followed."""

    @property
    def left_out(self) -> Set[str]:
        """UIDs of the events that cannot be followed."""
        return self._left_out.keys()

    # ── what skills do ──────────────────────────────────────────────────────────────────────
    def coming(self) -> tuple[CalendarEvent, ...]:
        """Every event that is not over, at its next time, the next first."""
        effort, held = Effort(), self._readable()
        found = (self._next(uid, text, effort) for uid, text in held.items())
        return tuple(map(self._told, sorted(filter(None, found), key=_order)))

    def between(self, since: datetime, until: datetime) -> tuple[CalendarEvent, ...]:
        """Every event of that period at each of its times, in order."""
        zone = self._timing.now.tzinfo
        span = since.astimezone(zone), until.astimezone(zone)
        effort, held = Effort(), self._readable()
        found = (time for one in held.items() for time in self._times(*one, *span, effort))
        return tuple(map(self._told, sorted(found, key=_order)))

    def add(
        self,
        title: str,
        starts: datetime,
        ends: datetime,
        *,
        whole_days: bool = False,
        rule: str = "",
    ) -> CalendarEvent:
        """Add an event; raises `SkillError` for one too many, or one that cannot be."""
        too_long = len(title) > LONGEST_TITLE or len(rule) > LONGEST_RULE
        if not title.strip() or too_long or ends < starts:
            raise SkillError("calendar.event", "I can't put that in a calendar.")
        if len(self.held()) >= MOST_EVENTS:
            raise SkillError("calendar.full", f"Your calendar has {MOST_EVENTS} events already.")
        made = CalendarEvent(
            id=str(uuid.uuid4()),
            title=title,
            starts=self._here(starts),
            ends=self._here(ends),
            whole_days=whole_days,
            rule=rule,
        )
        text = written(made.id, made, self._timing.now)
        try:
            self.require_days(made.id, text, Effort())
        except RuleError as error:
            raise SkillError("calendar.event", "I can't put that in a calendar.") from error
        self._put(made.id, text)
        return self._told(made)

    def move(
        self, event: CalendarEvent, starts: datetime, ends: datetime, *, every: bool = False
    ) -> Undo:
        """Give an event another time, and return the undo."""
        before, here = self._text(event), (self._here(starts), self._here(ends))
        self._put(event.id, moved(before, self._known(event), *here, every, self._timing.now))
        return Undo(RESTORE, event.id, before)

    def remove(self, event: CalendarEvent, *, every: bool = False) -> Undo:
        """Remove an event, and return the undo."""
        before = self._text(event)
        self._put(event.id, without(before, self._known(event), every, self._timing.now))
        return Undo(RESTORE, event.id, before)

    def take_back(self, undo: Undo) -> None:
        """Give an event the text that it had; an undo of a skill's may be made up."""
        before = str(undo.value)
        try:
            known = events_in(with_events(EMPTY, {undo.id: before}))
        except ValueError:
            known = {"": before}
        if set(known) != ({undo.id} if before else set()):
            raise SkillError("skill.undo", "an undo of the calendar is no event")
        self._put(undo.id, before)

    # ── what a collection elsewhere needs ───────────────────────────────────────────────────
    def held(self) -> dict[str, str]:
        """UID → the text of each event; raises `SkillError` where the file cannot be read."""
        held = self._file.events() if self._file is not None else {}
        changed = {**held, **{u: "".join(blocks_of(text)) for u, text in self._changes().items()}}
        return {uid: text for uid, text in changed.items() if text}

    def alone(self, event: str) -> str:
        """A calendar with an event alone."""
        return alone(event, self._file.text() if self._file is not None else EMPTY)

    def take(self, uid: str, text: str) -> None:
        """Take over an event as it is elsewhere, after the zones that it defines; "" removes it."""
        self._database.execute("INSERT OR REPLACE INTO calendar_changes VALUES (?, ?)", uid, text)

    def next_time(self, uid: str, text: str) -> CalendarEvent | None:
        """The next time of an event, told in words; None where it is over."""
        found = self._next(uid, text, Effort())
        return self._told(found) if found is not None else None

    def require_days(self, uid: str, text: str, effort: Effort) -> None:
        """Raise `RuleError` where an event's rule gives no days."""
        now = self._timing.now
        list(times_of(uid, text, now, now + HORIZONS[1], effort))

    # ── what the stage does ─────────────────────────────────────────────────────────────────
    def begin(self) -> None:
        """Make the file where there is none: from now on it is known that it has nothing."""
        if self._file is not None:
            with suppress(OSError):  # a change that cannot be written is told of
                self._file.begin()

    def write(self, at_s: float) -> bool:
        """Write to the file what it does not hold yet; whether there was something to write.

        Where that fails it is told once, and tried again after a while.
        """
        if self._file is None or (self._again_s or 0.0) > at_s:
            return False
        changes = self._changes()
        self._again_s = None
        if not changes:
            return False
        try:
            self._file.replace(with_events(self._file.text(), changes))
        except (OSError, SkillError) as error:
            self._again_s = at_s + AGAIN_S
            if not self._warned:
                self._warned = True
                log.error("the calendar is not written: %s (calendar.unwritten)", error)
                self._announce(UNWRITTEN)
            return False
        self._warned = False
        with self._database.uncounted(), self._database.transaction():
            for change in changes.items():
                self._database.execute(
                    "DELETE FROM calendar_changes WHERE uid = ? AND text = ?", *change
                )
        return True

    def deadline_s(self) -> float | None:
        """When `write` must be called next; None while nothing waits."""
        return self._again_s

    def _readable(self) -> dict[str, str]:
        """UID → the text of each event; raises `SkillError` until all are read."""
        held = self.held()
        new = {uid: text for uid, text in held.items() if text not in self._read}
        if self._reader is not None or sum(map(len, new.values())) > READ_AT_ONCE:
            if self._reader is None:
                args = (new, self._timing.now)
                self._reader = Thread(target=self._read_ahead, args=args, daemon=True)
                self._reader.start()
            self._reader.join(READ_WITHIN_S)
            if self._reader.is_alive():
                raise SkillError("calendar.reading", "I'm still reading your calendar.")
            self._reader = None
        if (texts := frozenset(held.values())) != self._read:
            self._read = texts
            KEPT.forget_others(texts)
        self._left_out = {u: text for u, text in self._left_out.items() if u in held}
        return held

    def _read_ahead(self, held: Mapping[str, str], now: datetime) -> None:
        """Read events and follow their rules once, so that what is asked for later need not."""
        effort = Effort()
        for uid, text in held.items():
            self._times(uid, text, now, now + HORIZONS[1], effort)

    def _next(self, uid: str, text: str, effort: Effort) -> CalendarEvent | None:
        now = self._timing.now
        for near, far in pairwise(HORIZONS):
            found = sorted(self._times(uid, text, now + near, now + far, effort), key=_order)
            if found:
                return found[0]
        return None

    def _times(
        self, uid: str, text: str, since: datetime, until: datetime, effort: Effort
    ) -> list[CalendarEvent]:
        """The times of an event; of one that cannot be followed none, which is logged once."""
        if self._left_out.get(uid) == text:
            return []
        try:
            return list(times_of(uid, text, since, until, effort))
        except FAULTS as error:
            why = error if isinstance(error, RuleError) else type(error).__name__
            log.warning("the event %a is left out: %s (calendar.event)", uid[:LONGEST_UID], why)
            self._left_out[uid] = text
            return []

    def _known(self, event: CalendarEvent) -> CalendarEvent:
        """An event as a skill hands it back, with the zone of the home."""
        starts, ends = self._here(event.starts), self._here(event.ends)
        return CalendarEvent(
            id=event.id, title=event.title, starts=starts, ends=ends, whole_days=event.whole_days
        )

    def _told(self, event: CalendarEvent) -> CalendarEvent:
        """The event with its time in words."""
        due = AtTime(local=event.starts.replace(tzinfo=None), rule=event.rule)
        then = in_words(due, self._timing)
        if event.whole_days:
            then = day_in_words(event.starts.date(), event.rule, self._timing.now)
        return msgspec.structs.replace(event, then=then)

    def _here(self, moment: datetime) -> datetime:
        return moment.astimezone(self._timing.now.tzinfo)

    def _text(self, event: CalendarEvent) -> str:
        text = self.held().get(event.id, "")
        if not text:
            raise SkillError("calendar.unknown", "That is no more.")
        return text

    def _put(self, uid: str, text: str) -> None:
        if self._file is not None:
            self._file.require_writable()
        self.take(uid, text)
        mark_removed(self._database, uid, not text)

    def _changes(self) -> dict[str, str]:
        return dict(self._database.execute("SELECT uid, text FROM calendar_changes"))


def _order(event: CalendarEvent) -> tuple[datetime, str]:
    return event.starts, event.title
