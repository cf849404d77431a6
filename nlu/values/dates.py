"""Dates: "next friday", "day after tomorrow", "3 of may", "end of month", "christmas"."""

from __future__ import annotations

import calendar
import re
from collections.abc import Callable
from datetime import date, datetime, timedelta

from nlu.slots import MONTHS, ORDINALS, WEEKDAYS
from nlu.values import holidays
from nlu.values.amounts import amount
from nlu.values.durations import DAY_S, duration, unit_s

Days = list[tuple[date, float]]
"""Dates with the likelihood of each, the best first."""

_MONTHS = {name: n for n, name in enumerate(MONTHS, start=1)} | {"sept": 9}
_MONTHS |= {name[:3]: n for name, n in _MONTHS.items()}
_WEEKDAYS = {name: n for n, name in enumerate(WEEKDAYS)} | {"tues": 1, "thur": 3, "thurs": 3}
_WEEKDAYS |= {name[:3]: n for name, n in _WEEKDAYS.items()}
_NAMED = {
    **{"today": 0, "tonight": 0, "tomorrow": 1, "yesterday": -1},
    **{"day after tomorrow": 2, "day before yesterday": -2},
}
_YEAR = re.compile(r"(?:(?P<year>\d{4})|20 (?P<short>\d{2}))$")
_FIGURES = re.compile(
    r"(?P<iso>\d{4}) (?P<iso_month>\d{1,2}) (?P<iso_day>\d{1,2})"
    r"|(?P<first>\d{1,2}) slash (?P<second>\d{1,2})(?: slash (?P<year>\d{4}|\d{2}))?"
)
_EDGE = re.compile(
    r"(?P<edge>end|start|beginning|middle) of (?:(?P<which>this|next) )?(?P<unit>week|month|year)"
)
_OF_MONTH = re.compile(r"(?P<day>.+?)(?: of (?P<which>this|next) month)?")
_YEARS_TO_TRY = 9
"""From a 29 February to the next across a century that leaps none."""


def day(text: str, now: datetime) -> date | None:
    """The date of a phrase, the next one to come where several are; None when it is none."""
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


def weekday(word: str) -> int | None:
    """0 for "monday" or "mon" to 6; None for another word."""
    return _WEEKDAYS.get(word)


def day_of_month(words: str) -> int:
    """The number of "3", "3rd", "third", "20 first", "thirtieth"; 0 for anything else."""
    if found := re.fullmatch(r"(\d{1,2}) ?(?:st|nd|rd|th)?", words):
        return int(found[1])
    tens, _, last = words.rpartition(" ")
    if last == "thirtieth":
        return 0 if tens else 30
    ones = ORDINALS.index(last) + 1 if last in ORDINALS else 0
    if tens:
        return ones + int(tens) if 0 < ones < 10 and tens in ("20", "30") else 0
    return ones


def month_and_day(words: str) -> tuple[int, int] | None:
    """Month and day of "3 of may", "may fourth"; None for anything else."""
    spoken = words.replace(" of ", " ").split()
    name = next((w for w in (*spoken[:1], *spoken[-1:]) if w in _MONTHS), None)
    if name is None:
        return None
    spoken.remove(name)
    number = day_of_month(" ".join(spoken))
    return (_MONTHS[name], number) if number else None


def shifted(start: date, count: int, unit: str) -> date:
    """`start` moved by days, weeks, months or years; the last day of a month that is too short."""
    if unit in ("month", "year"):
        month = start.month - 1 + count * (12 if unit == "year" else 1)
        year, month = start.year + month // 12, month % 12 + 1
        return date(year, month, min(start.day, calendar.monthrange(year, month)[1]))
    return start + timedelta(days=count * {"day": 1, "week": 7, "fortnight": 14}[unit])


def next_in_year(month: int, number: int, today: date) -> date | None:
    """The next day of that name from today on."""
    for year in range(today.year, today.year + _YEARS_TO_TRY):
        found = _valid(year, month, number)
        if found and found >= today:
            return found
    return None


def _valid(year: int, month: int, number: int) -> date | None:
    try:
        return date(year, month, number)
    except ValueError:
        return None


def _counted(words: str) -> tuple[int, str] | None:
    """ "2 weeks", "a month", "36 hours" as a number of calendar units."""
    said = words.split()
    count, end = amount(said) or (1.0, int(said[:1] == ["a"]))
    unit = said[end].removesuffix("s") if end == len(said) - 1 and end else ""
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
    if words in ("now", "today"):
        return [(today, 1.0)]
    if words in _NAMED:
        return [(today + timedelta(days=_NAMED[words]), 1.0)]
    return next((f for r in (_weekday, _month_day, _holiday) if (f := r(words, today))), [])


def _weekday(words: str, today: date) -> Days:
    """A day of the week; "next" is the one in the week after this, and maybe the next to come."""
    if words.endswith(" after next"):
        return [(d + timedelta(days=7), 0.8) for d, _ in _weekday(f"next {words[:-11]}", today)]
    which, _, name = words.rpartition(" ")
    number = weekday(name)
    if number is None or which not in ("", "this", "next", "coming", "this coming", "last", "past"):
        return []
    ahead = (number - today.weekday()) % 7
    following = ahead or 7
    if which in ("last", "past"):
        return [(today + timedelta(days=ahead - 7), 1.0)]
    if which == "this":
        return [(today + timedelta(days=ahead), 1.0)]
    if which == "next" and 7 - today.weekday() + number != following:
        later = today + timedelta(days=7 - today.weekday() + number)
        return [(later, 0.65), (today + timedelta(days=following), 0.35)]
    found = [(today + timedelta(days=following), 1.0 if ahead or which else 0.75)]
    return found if ahead or which else [*found, (today, 0.25)]


def _month_day(words: str, today: date) -> Days:
    """ "3 of may", "may fourth 2028", "monday 23 of november", "friday 13th"."""
    first, _, rest = words.partition(" ")
    if weekday(first) is not None and rest:
        return _month_day(rest, today) or _named_day_of_month(weekday(first), rest, today)
    if (said := month_and_day(words)) and (found := next_in_year(*said, today)):
        return [(found, 1.0)]
    year = _YEAR.search(words)
    said = month_and_day(words[: year.start()].strip()) if year else None
    if year is None or said is None:
        return []
    exact = _valid(int(year["year"] or f"20{year['short']}"), *said)
    return [(exact, 1.0)] if exact else []


def _named_day_of_month(name: int | None, words: str, today: date) -> Days:
    number = day_of_month(words)
    for months in range(60):
        start = shifted(today.replace(day=1), months, "month")
        found = _valid(start.year, start.month, number)
        if found and found >= today and found.weekday() == name:
            return [(found, 1.0)]
    return []


def _figures(words: str, today: date) -> Days:
    """ "2026 12 24", "24 slash 12": the day comes first, unless it cannot."""
    found = _FIGURES.fullmatch(words)
    if found is None:
        return []
    if found["iso"]:
        exact = _valid(int(found["iso"]), int(found["iso_month"]), int(found["iso_day"]))
        return [(exact, 1.0)] if exact else []
    first, second = int(found["first"]), int(found["second"])
    both = [_in_year(found["year"], m, d, today) for d, m in ((first, second), (second, first))]
    known = list(dict.fromkeys(d for d in both if d))
    return [(d, 1 / len(known)) for d in known]


def _in_year(year: str | None, month: int, number: int, today: date) -> date | None:
    if year is None:
        return next_in_year(month, number, today)
    return _valid(int(year) + (2000 if len(year) == 2 else 0), month, number)


def _of_month(words: str, today: date) -> Days:
    """ "third", "15th of next month"; a bare number is none."""
    found = _OF_MONTH.fullmatch(words)
    number = day_of_month(found["day"]) if found and not found["day"].isdecimal() else 0
    if found is None or not number:
        return []
    start = today.replace(day=1)
    if found["which"]:
        start = shifted(start, found["which"] == "next", "month")
        exact = _valid(start.year, start.month, number)
        return [(exact, 1.0)] if exact else []
    months = (shifted(start, n, "month") for n in range(12))
    dates = (_valid(m.year, m.month, number) for m in months)
    return [(next(d for d in dates if d and d >= today), 0.8)] if number <= 31 else []


def _span(words: str, today: date) -> Days:
    """A week, weekend, month or year by its first day, and the edges of one."""
    monday = today - timedelta(days=today.weekday())
    saturday = monday + timedelta(days=5)
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


def _holiday(words: str, today: date) -> Days:
    found = holidays.next_named(words, today)
    return [(found, 1.0)] if found else []


_READERS: tuple[Callable[[str, date], Days], ...] = (
    _ahead,
    _weekday,
    _month_day,
    _span,
    _holiday,
    _week_later,
    _figures,
    _of_month,
)
