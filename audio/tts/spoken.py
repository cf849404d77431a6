"""Text as it is said: signs and units as words.

The voices read numbers, money in dollars and times of day well by themselves (checked with
`flite -pw`); only what they swallow or spell out is rewritten.
"""

from __future__ import annotations

import re
import unicodedata

MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)

UNITS = {
    "°C": "degree Celsius|degrees Celsius",
    "°F": "degree Fahrenheit|degrees Fahrenheit",
    "°": "degree|degrees",
    "km/h": "kilometre per hour|kilometres per hour",
    "m/s": "metre per second|metres per second",
    "kWh": "kilowatt hour|kilowatt hours",
    "kW": "kilowatt|kilowatts",
    "W": "watt|watts",
    "km": "kilometre|kilometres",
    "cm": "centimetre|centimetres",
    "mm": "millimetre|millimetres",
    "kg": "kilogram|kilograms",
    "g": "gram|grams",
    "ml": "millilitre|millilitres",
    "l": "litre|litres",
    "hPa": "hectopascal|hectopascals",
    "€": "euro|euros",
    "£": "pound|pounds",
}
"""Unit after a number → one and many."""

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
_UNIT = "|".join(re.escape(u) for u in sorted(UNITS, key=len, reverse=True))
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


def spoken(text: str) -> str:
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
    return f"{MONTHS[month - 1]} {day}, {match[1]}"


def _quantity(match: re.Match[str]) -> str:
    one, many = UNITS[match[2]].split("|")
    return f"{match[1]} {one if match[1] == '1' else many}"
