"""Dates: "tomorrow", "in 2 weeks", "friday week", "end of month", and what its readers know."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, datetime, timedelta

from assistant.english.stems import singular
from nlu.values.amounts import amount
from nlu.values.durations import DAY_S, duration, unit_s
from nlu.values.holidays import holiday
from nlu.values.months import in_month, nth_of_month, numeric_date, of_month, shifted
from nlu.values.weekdays import Days, day_of_week

_NAMED = {
    **{"today": 0, "tonight": 0, "tomorrow": 1, "yesterday": -1},
    **{"day after tomorrow": 2, "day before yesterday": -2},
}
_EDGE = re.compile(
    r"(?P<edge>end|start|beginning|middle) of (?:(?P<which>this|next) )?(?P<unit>week|month|year)"
)


def day(text: str, now: datetime) -> date | None:
    """The date of a phrase, the next where it fits several; None when it is no date."""
    return next((found for found, _ in days(text, now)), None)


def days(text: str, now: datetime) -> Days:
    """Every date that a phrase can mean."""
    words, today = text.removeprefix("on "), now.date()
    if words in _NAMED:
        return [(today + timedelta(days=_NAMED[words]), 1.0)]
    try:
        return next((found for read in _READERS if (found := read(words, today))), [])
    except (OverflowError, ValueError):  # beyond the calendar
        return []


def _counted(words: str) -> tuple[int, str] | None:
    """ "2 weeks", "a month", "36 hours" as a number of calendar units."""
    said = words.split()
    count, end = amount(said) or (1.0, int(said[:1] == ["a"]))
    unit = singular(said[end]) if end == len(said) - 1 and end else ""
    if unit in ("month", "year", "week", "day", "fortnight") and count == int(count):
        return int(count), unit
    seconds = None if unit in ("month", "year") else duration(words)
    return None if seconds is None else (round(seconds / DAY_S), "day")


def _ahead(words: str, today: date) -> Days:
    """ "in 2 weeks", "3 days ago", "a week from tomorrow", "2 days after christmas"."""
    if words.startswith("in ") and (count := _counted(words[3:])):
        return [(shifted(today, *count), 1.0)]
    if words.endswith(" ago") and (count := _counted(words[:-4])):
        return [(shifted(today, -count[0], count[1]), 1.0)]
    found = re.fullmatch(r"(.+?) (from|after|before) (.+)", words)
    count = _counted(found[1]) if found else None
    if found is None or count is None or unit_s(found[1].split()[-1]) < DAY_S:
        return []
    sign = -1 if found[2] == "before" else 1
    return [(shifted(d, sign * count[0], count[1]), w) for d, w in _anchor(found[3], today)]


def _week_later(words: str, today: date) -> Days:
    """ "friday week", "a week on friday", "a week tomorrow"."""
    found = re.fullmatch(r"a week (?:on )?(.+)|(.+) week", words)
    if found is None:
        return []
    return [(d + timedelta(days=7), w) for d, w in _anchor(found[1] or found[2], today)]


def _anchor(words: str, today: date) -> Days:
    if words in ("now", "right now", "today"):
        return [(today, 1.0)]
    if words in _NAMED:
        return [(today + timedelta(days=_NAMED[words]), 1.0)]
    readers = (day_of_week, in_month, holiday)
    return next((found for read in readers if (found := read(words, today))), [])


def _span(words: str, today: date) -> Days:
    """The first day of a week, weekend, month or year, or its start, middle or end."""
    saturday = today + timedelta(days=5 - today.weekday())
    if words in ("weekend", "this weekend"):
        return [(max(saturday, today), 0.8)]
    if words == "next weekend":
        return [(saturday + timedelta(days=7), 0.65), (max(saturday, today), 0.35)]
    which, _, unit = words.rpartition(" ")
    if which == "next" and unit in ("week", "month", "year"):
        return [(_edge("start", 1, unit, today), 0.6), (shifted(today, 1, unit), 0.4)]
    found = _EDGE.fullmatch(words)
    if found is None:
        return []
    return [(_edge(found["edge"], int(found["which"] == "next"), found["unit"], today), 0.8)]


def _edge(edge: str, ahead: int, unit: str, today: date) -> date:
    first = today.replace(day=1) if unit == "month" else today.replace(month=1, day=1)
    if unit == "week":
        first = today - timedelta(days=today.weekday())
    start, after = shifted(first, ahead, unit), shifted(first, ahead + 1, unit)
    if edge == "end":
        return after - timedelta(days=1)
    return start + (after - start - timedelta(days=1)) // 2 if edge == "middle" else start


_READERS: tuple[Callable[[str, date], Days], ...] = (
    _ahead,
    day_of_week,
    in_month,
    _span,
    holiday,
    nth_of_month,
    _week_later,
    numeric_date,
    of_month,
)
