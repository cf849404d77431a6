"""What is written shorter than it is said: times, durations, dates and fractions."""

from __future__ import annotations

import re
from collections.abc import Sequence

from assistant.english.dates import MONTH_NUMBERS
from assistant.english.lists import word_list
from assistant.english.units import UNIT_FORMS

LONGEST_WRITTEN = 3
"""Most words that are read together."""
_VULGAR = {
    "½": "a half",
    "¼": "a quarter",
    "¾": "3 quarters",
    "⅓": "a third",
    "⅔": "2 thirds",
    "⅛": "an eighth",
}
_VULGAR_FRACTION = re.compile(rf"(?P<whole>\d\s?)?(?P<part>[{''.join(_VULGAR)}])")
_BEFORE_A_TIME = word_list("at by for until till from before after around alarm")
_BEFORE_A_DATE = word_list("on for by until till from before after since")
_BEFORE_A_DURATION = word_list("for in timer after another of")
_UNITS = {"h": "hours", "m": "minutes", "s": "seconds"}
_CLOCK = re.compile(r"(?P<hour>\d{1,2})(?P<minute>[0-5]\d)")
_NAMES = {
    number: max((n for n in MONTH_NUMBERS if MONTH_NUMBERS[n] == number), key=len)
    for number in range(1, 13)
}
_MONTHS = {short: _NAMES[number] for short, number in MONTH_NUMBERS.items()}


def fractions_in_words(text: str) -> str:
    """A text with its vulgar fractions in words: "1½ hours" → "1 and a half hours"."""

    def words(found: re.Match[str]) -> str:
        part = _VULGAR[found["part"]]
        return f"{found['whole'].strip()} and {part} " if found["whole"] else f"{part} "

    return _VULGAR_FRACTION.sub(words, text)


def written(before: str, words: Sequence[str]) -> tuple[int, list[str]]:
    """How many of the first canonical words are one thing, and how it is said.

    `before` is the word before them; what is not written short is one word, as it is.
    """
    first, second, third = (*words, "", "", "")[:LONGEST_WRITTEN]
    if second == "/" and third.isdecimal():
        return 3, (before in _BEFORE_A_DATE and _dated(first, third)) or [first, third]
    if first == "@":
        return 1, ["at"]
    clock = _CLOCK.fullmatch(_joined(first, second, third)) if before in _BEFORE_A_TIME else None
    if clock and int(clock["hour"]) < 25 and (clock["minute"] != "00" or len(first) == 4):
        return (3 if second == "point" else 1), [clock["hour"], clock["minute"]]
    if first.isdecimal() and second in _UNITS:
        timed = second == "h" or before in (*_BEFORE_A_DURATION, *_UNITS)
        if timed or (third.isdecimal() and second == "m"):
            return 2, [first, _UNITS[second]]
    if second in _MONTHS and first[:1].isdecimal():
        return 2, [first, _MONTHS[second]]
    if first in _MONTHS and second[:1].isdecimal():
        return 2, [_MONTHS[first], second]
    return 1, [first]


def _dated(first: str, second: str) -> list[str]:
    """A date of two numbers, the day first unless it cannot be; none where neither is a month."""
    numbers = [int(first), int(second)] if first.isdecimal() else []
    if numbers and numbers[1] not in _NAMES:
        numbers.reverse()
    return [str(numbers[0]), _NAMES[numbers[1]]] if numbers and numbers[1] in _NAMES else []


def _joined(first: str, second: str, third: str) -> str:
    """The digits of a clock in one word, or with a point between its hours and minutes."""
    if second == "point" and len(third) == 2 and len(first) < 3:
        return first + third
    counted = second not in ("am", "pm") and (second in UNIT_FORMS or second.endswith("s"))
    return "" if len(first) < 3 or counted else first
