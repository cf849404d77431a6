"""Number words to digits, and digits to the words people say."""

from __future__ import annotations

from collections.abc import Sequence

from assistant.english.lists import word_list, word_set

ONES = word_list(
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen "
    "fifteen sixteen seventeen eighteen nineteen"
)
TENS = word_list("twenty thirty forty fifty sixty seventy eighty ninety")
SCALES = {"hundred": 100, "thousand": 1000, "million": 1_000_000}
ORDINALS = word_list(
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth "
    "fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"
)
ORDINAL_WORDS = frozenset(ORDINALS)
"""Words for a place in an order."""

FIGURES = (
    {word: str(value) for value, word in enumerate(ONES)}
    | {word: str(10 * value) for value, word in enumerate(TENS, start=2)}
    | {
        f"{ten}-{one}": str(10 * tens + ones)
        for tens, ten in enumerate(TENS, start=2)
        for ones, one in enumerate(ONES[1:10], start=1)
    }
    | {word: str(value) for value, word in enumerate(ORDINALS, start=1)}
    | {"hundred": "100", "thousand": "1000", "million": "million", "billion": "billion"}
    | {"half": "half", "quarter": "quarter", "dozen": "12", "twice": "2 times"}
)
"""Number word → the form in which numbers of two texts are compared."""

MISHEARD = {"too": "two", "ate": "eight", "won": "one", "tree": "three"}
"""Words that speech recognition writes for a number before a unit of time."""
MISHEARD_AFTER = {"for": "four", "to": "two"}
"""The same, after a word of `BEFORE_NUMBER` alone: "in for minutes", but "wait for hours"."""
BEFORE_NUMBER = word_set("for to in by at of add another") | frozenset(TENS)
_MISHEARD_BEFORE_THINGS = MISHEARD_AFTER | {"too": "two", "ate": "eight"}
"""The same, before things that are counted: "for tins of tomatoes"."""
_NOT_COUNTED = word_set("the a an my our your his her their this that these those some any")
TIMED_BY = word_set("minute minutes min mins hour hours second seconds")

_STEPS = {"thousand": 1000, "million": 1_000_000}
_MOST_DIGITS = 9
_LARGEST = 10**_MOST_DIGITS

_SMALL = {word: value for value, word in enumerate(ONES)} | {"nought": 0, "fourty": 40}
_TENS = {word: 10 * value for value, word in enumerate(TENS, start=2)}


def read_number(said: Sequence[str], start: int = 0) -> tuple[int, int] | None:
    """Read the longest whole number that begins at `start`: its value and the index after it.

    "one hundred and five" is one number, "six thirty" and "twenty twenty" are two. Gives None
    where no number begins; "a hundred" is one, a single "a" is none.
    """
    total, at, end, ceiling = 0, start, start, _LARGEST
    while group := _below_thousand(said, at):
        value, after = group
        scale = 1
        while (step := _step(said, after)) and value * scale * step < _LARGEST:
            scale, after = scale * step, after + 1
        if end > start and value * scale >= ceiling:
            break
        total, end, ceiling = total + value * scale, after, scale
        if scale == 1:
            break
        at = _past_and(said, end)
    return (total, end) if end > start else None


def _step(said: Sequence[str], at: int) -> int:
    return _STEPS.get(said[at], 0) if at < len(said) else 0


def _past_and(said: Sequence[str], at: int) -> int:
    return at + 1 if said[at : at + 1] == ["and"] else at


def _below_thousand(said: Sequence[str], at: int) -> tuple[int, int] | None:
    is_one = said[at : at + 1] == ["a"] and at + 1 < len(said) and said[at + 1] in SCALES
    small = (1, at + 1) if is_one else _below_hundred(said, at)
    if small is None or small[0] >= 100 or said[small[1] : small[1] + 1] != ["hundred"]:
        return small
    value, end = small[0] * 100, small[1] + 1
    rest = _below_hundred(said, _past_and(said, end))
    return (value + rest[0], rest[1]) if rest and 0 < rest[0] < 100 else (value, end)


def _below_hundred(said: Sequence[str], at: int) -> tuple[int, int] | None:
    """A number without "hundred" in it, or one in digits."""
    if at >= len(said):
        return None
    word = said[at]
    if word in _TENS:
        if at + 1 < len(said) and 1 <= _SMALL.get(said[at + 1], 0) <= 9:
            return _TENS[word] + _SMALL[said[at + 1]], at + 2
        return _TENS[word], at + 1
    if word in _SMALL:
        return _SMALL[word], at + 1
    return (int(word), at + 1) if is_digits(word) else None


def counted(thing: str) -> str:
    """A thing with its number, where that was written as another word: "for tins of beans"."""
    first, _, rest = thing.partition(" ")
    number = _MISHEARD_BEFORE_THINGS.get(first.casefold())
    unit = rest.partition(" of ")[0].split()
    if number is None or not unit or unit[0] in _NOT_COUNTED:
        return thing
    plural = unit[-1].endswith("s") and not unit[-1].endswith("ss")
    return f"{number} {rest}" if plural else thing


def is_digits(word: str) -> bool:
    """Whether a word is a whole number in digits, of a size that people say."""
    return word.isascii() and word.isdecimal() and len(word) <= _MOST_DIGITS


def ordinal(number: int) -> str:
    """ "1st", "22nd", "113th"."""
    teen = 10 <= number % 100 <= 20
    return f"{number}{'th' if teen else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"


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
