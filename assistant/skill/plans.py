"""What is planned, what rings at its time, and the calendar, as a skill sees them."""

from __future__ import annotations

from datetime import date, datetime, time, timedelta
from typing import Protocol

import msgspec

from assistant.core.messages import When
from assistant.skill.reply import Undo

MOST_ALARMS = 100
"""Most alarms of all skills together."""
AT = "{at}"
"""What stands for its time of day in the words of an alarm."""
WAITS = " I don't know whether my clock is right, so it waits until I do."
LONGEST_WORDS = 500
"""Most characters of what an alarm says, and of its name."""
LONGEST_TITLE = 200
"""Most characters of an event's title."""


class Planned(msgspec.Struct, frozen=True, kw_only=True):
    """One command that waits for its time."""

    id: str
    title: str
    """What will be done, as a phrase that fits "I will …"."""
    then: str
    """When, in words: "at 10 pm", "every weekday at 7 am"."""
    at: datetime
    """When it is due next, with its zone."""
    said: str = ""
    """The user's words for it."""

    def __str__(self) -> str:
        return f"{self.title} {self.then}"


class Plans(Protocol):
    """The commands that wait for their time; they survive a restart and a power cut."""

    def all(self) -> tuple[Planned, ...]:
        """Every command that waits, the next due first."""

    def cancel(self, plan_id: str) -> Undo:
        """Forget one, and return the undo for that."""


class Alarm(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that rings at its time, and again where it recurs."""

    id: str
    kind: str
    """What the skill that set it calls such a thing: "alarm", "reminder"."""
    name: str
    """Which of its kind it is, in words such as "gym" or "call mum"; "" for none."""
    at: datetime
    """When it rings next, with its zone."""
    then: str
    """The same in words: "at 7 am", "tomorrow at 7 am", "every weekday at 7 am"."""
    rule: str = ""
    """RFC 5545 RRULE by which it comes again; "" for once."""
    held: bool = False
    """Whether it waits until the clock is known to be right."""
    ringing: bool = False
    area: str = ""
    """Id of the room in which it rings where a loudspeaker is there; "" where the device stands."""

    @property
    def caveat(self) -> str:
        """What is to be added to a reply about one that waits; "" for another."""
        return WAITS if self.held else ""


class Alarms(Protocol):
    """What rings at its time: it survives a restart and a power cut, and is heard in quiet hours.

    Skills see each other's alarms, as they do timers.
    """

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
        """Say `words` when that time comes, `at` a time of day where only a day was said.

        `AT` in the words stands for the time of day. It is said in the `area` with that id where a
        loudspeaker is there, else where the device stands.

        One that `insists` rings again and again, until somebody says something. Raises `SkillError`
        with words for the user where the time is over, or not known.
        """

    def all(self) -> tuple[Alarm, ...]:
        """Every alarm that was not heard yet, the next first."""

    @property
    def rung(self) -> Alarm | None:
        """The one that rings, or rang a few minutes ago at most; None for none."""

    def move(self, alarm_id: str, when: When, *, at: time | None = None) -> Undo:
        """Let one ring at another time, and return the undo; raises as `set` does."""

    def ring_in(self, alarm_id: str, area: str) -> Undo:
        """Let one ring in another room, and return the undo.

        One that rings, or rang a few minutes ago, rings there now.
        """

    def skip(self, alarm_id: str) -> Undo:
        """Leave out the next time of one that recurs, and return the undo."""

    def snooze(self, alarm_id: str, after: timedelta) -> Undo:
        """Let the one that has rung ring again; one that recurs keeps its times, too."""

    def silence(self) -> tuple[Alarm, ...]:
        """End the ringing of all that ring; those that recur ring at their next time."""

    def cancel(self, alarm_id: str) -> Undo:
        """Forget one, and return the undo."""


class CalendarEvent(msgspec.Struct, frozen=True, kw_only=True):
    """One event at one of its times."""

    id: str
    """Its UID in the file; the same at all its times."""
    title: str
    starts: datetime
    """With the zone of the home; midnight where it lasts whole days."""
    ends: datetime
    whole_days: bool = False
    rule: str = ""
    """RFC 5545 RRULE by which it comes again; "" for once."""
    then: str = ""
    """When it is, in words: "tomorrow at 9 am", "every Tuesday at 6 pm"."""


class Calendar(Protocol):
    """The events of one file (RFC 5545), which survive a restart and a power cut.

    What others write in the file is seen, too, and stays as it is unless it is changed here. Every
    operation raises `SkillError` with words for the user where the file cannot be used.
    """

    def coming(self) -> tuple[CalendarEvent, ...]:
        """Every event that is not over, at its next time, the next first."""

    def between(self, since: datetime, until: datetime) -> tuple[CalendarEvent, ...]:
        """Every event of that period at each of its times, in order."""

    def add(
        self,
        title: str,
        starts: datetime,
        ends: datetime,
        *,
        whole_days: bool = False,
        rule: str = "",
    ) -> CalendarEvent:
        """Add an event, with a `rule` again and again; `Undo("calendar.restore", id)` removes it.

        Where it lasts whole days, `ends` is the midnight after the last one.
        """

    def move(
        self, event: CalendarEvent, starts: datetime, ends: datetime, *, every: bool = False
    ) -> Undo:
        """Give an event another time, and return the undo; `every` moves all times of a series."""

    def remove(self, event: CalendarEvent, *, every: bool = False) -> Undo:
        """Remove an event, and return the undo; `every` removes all times of a series."""


def needs_time(when: When) -> bool:
    """Whether only a day was said, or that it recurs: the time of day is to be asked for."""
    if when.sun is not None or when.kind in ("in", "for"):
        return False
    if when.kind == "every":
        return "VALUE=DATE:" in str(when.value)
    return day_of(when) is not None


def day_of(when: When) -> date | None:
    """The day that was said without a time, also as a period from midnight; None for a time."""
    text = str(when.value or "").partition("/")[0]
    if "T" not in text:
        return date.fromisoformat(text) if text.count("-") == 2 else None
    is_period = "/" in str(when.value)
    since = datetime.fromisoformat(text)
    return since.date() if is_period and since.time() == time() else None
