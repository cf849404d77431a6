"""Stretches of time: "tomorrow", "monday morning", "next week", "this weekend", "next 3 days"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from datetime import date, datetime, time, timedelta

from assistant.core.parts import Period
from assistant.english.dates import MONTHS, WEEKDAYS
from nlu.values.amounts import number
from nlu.values.dates import days
from nlu.values.holidays import FIXED
from nlu.values.months import shifted

Periods = list[tuple[Period, float]]
"""Periods with the likelihood of each, the best first."""

PARTS_H = {"morning": (4, 12), "afternoon": (12, 18), "evening": (17, 24), "night": (18, 28)}
"""Hours of the day, beyond 24 for those after midnight, in which each part begins and ends."""
LONGEST_WORDS = 7
"""Most words of a period within a sentence."""

_PREPOSITION = re.compile(r"(?:for|on|at|over|during|in|within) (?:the )?")
_PART = re.compile(rf"(?:(?P<day>.+) )?(?:in )?(?P<part>{'|'.join(PARTS_H)})")
_UNIT = re.compile(r"(?P<which>this|next|last|past|coming)(?: coming)? (?P<unit>week|month|year)")
_WEEKEND = re.compile(r"(?:(?P<which>this|next|last|coming) )?(?:coming )?weekend")
_COUNTED = re.compile(
    r"(?P<which>next|coming|following|last|past) (?P<count>.+? )?(?P<unit>day|week|month)s"
)
_MONTH = re.compile(
    rf"(?:(?P<which>this|next|last) )?(?P<month>{'|'.join(MONTHS)})(?: (?P<year>\d{{4}}))?"
)
_FEW = 3
"""Number of days that "the next days" means."""
_TELLING = frozenset(
    (
        *(*WEEKDAYS, *MONTHS, *FIXED, "easter", "today", "tonight", "tomorrow", "yesterday"),
        *("morning", "afternoon", "evening", "week", "weekend", "month", "ago"),
        *("days", "weeks", "months"),
    )
)
"""Words of which a part of a sentence must have one to be a period; "second" alone is none."""
_ALONE = frozenset((*MONTHS, "week", "month", "morning", "afternoon", "evening", "days", "weeks"))
"""Words that are no period by themselves, or with an article: "may", "the week"."""


def periods(text: str, now: datetime) -> Periods:
    """Every period that a phrase can mean; [] for a phrase that means none."""
    words = text.removeprefix("the ").removesuffix("'s")
    try:
        for said in dict.fromkeys((words, _PREPOSITION.sub("", words, count=1))):
            if found := _named(said, now) or _part_of_day(said, now):
                return found
            if found := [(_of(day, 1, now), likely) for day, likely in days(said, now)]:
                return found
    except (OverflowError, ValueError):  # beyond the calendar
        pass
    return []


def within(words: Sequence[str], now: datetime) -> Period | None:
    """The longest period that stands anywhere among canonical words; None without one."""
    for length in range(min(LONGEST_WORDS, len(words)), 0, -1):
        for at in range(len(words) - length + 1):
            some = words[at : at + length]
            if _TELLING.isdisjoint(some) or (length == 1 and some[0] in _ALONE):
                continue
            if some[0] in ("a", "in") and length == 2 and some[1] in _ALONE - set(MONTHS):
                continue
            if found := periods(" ".join(some), now):
                return found[0][0]
    return None


def _named(words: str, now: datetime) -> Periods:
    readers = (_weekend, _unit, _counted, _month)
    return [(found, 1.0) for read in readers for found in read(words, now)][:1]


def _part_of_day(words: str, now: datetime) -> Periods:
    if words == "tonight":
        words = "night"
    found = _PART.fullmatch(words)
    if found is None:
        return []
    day = (found["day"] or "today").removesuffix(" in").replace("this", "today")
    first, last = PARTS_H[found["part"]]
    periods = []
    for on, likely in days(day, now):
        midnight = datetime.combine(on, time(), tzinfo=now.tzinfo)
        since, until = (midnight + timedelta(hours=hours) for hours in (first, last))
        periods.append((Period(since=since, until=until), likely))
    return periods


def _weekend(words: str, now: datetime) -> Iterator[Period]:
    found = _WEEKEND.fullmatch(words)
    if found is None:
        return
    today = now.date()
    saturday = today + timedelta(days=5 - today.weekday())
    weeks = {"next": 1, "last": -1}.get(found["which"], 0)
    yield _of(saturday + timedelta(weeks=weeks), 2, now)


def _unit(words: str, now: datetime) -> Iterator[Period]:
    """A week is Monday to Sunday; "past" and "coming" ones run from or up to today."""
    today = now.date()
    if words == "week after next":
        yield _of(today + timedelta(days=14 - today.weekday()), 7, now)
    found = _UNIT.fullmatch(words)
    if found is None:
        return
    unit = found["unit"]
    if found["which"] in ("past", "coming"):
        yield _counted_from(today, 1 if found["which"] == "coming" else -1, unit, now)
        return
    ahead = {"this": 0, "next": 1, "last": -1}[found["which"]]
    first = today.replace(day=1) if unit == "month" else today.replace(month=1, day=1)
    if unit == "week":
        first = today - timedelta(days=today.weekday())
    start = shifted(first, ahead, unit)
    yield _of(start, (shifted(start, 1, unit) - start).days, now)


def _counted(words: str, now: datetime) -> Iterator[Period]:
    found = _COUNTED.fullmatch(words)
    if found is None:
        return
    said = (found["count"] or "few").strip()
    count = _FEW if said in ("few", "couple of") else number(said)
    if count is None or count != int(count):
        return
    sign = -1 if found["which"] in ("last", "past") else 1
    yield _counted_from(now.date(), sign * int(count), found["unit"], now)


def _counted_from(today: date, count: int, unit: str, now: datetime) -> Period:
    """The period of `count` units from today on, or up to and including today."""
    first, last = sorted((today, shifted(today, count, unit)))
    return _of(first, (last - first).days + (count < 0), now)


def _month(words: str, now: datetime) -> Iterator[Period]:
    found = _MONTH.fullmatch(words)
    if found is None:
        return
    today, month = now.date(), MONTHS.index(found["month"]) + 1
    year = int(found["year"] or today.year)
    if not found["year"]:
        past = month < today.month or (found["which"] == "next" and month == today.month)
        year += past and found["which"] not in ("last", "this")
        year -= found["which"] == "last" and month >= today.month
    first = date(year, month, 1)
    yield _of(first, (shifted(first, 1, "month") - first).days, now)


def _of(first: date, count: int, now: datetime) -> Period:
    """Whole days in the zone of `now`."""
    start, end = (
        datetime.combine(first + timedelta(days=days), time(), tzinfo=now.tzinfo)
        for days in (0, count)
    )
    return Period(since=start, until=end)
