"""Days of the year that have a name everywhere English is spoken."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, timedelta

from nlu.values.months import split_year
from nlu.values.weekdays import Days

FIXED = {
    "christmas": (12, 25),
    "christmas day": (12, 25),
    "xmas": (12, 25),
    "christmas eve": (12, 24),
    "boxing day": (12, 26),
    "new year": (1, 1),
    "new years": (1, 1),
    "new years day": (1, 1),
    "new years eve": (12, 31),
    "halloween": (10, 31),
    "valentines day": (2, 14),
    "saint patricks day": (3, 17),
    "st patricks day": (3, 17),
}


def easter(year: int) -> date:
    """Easter Sunday in the Gregorian calendar (the anonymous algorithm of Nature, 1876)."""
    a, (b, c) = year % 19, divmod(year, 100)
    (d, e), g = divmod(b, 4), (8 * b + 13) // 25
    h = (19 * a + b - d - g + 15) % 30
    i, k = divmod(c, 4)
    weekday = (32 + 2 * e + 2 * i - h - k) % 7
    m = (a + 11 * h + 22 * weekday) // 451
    month, day = divmod(h + weekday - 7 * m + 114, 31)
    return date(year, month, day + 1)


def _thanksgiving(year: int) -> date:
    """The fourth Thursday of November, as in the United States."""
    first = date(year, 11, 1)
    return first + timedelta(days=(3 - first.weekday()) % 7 + 21)


_MOVING: dict[str, Callable[[int], date]] = {
    "easter": easter,
    "easter sunday": easter,
    "easter monday": lambda year: easter(year) + timedelta(days=1),
    "good friday": lambda year: easter(year) - timedelta(days=2),
    "thanksgiving": _thanksgiving,
    "thanksgiving day": _thanksgiving,
}


def plain(words: str) -> str:
    """A name without the apostrophe that people leave out."""
    return words.replace("'", "")


def holiday(words: str, today: date) -> Days:
    """The next day of that name, today included; in another year with "last" or the year itself."""
    name, year = split_year(plain(words))
    if found := re.fullmatch(r"(this|next|last) (.+)|(.+?)(?: of)? (this|next|last) year", name):
        name, which = found[2] or found[3], found[1] or f"{found[4]} year"
        offset = {"last year": -1, "this year": 0, "next year": 1}
        year = today.year + offset[which] if which in offset else year
        if which == "last":
            past = [d for y in (today.year - 1, today.year) if (d := _in(name, y)) and d < today]
            return [(past[-1], 1.0)] if past else []
    years = (year,) if year else (today.year, today.year + 1)
    coming = [d for y in years if (d := _in(name, y)) and (year or d >= today)]
    return [(d, 1.0) for d in coming[:1]]


def _in(name: str, year: int) -> date | None:
    if name in FIXED:
        return date(year, *FIXED[name])
    return _MOVING[name](year) if name in _MOVING else None
