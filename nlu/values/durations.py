"""Durations: "1 hour and 20 minutes", "half a hour", "2 and a half minutes", "1 30 hours"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from assistant.english.stems import singular
from nlu.values.amounts import amount, fraction, tidy

MINUTE_S, HOUR_S, DAY_S, WEEK_S = 60, 3600, 86_400, 604_800
UNITS_S = (
    dict.fromkeys(("second", "sec", "s"), 1)
    | dict.fromkeys(("minute", "min", "m"), MINUTE_S)
    | dict.fromkeys(("hour", "hr", "h"), HOUR_S)
    | {"day": DAY_S, "d": DAY_S, "week": WEEK_S, "wk": WEEK_S, "fortnight": 2 * WEEK_S}
    | {"month": 30 * DAY_S, "year": 365 * DAY_S}
)
_NEXT_SMALLER_S = {DAY_S: HOUR_S, HOUR_S: MINUTE_S, MINUTE_S: 1}
_LONGEST_S = 100 * 365 * DAY_S
_FILLERS = frozenset(("more", "another", "extra", "additional", "single", "whole", "full", "solid"))
_COLON = re.compile(r"(\d{1,3}) ([0-5]\d)(?: ([0-5]\d))? (\w+)")


def unit_s(word: str) -> int:
    """Seconds of a unit of time in its singular or plural; 0 for another word."""
    return UNITS_S.get(word) or UNITS_S.get(singular(word), 0)


def duration(text: str) -> int | float | None:
    """Seconds of a phrase that is a duration as a whole, with its units from large to small."""
    if found := _COLON.fullmatch(text):
        return _with_colon(found)
    said = _without_fillers(text.split())
    total, at, unit = 0.0, 0, 2 * _LONGEST_S
    while at < len(said):
        part = _part(said, at, unit)
        if part is None or total + part[0] > _LONGEST_S:
            return None
        total, at, unit = total + part[0], part[1], part[2]
    return tidy(round(total, 3)) if total > 0 else None


def _with_colon(found: re.Match[str]) -> int | None:
    """ "1:30 hours", "1:05:30 hours", "2:30 minutes"."""
    unit = unit_s(found[4])
    if unit not in (HOUR_S, MINUTE_S) or (found[3] and unit == MINUTE_S):
        return None
    return int(found[1]) * unit + int(found[2]) * unit // 60 + int(found[3] or 0) or None


def _without_fillers(said: list[str]) -> list[str]:
    """The words that count: "10 more minutes" is 10 minutes, "another hour" an hour."""
    if said[:1] == ["another"] and len(said) > 1 and unit_s(said[1]):
        said = ["a", *said[1:]]
    return [word for word in said if word not in _FILLERS]


def _part(said: Sequence[str], at: int, above: int) -> tuple[float, int, int] | None:
    """Seconds of the unit that begins at `at`, the index after it, and the unit's own seconds."""
    start = at + (at > 0 and said[at] == "and")
    count, end = amount(said, start) or (1.0, start)
    if end == start and said[end : end + 1] == ["a"]:
        end += 1
    elif count < 1:  # half of a hour
        end += said[end : end + 1] == ["of"]
        end += said[end : end + 1] == ["a"]
    unit = unit_s(said[end]) if end < len(said) else 0
    if not unit:
        return _bare(said, start, end, above)
    more = _more(said, end + 1)
    if unit >= above or (end == start and more is None):
        return None
    return (count + (more[0] if more else 0)) * unit, more[1] if more else end + 1, unit


def _bare(said: Sequence[str], start: int, end: int, above: int) -> tuple[float, int, int] | None:
    """A last number without its unit: "1 hour 20"."""
    unit = _NEXT_SMALLER_S.get(above, 0)
    if not unit or end != len(said) or end != start + 1 or not said[start].isdecimal():
        return None
    return float(said[start]) * unit, end, unit


def _more(said: Sequence[str], at: int) -> tuple[float, int] | None:
    """The fraction of the unit before: "1 hour and a half", but not "… and half a minute"."""
    if said[at : at + 1] != ["and"]:
        return None
    part = fraction(said, at + 1)
    if part is None:
        return None
    after = said[part[1]] if part[1] < len(said) else ""
    return None if after in ("a", "of") or unit_s(after) else part
