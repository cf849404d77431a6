"""Writes signs that belong to a value as words, as the canonical form drops them: "$3.20", "¾"."""

from __future__ import annotations

import re
import unicodedata

from assistant.english.units import CURRENCY_SIGNS

_SIGNS = "".join(CURRENCY_SIGNS)

_STEPS: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"(?<=\d)⁄(?=\d)"), "/"),  # what NFKC makes of ½
    (re.compile(rf"([{_SIGNS}])\s?(\d+(?:[.,]\d+)*)"), r" \2 \1 "),
    (re.compile(r"(?<=\d)\s*[-–—]\s*(?=\d+(?:[.:]\d+)?(?![\d-]))(?<!\d-\d\d-)"), " to "),
    (re.compile(r"(?<![\w.-])[-−](?=\d)"), "minus "),
    (re.compile(r"(?<=\d)\s*/\s*(?=\d)"), " slash "),
    (re.compile(r"(?<!\d)\.(?=\d)"), " point "),
)
_ISO_DATE = re.compile(r"\b(\d{4})-(\d\d?)-(\d\d?)(?:t(?=\d)|\b)")
_VULGAR_FRACTION = re.compile(r"(?<=\d)(?=[¼½¾⅐-⅞])")


def signs_as_words(text: str) -> str:
    """Write a value's signs as words: "$3.20" → "3.20 dollars", "-5" → "minus 5"."""
    flat = unicodedata.normalize("NFKC", _VULGAR_FRACTION.sub(" ", text)).casefold()
    flat = _ISO_DATE.sub(r"\1 \2 \3 ", flat)
    for sign, words in _STEPS:
        flat = sign.sub(words, flat)
    for symbol, name in CURRENCY_SIGNS.items():
        flat = flat.replace(symbol, f" {name} ")
    return flat
