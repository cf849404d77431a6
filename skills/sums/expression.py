"""Reads and works out a sum in words: "15 percent of 80", "half of ninety plus three".

sum       product (+ - product)*
product   power (× ÷ power)*
power     value (squared | cubed | to the power of value)*
value     number | - value | (square root | half | double | …) of value | number percent of value
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal, DecimalException, localcontext

from assistant.english.lists import word_set
from assistant.english.numbers import read_number

_DIGITS = 30
"""Digits that are reckoned with."""
_EXACT_DIGITS, _EXACT_BELOW = 4, 100
"""Most digits after the point of a number below that, which is said as it is."""
_LARGEST = Decimal(10) ** 15
"""The largest number that is said, and the largest power that is worked out."""
_WORD = re.compile(r"\d[\d,]*(?:\.\d+)?|[a-z]+(?:'[a-z]+)?|[-+*/×÷^%√()]")
_SIGNS = {"+": "plus", "-": "minus", "*": "times", "×": "times", "x": "times", "/": "over"} | {
    **{"÷": "over", "%": "percent", "^": "power", "per-cent": "percent"}
}
_JOINED = (
    (("to", "the", "power", "of"), "power"),
    (("multiplied", "by"), "times"),
    (("divided", "by"), "over"),
    (("take", "away"), "minus"),
    (("per", "cent"), "percent"),
    (("square", "root", "of"), "root"),
    (("cube", "root", "of"), "cube-root"),
)
_ARTICLES = frozenset(("the", "a", "an"))
_SHARES = {
    **{
        "half": Decimal(1) / 2,
        "halve": Decimal(1) / 2,
        "quarter": Decimal(1) / 4,
        "third": Decimal(1) / 3,
    },
    **{"fifth": Decimal(1) / 5, "sixth": Decimal(1) / 6, "seventh": Decimal(1) / 7},
    **{"eighth": Decimal(1) / 8, "ninth": Decimal(1) / 9, "tenth": Decimal(1) / 10},
    **{"twelfth": Decimal(1) / 12, "sixteenth": Decimal(1) / 16},
}
_TIMES = {"double": Decimal(2), "twice": Decimal(2), "triple": Decimal(3), "treble": Decimal(3)}
_FRAMES: tuple[tuple[re.Pattern[str], str], ...] = (
    (re.compile(r"\badd (.+) (?:to|and) (.+)"), r"\1 plus \2"),
    (re.compile(r"\b(?:subtract|take) (.+?) (?:away )?from (.+)"), r"\2 minus \1"),
    (re.compile(r"\bmultiply (.+) (?:by|and|with) (.+)"), r"\1 times \2"),
    (re.compile(r"\b(?:divide|split|share) (.+?) (?:by|between|among|into) (.+)"), r"\1 over \2"),
    (re.compile(r"\b(?:divide|split|share) (.+?)(?: [a-z]+s)? ([a-z]+|\d+) ways\b"), r"\1 over \2"),
    (re.compile(r"(.+?) (?:as|in) (?:a )?(?:percent|percentage)\W*$"), r"\1 times 100"),
    (re.compile(r"(.+?) as a decimal\W*$"), r"\1 times 1"),
    (re.compile(r"\bhow many times does (.+) go into (.+)"), r"\2 over \1"),
)


_LONGEST = 500
"""Most characters of a sum: each word may nest the rest, and each may begin it."""


class SumError(Exception):
    """Why a sum has no result, as it is said."""


def result(text: str, before: Decimal | None = None) -> Decimal | None:
    """What the sum in a text comes to; None where it holds none.

    A text that begins with an operation goes on from the result `before`. Raises `SumError` where
    the sum has no result that can be said.
    """
    if len(text) > _LONGEST:
        return None
    said = text.casefold()
    for pattern, plain in _FRAMES:
        said = pattern.sub(plain, said)
    words = _joined([_SIGNS.get(word, word) for word in _WORD.findall(said)])
    with localcontext(prec=_DIGITS):
        for start in range(len(words)):
            reader = _Reader(words[start:])
            goes_on = before is not None and words[start] in (*_PRODUCTS, *_SUMS)
            try:
                value = reader.rest_of(before) if goes_on and before is not None else reader.sum()
                if value is not None and reader.steps and reader.is_over():
                    return _sayable(value)
            except DecimalException as error:
                raise SumError("That is too large for me to work out.") from error
    return None


def spoken(value: Decimal) -> str:
    """A number as it is said: "108", "minus 2.5", "about 3.33"."""
    sign = "minus " if value < 0 else ""
    size = abs(value)
    digits = 2 if size >= 1 else 2 - size.adjusted() if size else 0
    if size < _EXACT_BELOW and round(size, _EXACT_DIGITS) == size:
        digits = _EXACT_DIGITS
    rounded = round(size, digits)
    text = f"{rounded:f}".rstrip("0").rstrip(".") if "." in f"{rounded:f}" else f"{rounded:f}"
    exact = abs(rounded - size) <= size * Decimal("1e-20")
    return f"{'' if exact else 'about '}{sign}{text}"


def number_in(words: Sequence[str], at: int) -> tuple[Decimal, int] | None:
    """The number that begins at a word, and the place after it: "three point five", "2.5"."""
    if at >= len(words):
        return None
    if words[at][0].isdecimal():
        value, end = Decimal(words[at].replace(",", "")), at + 1
    elif found := read_number(words, at):
        value, end = Decimal(found[0]), found[1]
    else:
        return None
    if words[end : end + 1] == ["point"]:
        figures = ""
        at = end + 1
        while (digit := read_number(words, at)) and 0 <= digit[0] < 10:
            figures, at = f"{figures}{digit[0]}", digit[1]
        if figures:
            value, end = Decimal(f"{value}.{figures}"), at
    if words[end : end + 3] == ["and", "a", "half"]:
        value, end = value + Decimal(1) / 2, end + 3
    return value, end


def words_of(text: str) -> list[str]:
    """The words, numbers and signs of a text."""
    return _WORD.findall(text.casefold())


def _joined(words: Iterable[str]) -> list[str]:
    """The words with each phrase that is one operation as one word."""
    left, found = list(words), list[str]()
    while left:
        phrase, name = next(
            (one for one in _JOINED if tuple(left[: len(one[0])]) == one[0]), ((left[0],), left[0])
        )
        found.append(name)
        del left[: len(phrase)]
    return found


def _sayable(value: Decimal) -> Decimal:
    if abs(value) > _LARGEST:
        raise SumError("That is too large for me to say.")
    return value


def _divided(one: Decimal, other: Decimal) -> Decimal:
    if not other:
        raise SumError("Nothing can be divided by zero.")
    return one / other


def _power(base: Decimal, exponent: Decimal) -> Decimal:
    if base and abs(float(exponent) * math.log10(abs(base))) > _DIGITS:
        raise SumError("That is too large for me to work out.")
    if base < 0 and exponent != exponent.to_integral_value():
        raise SumError("That has no answer among ordinary numbers.")
    if not base and exponent < 0:
        raise SumError("Nothing can be divided by zero.")
    return base**exponent if base or exponent else Decimal(1)


def _root(value: Decimal, degree: int) -> Decimal:
    if value < 0 and degree == 2:
        raise SumError("A negative number has no square root among ordinary numbers.")
    if degree == 2:
        return value.sqrt()
    size = abs(value) ** (Decimal(1) / degree)
    whole = size.to_integral_value()
    size = whole if whole**degree == abs(value) else size
    return -size if value < 0 else size


Operation = Callable[[Decimal, Decimal], Decimal]
_SUMS: dict[str, Operation] = {
    "plus": lambda one, other: one + other,
    "add": lambda one, other: one + other,
    "and": lambda one, other: one + other,
    "minus": lambda one, other: one - other,
    "less": lambda one, other: one - other,
}
_PRODUCTS: dict[str, Operation] = {
    "times": lambda one, other: one * other,
    "over": _divided,
}
_ENDINGS = word_set(
    "please then exactly dollars dollar euros euro pounds pound people ways of us each equals is"
    " equal to make makes be come comes what gst vat tax tip"
)
"""Words after a sum that are no part of it."""


class _Reader:
    """Reads words from the first on; `steps` counts the operations that were read."""

    def __init__(self, words: Sequence[str]) -> None:
        self._words, self._at, self.steps = list(words), 0, 0

    def is_over(self) -> bool:
        """Whether nothing that counts is left: of what so much is, does not."""
        left = self._words[self._at :]
        if left[:1] == ["of"]:
            left = left[2 + (left[1:2] in (["a"], ["an"])) :]
        return _ENDINGS.issuperset(left)

    def sum(self) -> Decimal | None:
        """A sum; None where none begins here."""
        return self.rest_of(self._product())

    def rest_of(self, value: Decimal | None) -> Decimal | None:
        """What follows a value, as far as it belongs to the sum."""
        value = self._more(value, _PRODUCTS, self._power)
        while value is not None and self._next in _SUMS:
            operation, before = self._take(), self._at
            other = self._product()
            if other is None:
                self._at = before - 1
                break
            if self._next == "percent":  # "80 plus 20 percent" is of the 80
                self._take()
                other = value * other / 100
            value, self.steps = _SUMS[operation](value, other), self.steps + 1
        return value

    def _product(self) -> Decimal | None:
        return self._more(self._power(), _PRODUCTS, self._power)

    def _more(
        self,
        value: Decimal | None,
        operations: dict[str, Operation],
        operand: Callable[[], Decimal | None],
    ) -> Decimal | None:
        while value is not None and self._next in operations:
            operation, before = self._take(), self._at
            other = operand()
            if other is None:
                self._at = before - 1
                break
            value, self.steps = operations[operation](value, other), self.steps + 1
        return value

    def _power(self) -> Decimal | None:
        value = self._value()
        while value is not None and self._next in ("squared", "cubed", "power"):
            word = self._take()
            exponent = self._value() if word == "power" else Decimal(2 + (word == "cubed"))
            if exponent is None:
                return None
            value, self.steps = _power(value, exponent), self.steps + 1
        return value

    def _value(self) -> Decimal | None:
        if found := number_in(self._words, self._at):  # "a hundred"
            value, self._at = found
            return self._share_of(value)
        if self._next in _ARTICLES:
            self._take()
            return self._value()
        if self._next == "minus":
            self._take()
            negated = self._value()
            return None if negated is None else -negated
        return self._prefixed()

    def _share_of(self, value: Decimal) -> Decimal | None:
        """A number, or so many percent, thirds or quarters of another."""
        word = self._next.removesuffix("s")
        following = self._words[self._at + 1 : self._at + 2]
        if word == "percent" and following in (["of"], ["off"]):
            self._at += 2
            whole = self._value()
            if whole is None:
                return None
            self.steps += 1
            share = whole * value / 100
            return share if following == ["of"] else whole - share
        if word not in _SHARES:
            return value
        self._take()
        self.steps += 1
        share, ends = value * _SHARES[word], self._at
        if following != ["of"]:
            return share
        self._take()
        whole = self._value()
        if whole is None:  # "two thirds of a cup"
            self._at = ends
        return share if whole is None else whole * share

    def _prefixed(self) -> Decimal | None:
        word = self._next
        if word not in (*_SHARES, *_TIMES, "root", "cube-root", "square", "cube"):
            return None
        self._take()
        if self._next == "of":
            self._take()
        value = self._value()
        if value is None:
            return None
        self.steps += 1
        match word:
            case "root":
                return _root(value, 2)
            case "cube-root":
                return _root(value, 3)
            case "square":
                return _power(value, Decimal(2))
            case "cube":
                return _power(value, Decimal(3))
        return value * (_SHARES.get(word) or _TIMES[word])

    @property
    def _next(self) -> str:
        return self._words[self._at] if self._at < len(self._words) else ""

    def _take(self) -> str:
        self._at += 1
        return self._words[self._at - 1]
