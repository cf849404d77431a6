"""Timers that survive `kill -9` and a reboot, and ring until they have been heard.

1. A timer is a row from before it is acknowledged until its ring was played to the end.
2. Within one boot, CLOCK_BOOTTIME says when it is due. After a reboot the wall clock does. As a
   board without a battery boots with a wrong clock, a timer then rings at the latest after the time
   that it had left when set.
3. A ring is a reply to be heard once, named after the timer and its end: `timer-ID-END`. It is
   given again, under the same name, until `PlaybackEnded` says that it was heard.
4. Playback takes each sentence of a waiting or playing ring once, and writes the ring's name to the
   disk before it reports that it was heard. When such a ring comes again, it only reports that
   again.

So whichever process is killed, and whenever:

| killed       | while                              | then                                       |
|--------------|------------------------------------|--------------------------------------------|
| skills       | a ring is made, waits or plays     | it comes again at once, and is not taken   |
| skills       | it hears that the ring was heard   | it comes again, and that is reported again |
| voice        | it makes the ring's sound          | it comes again, and its rest is taken      |
| audio        | the ring waits or plays            | it comes again and is played               |
| audio, all   | the ring's name is on the disk     | it comes again, and is reported as heard   |

A timer that is given another end while it rings has another ring: what playback reports or
remembers of the first does not count for the second.
"""

from __future__ import annotations

import logging
import uuid
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, timedelta
from pathlib import Path
from types import MappingProxyType

import msgspec

from assistant.core.database import Database
from assistant.core.errors import SkillError
from assistant.core.messages import RoomTimers, SpokenReply
from assistant.english.spoken import in_place, length, spoken
from assistant.skill.context import LONGEST_TIMER, MOST_TIMERS, Timer
from skills.announcements.loudspeakers import Loudspeakers
from skills.countdown import Countdown, Ending

log = logging.getLogger(__name__)

RING = "timer-"
LATE_S = 60.0
"""Seconds after the end from which a ring says that it is late."""
PATIENCE_S = 10.0
"""Seconds that the first ring waits for playback's report, beside the time to speak its words."""
LONGEST_PATIENCE_S = 60.0
SPOKEN_CHARACTERS_PER_S = 12.0
FARTHEST_S = 1e11
"""Seconds from 1970 to the year 5138; a row with a larger number was damaged on the disk."""
RUNG_S = 180.0
"""Seconds after a ring in which people may still answer it: "five more minutes"."""
NO_ROOMS: Mapping[str, str] = MappingProxyType({})
RECHECK_S = 60.0
"""Seconds after which a timer from an earlier boot checks again whether the clock was corrected."""


class _Row(Ending, frozen=True, kw_only=True):
    """A timer as stored."""

    id: str
    name: str
    duration_s: float
    paused: bool = False
    extended_s: float = 0.0
    """Time by which its end was moved since it was set."""
    area: str = ""


class _Ring(msgspec.Struct, frozen=True, kw_only=True):
    """A ring that playback has not reported; it is given again at `again_at_s`."""

    text: str
    peer: str
    """The satellite that plays it; "" for the device."""
    again_at_s: float
    patience_s: float


def create_timers(database: Database) -> None:
    """Create the table of timers."""
    database.execute(
        "CREATE TABLE timers (id TEXT PRIMARY KEY, name TEXT NOT NULL, duration_s REAL NOT NULL,"
        " span_s REAL NOT NULL, due_unix_s REAL NOT NULL, boot_id TEXT NOT NULL,"
        " due_boot_s REAL NOT NULL, paused INTEGER NOT NULL) STRICT"
    )


def create_extended(database: Database) -> None:
    """Add the column of the time by which a timer was extended."""
    database.execute("ALTER TABLE timers ADD COLUMN extended_s REAL NOT NULL DEFAULT 0")


def create_timer_areas(database: Database) -> None:
    """Add the column of the room that a timer is for."""
    database.execute("ALTER TABLE timers ADD COLUMN area TEXT NOT NULL DEFAULT ''")


def this_boot() -> str:
    """The kernel's id of the current boot."""
    return Path("/proc/sys/kernel/random/boot_id").read_text("ascii").strip()


class TimerScheduler:
    """The `Timers` of the skills; `at_s`, CLOCK_BOOTTIME, is set by the stage before each use.

    A ring says the room of a timer that is for one of the `rooms`, given as id → name; where one of
    the `loudspeakers` is there, it rings there instead.
    """

    def __init__(
        self,
        database: Database,
        now: Callable[[], datetime],
        boot_id: str,
        plausible: Callable[[], bool] = lambda: True,
        rooms: Mapping[str, str] = NO_ROOMS,
        loudspeakers: Loudspeakers | None = None,
    ) -> None:
        self._rooms, self._loudspeakers = rooms, loudspeakers or Loudspeakers()
        self._countdown = Countdown(now, boot_id, plausible)
        self._database = database
        self._now = now
        self._rings: dict[str, _Ring] = {}
        self._heard: set[str] = set()
        self._damaged: set[str] = set()
        self.last: Timer | None = None
        """The timer that started, rang or was cancelled last."""
        self._rung_at_s = -RUNG_S

    @property
    def at_s(self) -> float:
        """The present, in seconds of CLOCK_BOOTTIME."""
        return self._countdown.at_s

    @at_s.setter
    def at_s(self, at_s: float) -> None:
        self._countdown.at_s = at_s

    def start(self, duration: timedelta, name: str = "", area: str = "") -> Timer:
        """Start a timer; raises `SkillError` for no duration, a too long one, or one too many."""
        length_s = duration.total_seconds()
        if length_s <= 0:
            raise SkillError("timer.duration", "a timer must last longer than nothing")
        _require_not_too_long(length_s)
        place = len(self._rows()) + 1
        if place > MOST_TIMERS:
            raise SkillError("timer.too_many", f"there are {MOST_TIMERS} timers already")
        row = _Row(id=uuid.uuid4().hex, name=name, duration_s=length_s, area=area)
        row = self._ending(row, length_s)
        self._write(row)
        self.last = self._timer(row, place)
        return self.last

    def restore(self, timer: Timer) -> None:
        """Put back a timer, cancelled or changed since, with the time that it had left."""
        extended = timer.elapsed + timer.remaining - timer.duration
        row = _Row(
            id=timer.id,
            name=timer.name,
            duration_s=timer.duration.total_seconds(),
            extended_s=extended.total_seconds(),
            area=timer.area,
        )
        restored = self._ending(row, timer.remaining.total_seconds(), timer.paused)
        self._write(restored)
        self.last = self._timer(restored)

    def all(self) -> tuple[Timer, ...]:
        """Every timer whose ring has not been heard, the next due first."""
        placed = enumerate(self._rows(), start=1)
        by_end = sorted(placed, key=lambda one: self._remaining_s(one[1]))
        return tuple(self._timer(row, place) for place, row in by_end)

    @property
    def rung(self) -> Timer | None:
        """The timer that rings, or rang a few minutes ago at most; None for none."""
        if self.last is None or not self.last.ringing:
            return None
        return self.last if self.at_s - self._rung_at_s < RUNG_S else None

    def cancel(self, timer_id: str) -> None:
        """Remove a timer, ringing or not."""
        row = next((row for row in self._rows() if row.id == timer_id), None)
        if row is not None and row.id not in self._rings:
            self.last = self._timer(row)
        self._database.execute("DELETE FROM timers WHERE id = ?", timer_id)
        self._rings.pop(timer_id, None)
        self._countdown.forget(timer_id)

    def extend(self, timer_id: str, by: timedelta) -> Timer:
        """Move a timer's end, to now at the earliest and a year ahead at the latest."""
        row = self._row(timer_id)
        before_s = self._remaining_s(row)
        left_s = max(0.0, before_s + by.total_seconds())
        _require_not_too_long(left_s)
        extended_s = row.extended_s + left_s - before_s
        row = msgspec.structs.replace(row, extended_s=extended_s)
        moved = self._ending(row, left_s, row.paused)
        self._write(moved)
        return self._timer(moved)

    def rename(self, timer_id: str, name: str) -> None:
        """Give a timer another name; "" takes its name away."""
        self._database.execute("UPDATE timers SET name = ? WHERE id = ?", name, timer_id)
        if self.last is not None and self.last.id == timer_id:
            self.last = msgspec.structs.replace(self.last, name=name)

    def ring_in(self, timer_id: str, area: str) -> None:
        """Let a timer ring in another room; one that rings, or has just rung, rings there now."""
        rung = (self.rung,) if self.rung is not None else ()
        ringing = (timer for timer in (*rung, *self.all()) if timer.ringing)
        if (timer := next((one for one in ringing if one.id == timer_id), None)) is not None:
            # Its end is now, so that this is another ring than the one that was begun elsewhere.
            self.restore(msgspec.structs.replace(timer, area=area, remaining=timedelta(0)))
            return
        self._row(timer_id)
        self._database.execute("UPDATE timers SET area = ? WHERE id = ?", area, timer_id)
        if self.last is not None and self.last.id == timer_id:
            self.last = msgspec.structs.replace(self.last, area=area)

    def pause(self, timer_id: str) -> None:
        """Keep what is left of a timer's time."""
        self._pause(self._row(timer_id), True)

    def resume(self, timer_id: str) -> None:
        """Let a paused timer continue."""
        self._pause(self._row(timer_id), False)

    def heard(self, utterance_id: str) -> None:
        """Note that playback has played a reply; if it was a ring, remove that timer."""
        if not utterance_id.startswith(RING):
            return
        # It is noted even if the disk write fails: the timer must not ring again.
        self._heard.add(utterance_id)
        with self._database.transaction():
            for row in self._stored():
                if _ring_of(row) in self._heard:
                    self.cancel(row.id)
        self._heard.clear()

    def rings(self) -> Iterator[SpokenReply | RoomTimers]:
        """The rings to be played now, and what other rooms are to know of their timers."""
        for row in self._rows():
            if not row.paused and self._countdown.is_outdated(row):
                self._write(self._ending(row, self._remaining_s(row)))
        for row in self._rows():
            ring = self._rings.get(row.id)
            if row.paused or self._remaining_s(row) > 0 or (ring and ring.again_at_s > self.at_s):
                continue
            peer = self._loudspeakers.peer(row.area)
            text = ring.text if ring and ring.peer == peer else self._words(row, bool(peer))
            patience_s = (
                min(2 * ring.patience_s, LONGEST_PATIENCE_S)
                if ring
                else PATIENCE_S + len(text) / SPOKEN_CHARACTERS_PER_S
            )
            self._rings[row.id] = _Ring(
                text=text, peer=peer, again_at_s=self.at_s + patience_s, patience_s=patience_s
            )
            self.last, self._rung_at_s = self._timer(row), self.at_s
            yield SpokenReply(
                utterance_id=_ring_of(row), text=text, once=True, area=row.area, peer=peer
            )
        yield from self._loudspeakers.timers(self.all)

    def deadline_s(self) -> float | None:
        """When `rings` must be called next; 0.0 while the time is not yet known."""
        running = [row for row in self._rows() if not row.paused]
        if not self.at_s:
            return 0.0 if running else None
        return min((self._next_s(row) for row in running), default=None)

    def _next_s(self, row: _Row) -> float:
        if row.id in self._rings:
            return self._rings[row.id].again_at_s
        left_s = self._remaining_s(row)
        known = self._countdown.is_of_this_boot(row)
        return self.at_s + (left_s if known else min(left_s, RECHECK_S))

    def _remaining_s(self, row: _Row) -> float:
        if row.paused:
            return row.span_s
        return self._countdown.left_s(row.id, row)

    def _words(self, row: _Row, there: bool) -> str:
        """What a ring says: where it is said in the timer's room itself, not which room that is."""
        called = self._called(row, "" if there else row.area)
        now = self._now()
        due = datetime.fromtimestamp(row.due_unix_s, now.tzinfo)
        late_s = 0.0
        if self._countdown.is_of_this_boot(row):
            late_s = self.at_s - row.due_boot_s
        elif self._countdown.plausible:
            late_s = now.timestamp() - row.due_unix_s
        if late_s < LATE_S:
            return f"Your {called} is done."
        ago = length(timedelta(minutes=late_s // 60))
        return f"Your {called} was due {_when(due, now)}, {ago} ago."

    def _called(self, row: _Row, area: str) -> str:
        room = f" {in_place(self._rooms[area])}" if area in self._rooms else ""
        if row.name:
            return f"{row.name} timer{room}"
        return f"timer for {length(timedelta(seconds=row.duration_s))}{room}"

    def _ending(self, row: _Row, left_s: float, paused: bool = False) -> _Row:
        """The same timer with a new end, `left_s` from now."""
        ending = msgspec.structs.asdict(self._countdown.ending(left_s))
        return msgspec.structs.replace(row, paused=paused, **ending)

    def _pause(self, row: _Row, paused: bool) -> None:
        self._write(self._ending(row, max(0.0, self._remaining_s(row)), paused))

    def _timer(self, row: _Row, place: int = 0) -> Timer:
        left_s = max(0.0, self._remaining_s(row))
        return Timer(
            id=row.id,
            name=row.name,
            duration=timedelta(seconds=row.duration_s),
            remaining=timedelta(seconds=left_s),
            paused=row.paused,
            ringing=row.id in self._rings,
            elapsed=timedelta(seconds=max(0.0, row.duration_s + row.extended_s - left_s)),
            place=place,
            area=row.area,
        )

    def _write(self, row: _Row) -> None:
        self._rings.pop(row.id, None)
        self._countdown.forget(row.id)
        # A row that is replaced would move to the end: the rows' order is that of the starts.
        columns = _Row.__struct_fields__
        values, changes = "?" * len(columns), (f"{c} = excluded.{c}" for c in columns)
        statement = (
            f"INSERT INTO timers ({', '.join(columns)}) VALUES ({', '.join(values)})"  # noqa: S608
            f" ON CONFLICT (id) DO UPDATE SET {', '.join(changes)}"
        )
        self._database.execute(statement, *msgspec.structs.astuple(row))

    def _row(self, timer_id: str) -> _Row:
        found = [row for row in self._rows() if row.id == timer_id]
        if not found:
            raise SkillError("timer.unknown", "that timer is no more")
        return found[0]

    def _rows(self) -> list[_Row]:
        """Every timer but those that were heard and could not be removed, the oldest first."""
        return [row for row in self._stored() if _ring_of(row) not in self._heard]

    def _stored(self) -> list[_Row]:
        columns = ", ".join(_Row.__struct_fields__)
        query = f"SELECT {columns} FROM timers ORDER BY rowid"  # noqa: S608 - our own names
        rows = self._database.execute(query)
        fields = (dict(zip(_Row.__struct_fields__, row, strict=True)) for row in rows)
        stored = [msgspec.convert(each, _Row, strict=False) for each in fields]
        return [row for row in stored if self._is_sound(row)]

    def _is_sound(self, row: _Row) -> bool:
        """Whether the row is valid; a damaged one stays as it is, and only that timer is lost."""
        numbers = (row.duration_s, row.span_s, row.due_unix_s, row.due_boot_s, row.extended_s)
        if all(abs(number) < FARTHEST_S for number in numbers):
            return True
        if row.id not in self._damaged:
            self._damaged.add(row.id)
            log.error("a timer's row is damaged and is passed over (timer.damaged)")
        return False


def _require_not_too_long(length_s: float) -> None:
    if length_s > LONGEST_TIMER.total_seconds():
        raise SkillError("timer.duration", "a timer can run for a year at most")


def _ring_of(row: _Row) -> str:
    return f"{RING}{row.id}-{row.due_unix_s * 1000:.0f}"


def _when(due: datetime, now: datetime) -> str:
    clock = spoken(due.timetz(), now)
    return f"at {clock}" if due.date() == now.date() else spoken(due, now)
