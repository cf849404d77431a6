"""Replaces names and numbers in examples, so that the generator copies and does not memorize."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from assistant.english import dates


def _row(words: str) -> tuple[str, ...]:
    return tuple(words.split())


MONTHS = tuple(name.capitalize() for name in dates.MONTHS)
WEEKDAYS = tuple(name.capitalize() for name in dates.WEEKDAYS)
_TIME = re.compile(r"\d{1,2}(:\d\d)? ?[ap]m|\d\d?:\d\d", re.IGNORECASE)
_DATE = re.compile(
    rf"({'|'.join(MONTHS)}) \d{{1,2}}(st|nd|rd|th)?|the \d+(st|nd|rd|th)|{'|'.join(WEEKDAYS)}"
)
_MONEY = re.compile(r"\$[\d,]+(\.\d\d)?")
_ONSETS = _row(
    "b bl br c ch cl cr d dr f fl fr g gl gr h j k kl l m n p pr qu r s sh sk sl st t th tr v w y z"
)
_NUCLEI = _row("a a a e e e i i o o o u ai ea ee ie oo ou")
_CODAS = ["", "", "", "", *_row("n n r r l s t m ck nd rn x th ll ss st rt")]
_LAST = _row(
    "Street Avenue Road Lane House Park Bridge Hall Center Museum Hotel Cafe Grill Kitchen Station "
    "Theater Garden Library School Market Bay Hill Tower Inn Club Band Valley Island"
)


def invented(draw: random.Random) -> str:
    """A word that looks like a name."""
    parts = (
        draw.choice(_ONSETS) + draw.choice(_NUCLEI) + draw.choice(_CODAS)
        for _ in range(draw.choice((1, 2, 2, 3)))
    )
    return "".join(parts).capitalize()


def other_value(value: str, likes: Sequence[str], draw: random.Random) -> str:
    """Another value of the same sort; `likes` are values of the same slot."""
    if value == "1":
        return value
    if _TIME.fullmatch(value):
        return _time(draw)
    if _DATE.fullmatch(value):
        return _date(draw)
    if _MONEY.fullmatch(value):
        return f"${draw.randrange(2, 10 ** draw.choice((2, 3, 4)))}" + draw.choice(("", "", ".50"))
    if not any(c.isalpha() for c in value):
        return other_number(value, draw)
    if value[0].islower() or draw.random() < 0.35:
        return draw.choice(likes)
    return _name(value, draw)


def other_number(number: str, draw: random.Random) -> str:
    """Another number of the same form; years stay years, and no zero is added at the start."""
    if re.fullmatch(r"1[5-9]\d\d|20\d\d", number):
        return str(draw.randrange(1500, 2060))
    made = [str(draw.randrange(10)) if c.isdigit() else c for c in number]
    if made[0].isdigit() and number[0] != "0":
        made[0] = str(draw.randrange(2 if len(number) == 1 else 1, 10))
    return "".join(made)


def replaced(texts: Iterable[str], others: Mapping[str, str]) -> list[str]:
    """The texts with all keys of `others` replaced at once, as whole words, the longest first."""
    if not others:
        return list(texts)
    keys = sorted(others, key=len, reverse=True)
    pattern = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, keys))})(?!\w)")
    return [pattern.sub(lambda found: others[found.group()], text) for text in texts]


# ── replacements in running text ────────────────────────────────────────────────────────────

_NUMBER = re.compile(r"(?<!\w)\d+(?:[.,:]\d+)*(?!\w)|(?<!\w)[A-Z]{0,3}\d+[A-Z]?(?!\w)")
_NAME = re.compile(r"(?<=[\w,;:()'\"-] )[A-Z][a-z]+\b")
_SWAPPED = (
    MONTHS,
    WEEKDAYS,
    _row("two three four five six seven eight nine"),
    _row("ten eleven twelve thirteen fourteen fifteen sixteen eighteen nineteen"),
    _row("twenty thirty forty fifty sixty seventy eighty ninety"),
    ("seconds", "minutes", "hours", "days", "weeks", "months", "years"),
    ("second", "minute", "hour", "day", "week", "month", "year"),
    ("metres", "kilometres", "centimetres", "feet", "miles", "steps", "yards"),
    ("litres", "millilitres", "gallons", "cups", "pints"),
    ("kilograms", "grams", "tonnes", "pounds", "ounces"),
    ("kg", "g", "mg"),
    ("euros", "dollars", "pounds", "francs", "pence"),
    _row("red blue green yellow white black grey brown"),
    _row("north south east west"),
)
_KEPT = frozenset(("I", "The", "A", "An", "In", "On", "It", "He", "She", "They", "Mr", "Mrs", "Dr"))


def in_text(texts: Sequence[str], draw: random.Random) -> dict[str, str]:
    """Replacements for the numbers, names, units and colours in the texts, for `replaced`."""
    whole = " \n ".join(texts)
    others = {n: _number(n, draw) for n in dict.fromkeys(_NUMBER.findall(whole))}
    for row in _SWAPPED:
        found = [word for word in row if re.search(rf"\b{word}\b", whole)]
        if found and draw.random() < 0.5:
            others |= dict(zip(found, draw.sample(row, len(found)), strict=True))
    held = {word for row in (MONTHS, WEEKDAYS) for word in row} | _KEPT
    for name in dict.fromkeys(_NAME.findall(whole)):
        if name not in held and draw.random() < 0.8:
            others[name] = invented(draw)
    return others


def _number(number: str, draw: random.Random) -> str:
    if number[0].isdigit() and not number[-1].isalpha():
        return number if number == "1" else other_number(number, draw)
    return "".join(
        str(draw.randrange(1, 10)) if c.isdigit() else draw.choice("ABCDEFGHKLMNPRSTVWXZ")
        for c in number
    )


def _time(draw: random.Random) -> str:
    hour, minute = draw.randrange(1, 13), draw.choice((0, 15, 30, 45, draw.randrange(60)))
    half = draw.choice(("am", "pm"))
    forms: tuple[Callable[[], str], ...] = (
        lambda: f"{hour} {half}",
        lambda: f"{hour}:{minute:02} {half}",
        lambda: f"{hour}:{minute:02} {half}",
        lambda: f"{hour + 11}:{minute:02}",
    )
    return draw.choice(forms)()


def _date(draw: random.Random) -> str:
    day, month = draw.randrange(1, 29), draw.choice(MONTHS)
    ending = "th" if 10 < day < 20 else {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
    return draw.choice((f"{month} {day}{ending}", f"{month} {day}{ending}", draw.choice(WEEKDAYS)))


def _name(value: str, draw: random.Random) -> str:
    """An invented name of about as many words as `value`, with other digits for its digits."""
    words = value.split()[: draw.choice((2, 3, 4, 5))]
    made = [
        other_number(word, draw)
        if word[0].isdigit()
        else word
        if len(word) < 3 or draw.random() < 0.2
        else invented(draw)
        for word in words
    ]
    if draw.random() < 0.3:
        made.append(draw.choice(_LAST))
    return " ".join(made)
