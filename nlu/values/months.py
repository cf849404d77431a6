"""Days of a month: "3 of may", "15th of next month", "24 slash 12", "last monday of march"."""

from __future__ import annotations

import calendar
import re
from datetime import date, timedelta

from assistant.english.dates import MONTH_NUMBERS
from assistant.english.numbers import ORDINALS
from nlu.values.weekdays import Days, weekday

_YEAR = re.compile(r" (?:(?P<year>\d{4})|20 (?P<short>\d{2}))$")
_FIGURES = re.compile(
    r"(?P<iso>\d{4}) (?P<iso_month>\d{1,2}) (?P<iso_day>\d{1,2})"
    r"|(?P<first>\d{1,2}) slash (?P<second>\d{1,2})(?: slash (?P<year>\d{4}|\d{2}))?"
)
_OF_MONTH = re.compile(r"(?P<day>.+?)(?: of (?P<which>this|next|last) month)?")
_MONTHS_AHEAD = {"this": 0, "next": 1, "last": -1}
_NTH = re.compile(
    rf"(?P<nth>last|{'|'.join(ORDINALS[:5])}|[1-5](?:st|nd|rd|th)) (?P<day>\w+) (?:of|in) "
    r"(?P<month>.+)"
)
_YEARS_TO_TRY = 9
"""Number of years that are searched for a date: a 29 February can be eight years away."""
_YEARS_TO_MATCH = 6
"""Years within which a date falls on each day of the week, except a 29 February."""


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


def read_month_and_day(words: str) -> tuple[int, int] | None:
    """Month and day of "3 of may", "may fourth"; None for anything else."""
    spoken = words.replace(" day of ", " ").replace(" of ", " ").split()
    name = next((w for w in (*spoken[:1], *spoken[-1:]) if w in MONTH_NUMBERS), None)
    if name is None:
        return None
    spoken.remove(name)
    number = day_of_month(" ".join(spoken))
    return (MONTH_NUMBERS[name], number) if number else None


def split_year(words: str) -> tuple[str, int | None]:
    """A phrase without the year at its end, and that year."""
    found = _YEAR.search(words)
    if found is None:
        return words, None
    return words[: found.start()], int(found["year"] or f"20{found['short']}")


def shifted(start: date, count: int, unit: str) -> date:
    """`start` moved by days, weeks, months or years; at most to the last day of a shorter month."""
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


def in_month(words: str, today: date) -> Days:
    """ "3 of may", "may fourth 2028", "monday 23 of november", "friday 13th"."""
    first, _, rest = words.partition(" ")
    name = weekday(first)
    if name is not None and rest:
        return _on_weekday(name, rest, today)
    if (said := read_month_and_day(words)) and (found := next_in_year(*said, today)):
        return [(found, 1.0)]
    before, year = split_year(words)
    said = read_month_and_day(before) if year else None
    exact = _valid(year, *said) if year and said else None
    return [(exact, 1.0)] if exact else []


def _on_weekday(name: int, words: str, today: date) -> Days:
    """A date with its day of the week, which determines the year or the month."""
    if said := read_month_and_day(words):
        years = range(today.year, today.year + _YEARS_TO_MATCH)
        coming = [d for y in years if (d := _valid(y, *said)) and d >= today]
        on_it = [d for d in coming if d.weekday() == name]
        return [(found, 1.0) for found in (on_it or coming)[:1]]
    number = day_of_month(words)
    for months in range(60 if number else 0):
        start = shifted(today.replace(day=1), months, "month")
        found = _valid(start.year, start.month, number)
        if found and found >= today and found.weekday() == name:
            return [(found, 1.0)]
    return in_month(words, today)


def numeric_date(words: str, today: date) -> Days:
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


def of_month(words: str, today: date) -> Days:
    """ "third", "15th of next month"; a bare number is no date."""
    found = _OF_MONTH.fullmatch(words)
    number = day_of_month(found["day"]) if found and not found["day"].isdecimal() else 0
    if found is None or not 0 < number <= 31:
        return []
    start = today.replace(day=1)
    if found["which"]:
        start = shifted(start, _MONTHS_AHEAD[found["which"]], "month")
        exact = _valid(start.year, start.month, number)
        return [(exact, 1.0)] if exact else []
    months = (shifted(start, n, "month") for n in range(12))
    dates = (_valid(m.year, m.month, number) for m in months)
    return [(next(d for d in dates if d and d >= today), 0.8)]


def nth_of_month(words: str, today: date) -> Days:
    """ "last monday of march", "second wednesday of october 2028", "last day of next month"."""
    found = _NTH.fullmatch(words)
    if found is None:
        return []
    name, year = split_year(found["month"])
    number, nth = weekday(found["day"]), day_of_month(found["nth"]) or -1
    if found["day"] != "day" and number is None:
        return []
    for start in _months(name, year, today):
        fitting = [d for d in _days_of(start) if number is None or d.weekday() == number]
        place = nth - 1 if nth > 0 else -1
        if place < len(fitting) and (year or fitting[place] >= today):
            return [(fitting[place], 1.0)]
    return []


def _months(name: str, year: int | None, today: date) -> list[date]:
    """The first days of the months that a name may mean."""
    first = today.replace(day=1)
    if name in ("this month", "next month", "month"):
        return [shifted(first, name == "next month", "month")]
    if name not in MONTH_NUMBERS:
        return []
    years = (year,) if year else (today.year, today.year + 1)
    return [date(y, MONTH_NUMBERS[name], 1) for y in years]


def _days_of(first: date) -> list[date]:
    count = calendar.monthrange(first.year, first.month)[1]
    return [first + timedelta(days=n) for n in range(count)]


def _in_year(year: str | None, month: int, number: int, today: date) -> date | None:
    if year is None:
        return next_in_year(month, number, today)
    return _valid(int(year) + (2000 if len(year) == 2 else 0), month, number)


def _valid(year: int, month: int, number: int) -> date | None:
    try:
        return date(year, month, number)
    except ValueError:
        return None
