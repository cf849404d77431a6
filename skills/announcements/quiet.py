"""When only what is urgent is said unasked: in quiet hours, and while "do not disturb" holds."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, time, timedelta
from types import MappingProxyType

import msgspec

from assistant.core.database import Database
from assistant.core.errors import SkillError
from assistant.skill.reply import Undo
from skills.later.plan import AtTime, Due
from skills.later.timing import LONGEST, Timing

SET = "do_not_disturb.set"
"""The undo's operation; its value is what was there before, as JSON."""
_NONE = ""


def create_do_not_disturb(database: Database) -> None:
    """Create the table of the one time until which nobody wants to be disturbed, as JSON."""
    database.execute(
        "CREATE TABLE do_not_disturb (id INTEGER PRIMARY KEY CHECK (id = 1), due TEXT NOT NULL)"
        " STRICT"
    )


def create_quiet_rooms(database: Database) -> None:
    """Give each room a time of its own; "" is the area where the device stands."""
    database.execute(
        "CREATE TABLE quiet_rooms (area TEXT PRIMARY KEY, due TEXT NOT NULL) STRICT, WITHOUT ROWID"
    )
    database.execute("INSERT INTO quiet_rooms SELECT '', due FROM do_not_disturb")
    database.execute("DROP TABLE do_not_disturb")


def hours_end(hours: tuple[time, time] | None, now: datetime) -> datetime | None:
    """When the quiet hours that go on end; None outside of them."""
    if hours is None:
        return None
    begin, end = hours
    today = now.replace(hour=end.hour, minute=end.minute, second=0, microsecond=0, fold=0)
    clock = now.time().replace(tzinfo=None)
    inside = begin <= clock < end if begin < end else clock >= begin or clock < end
    if not inside:
        return None
    return today if clock < end else today + timedelta(days=1)


Hours = tuple[time, time]
NO_HOURS: Mapping[str, Hours] = MappingProxyType({})


class Quiet:
    """The quiet hours, and the `DoNotDisturb` of the skills, of the room where the device stands.

    `hours` are those of areas, by their ids; those of "" hold wherever none are. `of` gives those
    of another area.
    """

    def __init__(
        self,
        database: Database,
        timing: Timing,
        hours: Mapping[str, Hours] = NO_HOURS,
        here: str = "",
        area: str = "",
    ) -> None:
        self._database, self._timing, self._every = database, timing, hours
        self._here, self._area = here, area
        self._hours = hours.get(area or here, hours.get(""))
        self._key = f"{SET} {area}" if area else SET

    def of(self, area: str) -> Quiet:
        """Those of an area, "" for the one where the device stands."""
        area = "" if area == self._here else area
        return (
            self
            if area == self._area
            else Quiet(self._database, self._timing, self._every, self._here, area)
        )

    @property
    def active(self) -> bool:
        """Whether the user has asked not to be disturbed, and this goes on."""
        return self._wished() is not None

    @property
    def until(self) -> datetime | None:
        """When that ends; None where it does not hold, or until somebody says so."""
        wished = self._wished()
        if wished is None or wished.due is None:
            return None
        return self._timing.moment(wished.due).astimezone(self._timing.now.tzinfo)

    def begin(self, duration: timedelta | None = None, until: datetime | None = None) -> Undo:
        """Disturb nobody for a while, until a time, or until somebody ends it."""
        before = self._text()
        self._put(msgspec.json.encode(_Wished(due=due_of(self._timing, until, duration))).decode())
        return Undo(SET, self._area, before)

    def end(self) -> Undo:
        """Let everything be announced again."""
        before = self._text()
        self._put(_NONE)
        return Undo(SET, self._area, before)

    def restore(self, undo: Undo) -> None:
        """Take `begin` or `end` back."""
        self.of(undo.id)._put(str(undo.value))

    def left_s(self) -> float:
        """Seconds until everything may be said again; 0 for now, infinite for nobody knows when."""
        left_s = 0.0
        if (end := hours_end(self._hours, self._timing.now)) is not None:
            left_s = (end.astimezone(UTC) - self._timing.now.astimezone(UTC)).total_seconds()
        if (wished := self._wished()) is not None:
            due = wished.due
            left_s = max(left_s, self._timing.left_s(self._key, due) if due else float("inf"))
        return max(0.0, left_s)

    def holds(self) -> bool:
        """Whether only what is urgent may be said now."""
        return self.left_s() > 0

    def _wished(self) -> _Wished | None:
        text = self._text()
        if not text:
            return None
        wished = msgspec.json.decode(text, type=_Wished)
        over = wished.due is not None and self._timing.left_s(self._key, wished.due) <= 0
        return None if over else wished

    def _text(self) -> str:
        rows = self._database.execute("SELECT due FROM quiet_rooms WHERE area = ?", self._area)
        return str(rows[0][0]) if rows else _NONE

    def _put(self, text: str) -> None:
        self._timing.countdown.forget(self._key)
        self._database.execute("INSERT OR REPLACE INTO quiet_rooms VALUES (?, ?)", self._area, text)


class _Wished(msgspec.Struct, frozen=True):
    """Until when; None until somebody says so."""

    due: Due | None


def due_of(timing: Timing, at: datetime | None, after: timedelta | None) -> Due | None:
    """A moment or a length of time as it is kept; raises `SkillError` for one that is no time."""
    if at is not None:
        if at.tzinfo is None:
            raise SkillError("skill.time", "a time has no zone")
        if at.astimezone(UTC) - timing.now.astimezone(UTC) > LONGEST:
            raise SkillError("skill.time", "a time is more than a year ahead")
        return AtTime(local=at.astimezone(timing.now.tzinfo).replace(tzinfo=None, fold=0))
    if after is None:
        return None
    if after > LONGEST:
        raise SkillError("skill.time", "a time is more than a year ahead")
    return timing.after(max(0.0, after.total_seconds()))
