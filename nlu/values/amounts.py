"""Numbers with what people add to them: "2 point 5", "2 and 3 quarters", "half a dozen"."""

from __future__ import annotations

import re
from collections.abc import Sequence

from assistant.english.numbers import ORDINALS, SCALES, is_digits
from assistant.english.stems import singular

_PARTS = {"half": 2, "halve": 2, "quarter": 4} | {
    word: parts for parts, word in enumerate(ORDINALS[:10], start=1) if parts > 2
}
_EITHER_NUMBER = ("half", "quarter")
"""Parts that follow a number above one without an s: "3 quarter hours"."""
_BUNDLES = {"dozen": 12, "pair": 2, "couple": 2, "few": 3}
_DIGITS = re.compile(r"\d{1,9}")

Amount = tuple[float, int]
"""A number, and the index after its last word."""


def amount(said: Sequence[str], at: int = 0) -> Amount | None:
    """The longest amount that begins at `at`; None where none does. A single "a" is none."""
    found = fraction(said, at) or _mixed(said, at)
    return _bundled(said, at, found)


def fraction(said: Sequence[str], at: int = 0) -> Amount | None:
    """A part of one: "half", "a third", "3 quarters", "2 slash 3"."""
    count, end = 1, at
    if said[at : at + 1] == ["a"]:
        end += 1
    elif at < len(said) and _DIGITS.fullmatch(said[at]):
        count, end = int(said[at]), at + 1
        if said[end : end + 1] in (["slash"], ["over"]) and end + 1 < len(said):
            below = int(said[end + 1]) if is_digits(said[end + 1]) else 0
            return (count / below, end + 2) if 0 < count < below else None
    if end >= len(said):
        return None
    parts = _PARTS.get(singular(said[end]), 0)
    is_bare = end == at and said[end] not in ("half", "quarter")
    needs_s = count > 1 and said[end] not in _EITHER_NUMBER
    if not 0 < count < max(parts, 1) or is_bare or (needs_s and said[end][-1] != "s"):
        return None
    return count / parts, end + 1


def number(text: str) -> int | float | None:
    """The number that a whole phrase is, with an optional "minus"; None when it is none."""
    unsigned = text.removeprefix("minus ")
    said = unsigned.split()
    found = amount(said)
    if found is None or found[1] < len(said):
        return None
    return tidy(found[0] if unsigned == text else -found[0])


def tidy(value: float) -> int | float:
    """A value without rounding errors; an int where it is whole."""
    rounded = round(value, 10)
    return int(rounded) if rounded == int(rounded) else rounded


def _mixed(said: Sequence[str], at: int) -> Amount | None:
    whole, end = _decimal(said, at) or (None, at)
    if whole is None:
        return None
    joined = end + (said[end : end + 1] == ["and"])
    part = fraction(said, joined)
    if part and (joined > end or part[1] > joined + 1):
        whole, end = whole + part[0], part[1]
    if end < len(said) and said[end] in SCALES and said[end] != "hundred":
        return whole * SCALES[said[end]], end + 1
    return whole, end


def _decimal(said: Sequence[str], at: int) -> Amount | None:
    """A number with a decimal point; its digits before the point may be missing."""
    end = at + (at < len(said) and is_digits(said[at]))
    whole, decimals = said[at] if end > at else "0", ""
    if said[end : end + 1] == ["point"]:
        after = end + 1
        while after < len(said) and len(decimals) < 9 and (digit := _digit(said[after], decimals)):
            decimals, after = decimals + digit, after + 1
        end = after if decimals else end
    return (float(f"{whole}.{decimals or 0}"), end) if end > at else None


def _digit(word: str, before: str) -> str:
    """The decimals that a word stands for: any digits right after the point, then one at a time."""
    if word in ("oh", "o"):
        return "0"
    return word if is_digits(word) and (not before or len(word) == 1) else ""


def _bundled(said: Sequence[str], at: int, found: Amount | None) -> Amount | None:
    """An amount, or one of dozens, pairs and couples: "2 dozen", "half a dozen", "a couple of"."""
    value, end = found or (1.0, at)
    if said[end : end + 1] == ["a"] and (found is None or value < 1):
        end += 1
    if end >= len(said) or said[end] not in _BUNDLES:
        return found
    value *= _BUNDLES[said[end]]
    return value, end + 1 + (said[end + 1 : end + 2] == ["of"])
