"""Days of the week: "friday", "next friday", "monday after next", "tuesday of next week"."""

from __future__ import annotations

import re
from datetime import date, timedelta

from assistant.english.dates import WEEKDAY_NUMBERS

Days = list[tuple[date, float]]
"""Dates with the likelihood of each, the best first."""

_COMING = ("coming", "this coming", "upcoming")
_OF_WEEK = re.compile(r"(?P<day>\w+)(?: of| in)? (?P<which>this|next|last) week")


def weekday(word: str) -> int | None:
    """0 for "monday" or "mon" to 6; None for another word."""
    return WEEKDAY_NUMBERS.get(word)


def day_of_week(words: str, today: date) -> Days:
    """A day of the week, from today on unless "last" was said.

    "next friday" is the one in the week after this, but may be the next one; "friday", said on a
    Friday, is in a week, but may be today.
    """
    if found := _OF_WEEK.fullmatch(words):
        return _of_week(found["day"], found["which"], today)
    is_after_next = words.endswith(" after next")
    which, _, name = words.removesuffix(" after next").rpartition(" ")
    number = weekday(name)
    if number is None or which not in ("", "this", "next", "last", "past", *_COMING):
        return []
    ahead = (number - today.weekday()) % 7
    coming = today + timedelta(days=ahead or 7)
    later = today + timedelta(days=7 - today.weekday() + number)
    if is_after_next:
        after = timedelta(days=7)
        return [(coming + after, 0.6), *([(later + after, 0.4)] if later != coming else [])]
    if which in ("last", "past"):
        return [(today + timedelta(days=ahead - 7), 1.0)]
    if which == "this":
        return [(today + timedelta(days=ahead), 1.0)]
    if which == "next" and later != coming:
        return [(later, 0.65), (coming, 0.35)]
    return [(coming, 1.0)] if ahead or which else [(coming, 0.75), (today, 0.25)]


def _of_week(name: str, which: str, today: date) -> Days:
    number = weekday(name)
    if number is None:
        return []
    monday = today + timedelta(days={"this": 0, "next": 7, "last": -7}[which] - today.weekday())
    return [(monday + timedelta(days=number), 1.0)]
