"""Whether words for a time say which half of the day is meant, and which day."""

from __future__ import annotations

import re

from assistant.english.dates import WEEKDAYS
from assistant.english.lists import word_list

_HALVES = word_list(
    "am pm a.m. p.m. morning afternoon evening night tonight noon midday midnight hours lunchtime"
)
_DAYS = frozenset((*WEEKDAYS, *word_list("today tonight tomorrow day weekday weekdays weekend of")))
_LATE_HOURS = word_list(
    "thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty 0 00 zero midnight"
)
_SIDES = frozenset(("past", "to", "after", "before", "till", "of"))
_AROUND = frozenset(("at", "for", "by", "on", "the"))
_NOON = 12


def says_half_of_day(words: str) -> bool:
    """Whether a time is of one half of the day alone: "7 pm", "nineteen thirty", "noon"."""
    said = [word for word in re.findall(r"[\w.]+", words.casefold()) if word not in _AROUND]
    if not said or not frozenset(_HALVES).isdisjoint(said):
        return True
    if not _SIDES.isdisjoint(said):
        return False
    first = said[0]
    return first in _LATE_HOURS or (first.isdecimal() and int(first[:2]) > _NOON)


def says_day(words: str) -> bool:
    """Whether a time names its day: "friday at six", "tomorrow morning"."""
    return not _DAYS.isdisjoint(re.findall(r"\w+", words.casefold()))
