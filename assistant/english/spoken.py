"""Values as a person would say them in English."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from typing import Any

from assistant.english.dates import full_date, month_and_day, weekday_name
from assistant.english.numbers import ONES

_VOWEL = r"(?:(?!one\b|once\b|uni|use|eu)[aeiou]|hour|honest)"
_A_BEFORE_VOWEL = re.compile(rf"\ba\b(?= {_VOWEL})")
_AN_BEFORE_CONSONANT = re.compile(rf"\ban\b(?! {_VOWEL})")
_UNITS = ((86_400, "day"), (3_600, "hour"), (60, "minute"), (1, "second"))
_SMALL = ONES[:13]

_ADVERBS = ("upstairs", "downstairs", "outside", "inside", "outdoors")
"""Places that are said without a preposition."""


def spoken(value: Any, now: datetime) -> str:
    """`value` in words, by default its `str`; days are relative to `now`."""
    match value:
        case timedelta():
            return length(value)
        case datetime():
            return f"{_day(value.date(), now)} at {_time(value.timetz())}"
        case date():
            return _day(value, now)
        case time():
            return _time(value)
        case Enum():
            return str(value.value)
        case float() | Decimal():
            return f"{value:f}".rstrip("0").rstrip(".") if value % 1 else f"{value:.0f}"
        case str():
            return value
        case Sequence():
            return joined([spoken(one, now) for one in value])
    return str(value)


def joined(words: Sequence[str]) -> str:
    """Words as a list: "a", "a and b", "a, b and c"."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} and {words[-1]}"


def count(number: int, noun: str) -> str:
    """A number of things: "one timer", "13 timers"."""
    figure = _SMALL[number] if 0 <= number < len(_SMALL) else str(number)
    return f"{figure} {noun if number == 1 else plural(noun)}"


def plural(noun: str) -> str:
    """The plural of a regular English noun: "lights", "switches"."""
    return f"{noun}es" if noun.endswith(("s", "x", "ch", "sh")) else f"{noun}s"


def articles(text: str) -> str:
    """Correct "a" and "an": a template that allows both allows each before any word."""
    return _A_BEFORE_VOWEL.sub("an", _AN_BEFORE_CONSONANT.sub("a", text))


def possessive(name: str) -> str:
    """The possessive of a name: "Anna's", "the guests'"."""
    return f"{name}'" if name.endswith("s") else f"{name}'s"


def with_article(name: str) -> str:
    """A room or device as it is spoken of: "the hall"; without "the" where it has an owner."""
    owner, _, rest = name.partition("'s ")
    return f"{owner}'s {rest.casefold()}" if rest else f"the {name.casefold()}"


def in_place(name: str) -> str:
    """A room or floor as it is said after what is in it: "in the kitchen", "upstairs"."""
    place = name.casefold()
    if place in _ADVERBS:
        return place
    return f"{'on' if place.endswith('floor') else 'in'} {with_article(name)}"


def length(value: timedelta) -> str:
    """A duration: "five minutes", "one hour and 30 seconds"."""
    left = round(abs(value).total_seconds())
    parts = []
    for seconds, unit in _UNITS:
        number, left = divmod(left, seconds)
        if number:
            parts.append(count(number, unit))
    return joined(parts) or "zero seconds"


def _time(value: time) -> str:
    hour = value.hour % 12 or 12
    half = "am" if value.hour < 12 else "pm"
    return f"{hour} {half}" if value.minute == 0 else f"{hour}:{value.minute:02d} {half}"


def _day(value: date, now: datetime) -> str:
    near = {0: "today", 1: "tomorrow", -1: "yesterday"}
    ahead = (value - now.date()).days
    if ahead in near:
        return near[ahead]
    told = month_and_day(value) if value.year == now.year else full_date(value)
    return f"{weekday_name(value)}, {told}"
