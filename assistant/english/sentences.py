"""Splits text into sentences."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from assistant.english.lists import word_set

LONGEST_SENTENCE = 2000
"""Most characters of a sentence; longer text without a full stop is cut between words."""

_END = re.compile(r"[.!?…]+(?:[\"'”’»)\]]|\[[^\]\s]{1,12}(?: \d+)?\])*(?=\s)|[。！？]+[」』”]?")

_NEVER_LAST = word_set(
    "mr mrs ms dr prof rev hon mt messrs mme mlle vs viz cf ca v approx e.g i.e eg ie resp incl "
    "excl"
)
"""Abbreviations that something always follows."""

_BEFORE_NUMBER = word_set(
    "no nos nr r p pp pg ch chap sec sect fig figs eq vol vols art para tel ext ver ed app c "
    "jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues wed thu thur thurs fri sat "
    "sun"
)
"""Words that are abbreviations before a number."""

_PERHAPS_LAST = word_set(
    "etc jr sr inc ltd co corp bros dept univ assn est al min max avg temp qty a.m p.m am pm hr "
    "hrs mins secs oz lb lbs tsp tbsp ft st ave blvd rd ph.d m.d b.a m.a b.sc m.sc b.c a.d fr "
    "rep gov gen col capt lt sgt maj sen"
)
"""Abbreviations that end a sentence if a new one clearly begins after them."""

_OPENERS = word_set(
    "the this that these those there it its he she they we you his her their our your in on at "
    "by for from with without as if when while where after before since because although though "
    "but and or so yet however then thus to do does did is are was were what who how why which "
    "each all some many most both no yes also not never always please use press turn open close "
    "see an a"
)
"""Words a sentence often begins with, and a name hardly ever."""

_NEAR = 60
"""Characters read before and after a full stop to decide whether it ends a sentence."""

_LAST_WORD = re.compile(r"\S+\Z")
_DOTTED = re.compile(r"(?:[a-z]\.)+[a-z]")
_NUMBERING = re.compile(r"[(\[]?(?:\d{1,3}(?:\.\d{1,3})*|[a-zA-Z]|[ivxIVX]{1,5})[.)\]]+")


def sentences(text: str) -> list[str]:
    """The sentences of `text` in order, those without a letter or digit left out.

    A sentence ends at a full stop, question or exclamation mark before white space, and at the end
    of a line; not after an abbreviation, an initial or a list's number.
    """
    return [sentence for line in text.splitlines() for sentence in _of_line(line)]


def so_far(text: str) -> tuple[list[str], str]:
    """The sentences of `text` that stay as they are, however it goes on, and the rest of it.

    A sentence does once the first word after it is whole, on which its end may depend.
    """
    word = _LAST_WORD.search(text)
    known = text[: word.start() if word is not None else len(text)].rstrip()
    found = sentences(known)
    if len(found) < 2:
        return [], text
    return found[:-1], text[known.rindex(found[-1]) :]


def _of_line(line: str) -> list[str]:
    found, begin = [], 0
    for mark in _END.finditer(line):
        end = mark.end()
        # Only nearby text decides, or a page without a line break would take a day.
        before = line[max(begin, end - _NEAR) : end].strip()
        if _ends(before, line[end : end + _NEAR].lstrip()):
            found.append(line[begin:end].strip())
            begin = end
    found.append(line[begin:].strip())
    return [part for s in found if any(c.isalnum() for c in s) for part in _short(s)]


def _ends(sentence: str, following: str) -> bool:
    if not sentence.endswith("."):
        # A quoted question continues in lower case: "Ready?" she asked.
        return not following[:1].islower()
    if following[:1].islower() or _NUMBERING.fullmatch(sentence):
        return False
    last = re.split(r"[\s(\[“\"/–—]", sentence)[-1][:-1]
    word, opener = last.casefold(), re.match(r"\w+", following)
    if word in _NEVER_LAST or (word in _BEFORE_NUMBER and following[:1].isdigit()):
        return False
    initial = len(last) == 1 and last.isupper()
    if initial or word in _PERHAPS_LAST or _DOTTED.fullmatch(word):
        after = opener.group() if opener else ""
        return after.casefold() in _OPENERS and not (initial and len(after) == 1)
    return True


def _short(sentence: str) -> Iterator[str]:
    if len(sentence) <= LONGEST_SENTENCE:
        yield sentence
        return
    size = math.ceil(len(sentence) / math.ceil(len(sentence) / LONGEST_SENTENCE))
    begin = 0
    while len(sentence) - begin > LONGEST_SENTENCE:
        space = sentence.rfind(" ", begin + 1, begin + size + 1)
        end = space if space > 0 else begin + size
        yield sentence[begin:end].strip()
        begin = end
    yield sentence[begin:].strip()
