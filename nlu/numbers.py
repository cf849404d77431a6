"""Number words to digits, and digits to the words people say."""

from __future__ import annotations

from collections.abc import Sequence

from nlu.phrases import words

ONES = words(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen"
)
TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
SCALES = {"hundred": 100, "thousand": 1000, "million": 1_000_000}

_SMALL = {word: value for value, word in enumerate(ONES)} | {"nought": 0, "fourty": 40}
_TENS = {word: 10 * value for value, word in enumerate(TENS, start=2)}


def read_number(said: Sequence[str], start: int = 0) -> tuple[int, int] | None:
    """Read the longest whole number that begins at `start`: its value and the index after it.

    "one hundred and five" is one number, "six thirty" and "twenty twenty" are two. Gives None
    where no number begins; "a hundred" is one, a lone "a" is none.
    """
    total, group, end = 0, _below_hundred(said, start), start
    value: int | None = None
    if group is None and said[start : start + 1] == ["a"] and _scale(said, start + 1):
        group = (1, start + 1)
    while group is not None:
        amount, end = group
        while scale := _scale(said, end):
            amount, end = amount * scale, end + 1
        if value is not None and amount >= value:
            break
        total, value, after = total + amount, amount, end
        if amount < 100:
            return total, after
        next_at = end + 1 if said[end : end + 1] == ["and"] else end
        group = _below_hundred(said, next_at)
        if group is None:
            return total, after
    return None if value is None else (total, end)


def _scale(said: Sequence[str], at: int) -> int:
    return SCALES.get(said[at], 0) if at < len(said) else 0


def _below_hundred(said: Sequence[str], at: int) -> tuple[int, int] | None:
    if at >= len(said):
        return None
    word = said[at]
    if word in _TENS:
        if at + 1 < len(said) and 1 <= _SMALL.get(said[at + 1], 0) <= 9:
            return _TENS[word] + _SMALL[said[at + 1]], at + 2
        return _TENS[word], at + 1
    if word in _SMALL:
        return _SMALL[word], at + 1
    return (int(word), at + 1) if word.isdecimal() and word.isascii() else None


def spell(number: int) -> str:
    """Say a whole number in words: 105 is "one hundred and five"."""
    if number < 0:
        return f"minus {spell(-number)}"
    if number < 20:
        return ONES[number]
    if number < 100:
        tens, ones = divmod(number, 10)
        return TENS[tens - 2] + (f" {ONES[ones]}" if ones else "")
    name, scale = next((n, s) for n, s in reversed(SCALES.items()) if s <= number)
    count, rest = divmod(number, scale)
    joint = " and " if 0 < rest < 100 else " "
    return f"{spell(count)} {name}" + (joint + spell(rest) if rest else "")
