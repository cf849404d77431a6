"""Days of the year that go by a name everywhere English is spoken."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, timedelta

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


def next_named(words: str, today: date) -> date | None:
    """The next day of that name, today included; None for a name that is not known."""
    name = plain(words)
    if name in FIXED:
        coming = (date(year, *FIXED[name]) for year in (today.year, today.year + 1))
    elif name in _MOVING:
        coming = (_MOVING[name](year) for year in (today.year, today.year + 1))
    else:
        return None
    return next(found for found in coming if found >= today)
