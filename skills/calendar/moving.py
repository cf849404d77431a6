"""To when an event is moved."""

from __future__ import annotations

from collections.abc import Generator
from datetime import date, datetime, time, timedelta
from typing import Any, NamedTuple

from assistant.english.commands.half_days import says_day
from assistant.english.dates import MONTHS, WEEKDAYS
from assistant.english.words import words
from assistant.skill import Ask, CalendarEvent, Context, Request, SkillError
from skills.calendar.when import by_day, day_said

_WEEK = frozenset((*MONTHS, *words("next this coming week of in")))
"""Words beside a day of the week that tell which week is meant."""


class Move(NamedTuple):
    """What was named of another time."""

    moment: datetime | None
    day: date | None
    to: time | None
    by: timedelta | None


def moved_to(
    move: Move, event: CalendarEvent, request: Request, context: Context
) -> Generator[Any, Any, datetime]:
    """When an event is that is moved: what was not named stays, its day or its time of day.

    Raises `SkillError` with words for the user.
    """
    said = " ".join(s.raw for s in request.slots if s.name in ("moment", "day", "to"))
    if request.when is not None:
        said = f"{said} {request.when.said}"
    moment, day, to = move.moment, move.day or day_said(request.when), move.to
    if moment is None and request.when is not None and "T" in str(request.when.value or ""):
        moment = datetime.fromisoformat(str(request.when.value).partition("/")[0])
    if (moment, day, to, move.by) == (None, None, None, None):
        moment = yield Ask("To when?", datetime)
        said = context.say(moment)
    if move.by is not None:
        starts = event.starts + move.by
    else:
        starts = _starts(event, moment, day, to, said)
        if _names_weekday_alone(said):
            starts = _in_week_of(event, starts, context.now)
    if event.whole_days and starts.time() != time():
        told = f"{event.title} takes the whole day, so I can only move it to another day."
        raise SkillError("calendar.whole_day", told)
    if starts < context.now:
        raise SkillError("calendar.over", "That time is over already.")
    return starts


def _names_weekday_alone(said: str) -> bool:
    """Whether a day is named by the day of the week, and its week is not."""
    named = frozenset(words(said))
    return not named.isdisjoint(WEEKDAYS) and named.isdisjoint(_WEEK)


def _in_week_of(event: CalendarEvent, starts: datetime, now: datetime) -> datetime:
    """The same day of the week in the week of the event, unless that is over."""
    near = starts - timedelta(days=starts.weekday()) + timedelta(days=event.starts.weekday())
    weeks = (event.starts.date() - near.date()).days
    same = starts + timedelta(days=weeks)
    return same if same > now else starts


def _starts(
    event: CalendarEvent, moment: datetime | None, day: date | None, to: time | None, said: str
) -> datetime:
    """The new time, on the event's day unless another is said, and at its time likewise."""
    zone = event.starts.tzinfo
    if moment is not None:
        moment = moment.astimezone(zone)
        to = moment.time()
        day = moment.date() if says_day(said) else day
    clock = by_day(to, said) if to is not None else event.starts.time()
    return datetime.combine(day or event.starts.date(), clock, tzinfo=zone)
