"""Written text as a voice reads it aloud: signs and units as words.

The voices read numbers, money in dollars and times of day well by themselves (checked with
`flite -pw`); only what they leave out or spell is rewritten.
"""

from __future__ import annotations

import re
import unicodedata

from assistant.english.dates import month_name
from assistant.english.units import SPOKEN_UNITS, measured

SIGNS = {
    "&": "and",
    "+": "plus",
    "=": "equals",
    "×": "times",
    "½": "a half",
    "¼": "a quarter",
    "¾": "three quarters",
    "<": "less than",
    ">": "more than",
    "@": "at",
}

_NUMBER = r"\d+(?:[.,]\d+)*"
_LEFT = ("%", "A", "V")
"""Symbols that are kept: voices read the first; the others are often a label ("flat 5 A")."""
_UNITS = sorted(SPOKEN_UNITS.keys() - _LEFT, key=len, reverse=True)
_UNIT = "|".join(map(re.escape, _UNITS))
_RULES: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"\[([^\[\]]*)\]\([^()]*\)"), r"\1"),
    (re.compile(r"\bhttps?://(?:www\.)?([^\s/]+)\S*"), r"\1"),
    (re.compile(r"(?m)^\s*(?:[-*•]|#+)\s+"), ""),
    (re.compile(r"(\*\*|__|\*|`)(?=\S)(.+?)(?<=\S)\1"), r"\2"),
    (re.compile(rf"([€£])\s?({_NUMBER})"), r"\2 \1"),
    (re.compile(rf"(?<![\w.])[−–-](?={_NUMBER}\s?(?:°|%))"), "minus "),
    (re.compile(rf"({_NUMBER})\s?[–—]\s?(?={_NUMBER})"), r"\1 to "),
    (re.compile(r"[\[\]{}|\\~^`*_#]+"), " "),
)
_DATE = re.compile(r"\b(\d{4})-(\d\d)-(\d\d)\b")
_QUANTITY = re.compile(rf"({_NUMBER})\s?({_UNIT})(?![\w°])")
_SIGN = re.compile("|".join(map(re.escape, SIGNS)))
_UNSPEAKABLE = {"Cc", "Cf", "Cs", "Co", "Cn", "So", "Sk"}


def read_aloud(text: str) -> str:
    """`text` without markup, pictures and control characters, its signs and units as words."""
    for pattern, replacement in _RULES:
        text = pattern.sub(replacement, text)
    text = _DATE.sub(_date, text)
    text = _QUANTITY.sub(_quantity, text)
    text = _SIGN.sub(lambda sign: f" {SIGNS[sign[0]]} ", text)
    kept = (" " if unicodedata.category(c) in _UNSPEAKABLE else c for c in text)
    return re.sub(r"\s+([.,;:!?])", r"\1", " ".join("".join(kept).split()))


def _date(match: re.Match[str]) -> str:
    month, day = int(match[2]), int(match[3])
    if not (1 <= month <= 12 and 1 <= day <= 31):
        return match[0]
    return f"{month_name(month)} {day}, {match[1]}"


def _quantity(match: re.Match[str]) -> str:
    return measured(match[1], match[2])
