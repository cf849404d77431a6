"""When an event is: from the time that was named, with what people mean by half of it."""

from __future__ import annotations

from collections.abc import Generator
from datetime import date, datetime, time, timedelta
from typing import Any, NamedTuple

import msgspec

from assistant.english.commands.half_days import says_day, says_half_of_day
from assistant.english.words import words
from assistant.skill import (
    Ask,
    Context,
    NamedTime,
    Period,
    Recurrence,
    Request,
    SkillError,
    When,
    ask_time,
    needs_time,
)
from assistant.skill.plans import day_of

AN_HOUR = timedelta(hours=1)
A_DAY = timedelta(days=1)
FIRST_HOUR, LAST_HOUR = 7, 19
"""An hour before the first, where its half of the day is not said, is one after noon."""
WHOLE_DAYS = frozenset(words("birthday birthdays anniversary holiday holidays leave"))
"""Words of a title of which one says that the event takes whole days."""
YEARLY = frozenset(words("birthday anniversary"))
"""Words of a title of which one says that the event comes every year."""
NO_TIME = "I can only put something in your calendar at a time."


class Span(NamedTuple):
    """When an event is: its first time, and the rule by which it comes again."""

    starts: datetime
    ends: datetime
    whole_days: bool = False
    rule: str = ""


def lasting(request: Request, duration: timedelta | None) -> tuple[Request, timedelta | None]:
    """The request without "for an hour", and how long that is."""
    when = request.when
    if when is None or when.kind != "for":
        return request, duration
    length = timedelta(seconds=float(when.value or 0))
    return msgspec.structs.replace(request, when=None), duration or length


def put_right(request: Request, moment: datetime | None) -> tuple[Request, datetime | None]:
    """The moment on its day, at the time of day that corrects it: "no, at four"."""
    when = request.when
    if not request.instead or moment is None or when is None or says_day(when.said):
        return request, moment
    if when.kind != "at" or "T" not in str(when.value):
        return request, moment
    clock = by_day(datetime.fromisoformat(str(when.value)).time(), when.said)
    request = msgspec.structs.replace(request, when=None, instead=False)
    return request, moment.replace(hour=clock.hour, minute=clock.minute)


def span_asked(
    wish: NamedTime | None, title: str, lasts: timedelta | None, context: Context
) -> Generator[Any, Any, Span]:
    """When a new event is; what of it was not named is asked for.

    Raises `SkillError` with words for the user for what is no time of a calendar.
    """
    named = frozenset(words(title))
    if wish is not None and needs_time(wish[0]) and wish[1] is None and WHOLE_DAYS & named:
        return _whole_days(wish[0], "FREQ=YEARLY" if YEARLY & named else "", context.now)
    when, at = yield from ask_time(wish, context, "When is it?")
    if at is None and (part := _part_of_day(when)) is not None:
        at = within(part, (yield Ask("At what time?", time)))
    starts, rule = _moment(when, at, context.now)
    if starts < context.now:
        raise SkillError("calendar.over", "That time is over already.")
    return Span(starts, starts + (lasts or AN_HOUR), rule=rule)


def by_day(at: time, said: str) -> time:
    """A time of day between morning and evening, where its half is not said."""
    if says_half_of_day(said) or FIRST_HOUR <= at.hour <= LAST_HOUR:
        return at
    return at.replace(hour=(at.hour + 12) % 24)


def within(part: Period, at: time) -> time:
    """A time of day in the half of it in which it lies within a part of the day."""
    other = at.replace(hour=(at.hour + 12) % 24)
    return other if not _lies(part, at) and _lies(part, other) else at


def day_said(when: When | None) -> date | None:
    """The day that a sentence adds: "cancel the dentist | on friday"; None for none."""
    if when is None or when.kind != "at":
        return None
    text = str(when.value or "").partition("/")[0]
    return date.fromisoformat(text[:10]) if text.count("-") >= 2 else None


def _part_of_day(when: When) -> Period | None:
    """The part of a day that was said, such as "saturday morning"; None for another time."""
    text = str(when.value or "")
    if when.kind != "at" or "T" not in text or "/" not in text:
        return None
    return Period.read(text)


def _lies(part: Period, at: time) -> bool:
    return part.since <= datetime.combine(part.since.date(), at, part.since.tzinfo) < part.until


def _whole_days(when: When, rule: str, now: datetime) -> Span:
    if when.kind == "every":
        often = Recurrence.read(str(when.value))
        day, rule = often.start, often.rule
    else:
        day = day_of(when) or date.min
    first = datetime.combine(day, time(), tzinfo=now.tzinfo)
    return Span(first, first + A_DAY, whole_days=True, rule=rule)


def _moment(when: When, at: time | None, now: datetime) -> tuple[datetime, str]:
    """The first time and the rule of what was said, `at` a time of day where a day was."""
    text, rule = str(when.value or ""), ""
    if when.kind == "in":
        return now + timedelta(seconds=float(when.value or 0)), rule
    if when.kind not in ("at", "every") or not text or when.sun is not None:
        raise SkillError("calendar.when", NO_TIME)
    if when.kind == "every":
        often = Recurrence.read(text)
        first, rule = often.start, often.rule
    else:
        part = text.partition("/")[0]
        first = datetime.fromisoformat(part) if "T" in part else date.fromisoformat(part)
    if isinstance(first, datetime):
        first = first.astimezone(now.tzinfo)
    if at is not None or not isinstance(first, datetime):
        first = datetime.combine(first, at or time(), tzinfo=now.tzinfo)
    clock = by_day(first.time(), when.said)
    return first.replace(hour=clock.hour), rule
