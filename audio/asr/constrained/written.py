"""How speech is written: a phrase's forms ("twenty five", "25"), and from a text back to words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import product

from assistant.english.numbers import ORDINALS, read_number

_SIGNS = {
    "percent": ("%", " per cent"),
    "degrees": ("°",),
    "degree": ("°",),
    "a.m.": (" AM", " am", "am", " a.m."),
    "p.m.": (" PM", " pm", "pm", " p.m."),
    "point": (".",),
    "okay": (" OK", " ok"),
    "tv": (" TV",),
    "versus": (" vs",),
}
"""Word → further forms of it, most of which follow a number without a space."""
_ENDINGS = {1: "st", 2: "nd", 3: "rd"}
_OF_AN_HOUR = range(60)


def written(phrase: str) -> Iterator[str]:
    """The forms of a phrase in spoken words, each as it would follow other words.

    Capitals may begin a sentence or be a name's; a number may be digits, which after another one
    may be a clock's minutes or decimals.
    """
    words = phrase.split()
    for form in dict.fromkeys((phrase, _in_digits(words))):
        yield f" {form}"
        yield f" {form[0].upper()}{form[1:]}"
        if " " in form:
            capitals = [word[0].upper() + word[1:] for word in form.split()]
            yield " " + " ".join(capitals)
            yield " " + "".join(capitals)
    if "i" in words or phrase.startswith("i'"):
        yield " " + " ".join("I" + w[1:] if w.split("'")[0] == "i" else w for w in words)
    if len(words) > 1 and words[-1] in _SIGNS:
        yield f" {_in_digits(words[:-1])}{_SIGNS[words[-1]][0]}"
    yield from _SIGNS.get(phrase, ())
    yield from _after_a_number(words)


def _after_a_number(words: Sequence[str]) -> Iterator[str]:
    minutes = words[1:] if words[0] == "oh" and len(words) == 2 else words
    number = read_number(minutes)
    if number is None or number[1] != len(minutes):
        return
    digits = f"{number[0]:02}" if len(words) > len(minutes) else str(number[0])
    yield digits
    if len(digits) == 2 and number[0] in _OF_AN_HOUR:
        yield from (f"{sign}{digits}" for sign in ":.")
        yield f" {digits}"


def _in_digits(words: Sequence[str]) -> str:
    """The words with each number among them in digits."""
    found: list[str] = []
    at = 0
    while at < len(words):
        number = read_number(words, at)
        ordinal = _ordinal(words, at)
        if ordinal is not None:
            text, at = ordinal
            found.append(text)
        elif number is not None:
            clock = at and found[-1].isdigit() and number[0] in _OF_AN_HOUR and number[0] > 9
            if clock:
                found[-1] += f":{number[0]}"
            else:
                found.append(str(number[0]))
            at = number[1]
        else:
            found.append(words[at])
            at += 1
    return " ".join(found)


def _ordinal(words: Sequence[str], at: int) -> tuple[str, int] | None:
    """The ordinal that begins at a word, in digits, and the index after it."""
    for count in (2, 1):
        known = _ORDINALS.get(" ".join(words[at : at + count]))
        if known is not None:
            return known, at + count
    return None


def _ordinals() -> Iterator[tuple[str, str]]:
    small = list(enumerate(ORDINALS, start=1))
    tens = [(0, ""), (20, "twenty "), (30, "thirty ")]
    for (ten, before), (one, word) in product(tens, small):
        if not ten or one < 10:
            ending = "th" if 10 < one < 20 else _ENDINGS.get(one % 10, "th")
            yield f"{before}{word}", f"{ten + one}{ending}"
    yield "thirtieth", "30th"


_ORDINALS = dict(_ordinals())


_NOT_HEARD = re.compile(r"[^\w'%°:.,£$€&+-]+")
_AROUND = ".,:-"
_MONEY = {"£": "pounds", "$": "dollars", "€": "euros"}
_AMOUNT = re.compile(r"^([£$€])(\d[\d.,]*)$")
_AFTER_FIGURES = re.compile(r"^(\d[\d.:]*)(am|pm)$")


def as_heard(text: str) -> str:
    """A text that speech recognition wrote, in the lower-case words of a transcript.

    Figures keep their signs ("7:30", "5.5", "20%"), money is in words, and an hour stands before
    its "pm".
    """
    words: list[str] = []
    for part in _NOT_HEARD.sub(" ", text.lower()).replace("-", " ").split():
        word = part.strip(_AROUND)
        if amount := _AMOUNT.match(word):
            words += [amount[2], _MONEY[amount[1]]]
        elif hour := _AFTER_FIGURES.match(word):
            words += [hour[1], hour[2]]
        elif word:
            words.append(part.rstrip(",:") if part in _DOTTED else word)
    return " ".join(words)


_DOTTED = frozenset({"a.m.", "p.m."})
