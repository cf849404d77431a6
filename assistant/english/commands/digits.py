"""Digits said one after another or in pairs, as people say a PIN."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assistant.english.lists import word_set
from assistant.english.numbers import MISHEARD, MISHEARD_AFTER, ONES, TENS
from assistant.english.words import words

SPOKEN_DIGITS = (
    *("oh", *ONES, *TENS, "double", "triple"),
    *(f"{ten} {one}" for ten in TENS for one in ONES[1:10]),
)
"""What a number that is said digit by digit, or in pairs, is made up of.

An ear that does not know the pairs hears "seventeen nine" for "seventy nine".
"""
LONGEST = 40
"""Most words that are read; a longer text is no PIN."""

_ZERO = ("oh", "o", "nought", "null")
_MISHEARD = MISHEARD | MISHEARD_AFTER
_VALUES = {
    **{word: str(value) for value, word in enumerate(ONES)},
    **{word: str(value) for value, word in enumerate(TENS, start=2)},
    **dict.fromkeys(_ZERO, "0"),
}
_TIMES = {"double": 2, "triple": 3}
_AROUND = word_set("it is my the a pin code number please and um uh er well ok okay yes sure")


def digits_of(text: str) -> str | None:
    """The digits of a text that says nothing else: "twelve thirty four" is "1234".

    Gives None for any other text.
    """
    said = [word for word in words(text) if word not in _AROUND]
    if not 0 < len(said) <= LONGEST:
        return None
    parts = list(_parts([_MISHEARD.get(word, word) for word in said]))
    return None if None in parts else "".join(part for part in parts if part)


def _parts(said: Sequence[str]) -> Iterator[str | None]:
    """The digits of each word, or of two that are one number; None for a word that has none."""
    at = 0
    while at < len(said):
        word, after = said[at], said[at + 1] if at + 1 < len(said) else ""
        single = _VALUES.get(after, "")
        at += 1
        if word in TENS:
            joined = len(single) == 1 and single != "0" and after not in TENS
            yield _VALUES[word] + (single if joined else "0")
            at += joined
        elif word in _TIMES and len(single) == 1 and after not in TENS:
            yield single * _TIMES[word]
            at += 1
        else:
            figures = word.isascii() and word.isdecimal()
            yield word if figures else _VALUES.get(word)
