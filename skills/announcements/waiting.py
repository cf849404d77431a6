"""The announcements that wait: kept on the disk, and given when nobody is disturbed by them.

An announcement is a row from the turn that makes it until it was played to its end. Like a timer's
ring it is given again, under the same name, until playback says that it was heard, and playback
plays it once.

| priority | is said                                                                              |
|----------|--------------------------------------------------------------------------------------|
| urgent   | at once                                                                              |
| normal   | once nobody has spoken for a moment; after the quiet hours and "do not disturb"      |
| low      | the same, once nobody has spoken for a minute                                        |
"""

from __future__ import annotations

import logging
import uuid
from collections.abc import Iterator
from datetime import datetime, timedelta

import msgspec

from assistant.core.database import Database
from assistant.core.errors import SkillError
from assistant.core.messages import SpokenReply
from assistant.skill.announcements import LONGEST_TEXT, MOST_WAITING, Announcement, Priority
from skills.announcements.floor import Floor
from skills.announcements.loudspeakers import Loudspeakers
from skills.announcements.quiet import Quiet, due_of
from skills.later.plan import Due
from skills.later.timing import Timing
from skills.scheduler import LONGEST_PATIENCE_S, PATIENCE_S, SPOKEN_CHARACTERS_PER_S

NAME = "announcement-"
PAUSES_S: dict[Priority, float] = {"urgent": 0.0, "normal": 4.0, "low": 60.0}
"""Seconds without a word before an announcement; four, as a reply may be answered for three."""
RECHECK_S = 60.0
"""Most seconds until the wall clock is looked at again, which may have been set."""
NOBODY = ""
"""Whose announcement a notice is."""
NOTICE_S = 300.0
"""Seconds after which a notice that could not be said is dropped."""
_ORDER: tuple[Priority, ...] = ("urgent", "normal", "low")

log = logging.getLogger(__name__)


class _Row(msgspec.Struct, frozen=True, kw_only=True):
    id: str
    skill: str
    text: str
    priority: Priority
    due: Due
    expires_s: float | None
    area: str = ""
    """Where it is said; "" where the device stands."""


def create_announcements(database: Database) -> None:
    """Create the table of announcements; `row` is a `_Row` as JSON."""
    database.execute(
        "CREATE TABLE announcements (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE,"
        " skill TEXT NOT NULL, row TEXT NOT NULL) STRICT"
    )


class Waiting:
    """Every announcement that waits; the `loudspeakers` are those of other rooms."""

    def __init__(
        self,
        database: Database,
        timing: Timing,
        quiet: Quiet,
        floor: Floor,
        loudspeakers: Loudspeakers,
    ) -> None:
        self._database, self._timing, self._floor = database, timing, floor
        self.quiet, self.loudspeakers = quiet, loudspeakers
        self._again: dict[str, tuple[float, float]] = {}
        """Announcement → when it is given again, and how long was waited for it."""

    def add(self, row: _Row) -> None:
        """Keep an announcement, within the turn that makes it."""
        text = msgspec.json.encode(row).decode()
        self._database.execute(
            "INSERT INTO announcements (id, skill, row) VALUES (?, ?, ?)", row.id, row.skill, text
        )

    def add_notice(self, text: str) -> None:
        """Keep what no skill announces, within a transaction; it is of no use after some minutes.

        What waits already is not said twice.
        """
        if all(row.text != text for row in self.of(NOBODY)):
            row = _Row(
                id=uuid.uuid4().hex,
                skill=NOBODY,
                text=text,
                priority="normal",
                due=self._timing.after(0.0),
                expires_s=NOTICE_S,
            )
            self.add(row)

    def of(self, skill: str) -> list[_Row]:
        """The announcements of one skill, the next first."""
        return [row for row in self._rows() if row.skill == skill]

    def remove(self, announcement_id: str) -> None:
        """Forget one, if it waits."""
        self._database.execute("DELETE FROM announcements WHERE id = ?", announcement_id)
        self._again.pop(announcement_id, None)
        self._timing.countdown.forget(announcement_id)

    def heard(self, utterance_id: str) -> None:
        """Note that playback has played a reply; if it was an announcement, forget it."""
        if utterance_id.startswith(NAME):
            self.remove(utterance_id.removeprefix(NAME))

    def told(self, at_s: float, asking: bool) -> Iterator[SpokenReply]:
        """What is to be said now; only what is urgent while a question is open (`asking`)."""
        for row in self._rows():
            late_s = -self._timing.left_s(row.id, row.due)
            given = row.id in self._again
            if late_s >= 0 and not given and row.expires_s is not None and late_s > row.expires_s:
                log.info("an announcement of %s came too late (announcement.expired)", row.skill)
                self.remove(row.id)
            elif self._due_at_s(row, at_s, asking) <= at_s:
                yield self._given(row, at_s)

    def deadline_s(self, at_s: float, asking: bool) -> float | None:
        """When `told` must be called next; 0.0 while the time is not yet known."""
        rows = self._rows()
        if not at_s:
            return 0.0 if rows else None
        times = (self._due_at_s(row, at_s, asking) for row in rows)
        return min((t for t in times if t != float("inf")), default=None)

    def _given(self, row: _Row, at_s: float) -> SpokenReply:
        _, waited_s = self._again.get(row.id, (at_s, 0.0))
        first_s = PATIENCE_S + len(row.text) / SPOKEN_CHARACTERS_PER_S
        patience_s = min(2 * waited_s, LONGEST_PATIENCE_S) or first_s
        self._again[row.id] = at_s + patience_s, patience_s
        reply = SpokenReply(
            utterance_id=f"{NAME}{row.id}",
            text=row.text,
            once=True,
            area=row.area,
            peer=self.loudspeakers.peer(row.area),
        )
        self._floor.observe(reply, at_s)  # at once, so that the next waits for its end
        return reply

    def _due_at_s(self, row: _Row, at_s: float, asking: bool) -> float:
        """When to look at it next; not after `at_s` where it is to be said now."""
        left_s = self._timing.left_s(row.id, row.due)
        if left_s > 0:
            sure = self._timing.is_sure(row.due)
            return at_s + (left_s if sure else min(left_s, RECHECK_S))
        again_at_s, _ = self._again.get(row.id, (at_s, 0.0))
        if row.priority == "urgent":
            return again_at_s
        if asking:
            return float("inf")  # the question lapses, which is a deadline of its own
        quiet_s = self.quiet.of(row.area).left_s()
        if quiet_s > 0:
            return at_s + min(quiet_s, RECHECK_S)
        peer = self.loudspeakers.peer(row.area)
        return max(again_at_s, self._floor.free_at_s(at_s, PAUSES_S[row.priority], peer))

    def _rows(self) -> list[_Row]:
        rows = self._database.execute("SELECT row FROM announcements ORDER BY number")
        read = [msgspec.json.decode(row, type=_Row) for (row,) in rows]
        return sorted(read, key=lambda row: _ORDER.index(row.priority))


class SkillAnnouncements:
    """The `Announcements` of one skill during one call; `made` are those of this call.

    `here` is the area in which that is made; "" where the device stands.
    """

    def __init__(self, waiting: Waiting, timing: Timing, skill: str, here: str = "") -> None:
        self._waiting, self._timing, self._skill = waiting, timing, skill
        self._here = here
        self.made: list[str] = []

    def announce(
        self,
        text: str,
        *,
        priority: Priority = "normal",
        at: datetime | None = None,
        after: timedelta | None = None,
        expires: timedelta | None = None,
        area: str = "",
    ) -> str:
        """Keep an announcement, and return its id; raises `SkillError`."""
        if not text.strip() or len(text) > LONGEST_TEXT:
            raise self._refused(f"an announcement has 1 to {LONGEST_TEXT} characters")
        if priority not in _ORDER:
            raise self._refused(f"the priority of an announcement is {', '.join(_ORDER)}")
        if len(self._waiting.of(self._skill)) >= MOST_WAITING:
            raise self._refused(f"{MOST_WAITING} announcements wait already")
        try:
            due = due_of(self._timing, at, after) or self._timing.after(0.0)
        except SkillError as error:
            raise self._refused(error.message) from error
        row = _Row(
            id=uuid.uuid4().hex,
            skill=self._skill,
            text=text,
            priority=priority,
            due=due,
            expires_s=expires.total_seconds() if expires is not None else None,
            area=area,
        )
        self._waiting.add(row)
        self.made.append(row.id)
        return row.id

    @property
    def rooms(self) -> tuple[str, ...]:
        """Ids of the areas beside this one in which there is a loudspeaker now."""
        return self._waiting.loudspeakers.others(self._here)

    def heard_in(self, area: str) -> str:
        """Id of the area in which is heard now what is for `area`; "" for a device in none."""
        return self._waiting.loudspeakers.heard_in(area)

    def waiting(self) -> tuple[Announcement, ...]:
        """Those of this skill that were not heard yet."""
        return tuple(
            Announcement(id=row.id, text=row.text, priority=row.priority)
            for row in self._waiting.of(self._skill)
        )

    def cancel(self, announcement_id: str) -> None:
        """Forget one of this skill, if it waits."""
        if any(row.id == announcement_id for row in self._waiting.of(self._skill)):
            self._waiting.remove(announcement_id)

    def _refused(self, told: str) -> SkillError:
        return SkillError("skill.announcement", f'skill "{self._skill}": {told}', self._skill)
