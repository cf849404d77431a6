"""Documents as values, and the cutting of their text into the passages that are retrieved.

A section's text is lines: a line is a paragraph, a list item, a heading or a table row, whatever
its length, and no sentence goes on across its end. Parsers unwrap what a file wraps.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

import msgspec

from assistant.answer.knowledge.series import Series

SHORTEST_WORDS, LONGEST_WORDS = 40, 120
"""Between these a passage is kept where its section and its sentences allow it."""

USUAL_WORDS = 80
"""What passages are balanced towards: two or three facts, and within the encoder's window."""

LONGEST_SENTENCE = 2000
"""Characters; what goes on longer without a full stop is no sentence and is cut between words."""


class Section(msgspec.Struct, frozen=True, kw_only=True):
    """A stretch of text under one heading, on one page, or of one event or contact.

    `place` is where it stands, as a person would say it ("Cleaning > The filter", "page 12");
    `starts` and `ends` are an event's or a note's, in ISO 8601, and `series` tells how the event
    repeats between them; `people` are those it is about.
    """

    text: str
    place: str = ""
    starts: str = ""
    ends: str = ""
    series: Series | None = None
    people: tuple[str, ...] = ()


class Document(msgspec.Struct, frozen=True, kw_only=True):
    """What a parser makes of a file; `kind` is "document", "note", "event" or "contact"."""

    title: str
    kind: str = "document"
    sections: tuple[Section, ...] = ()


class Passage(msgspec.Struct, frozen=True, kw_only=True):
    """What is retrieved: whole sentences of one section, with where they stand."""

    text: str
    title: str
    place: str = ""
    kind: str = "document"
    starts: str = ""
    ends: str = ""
    series: Series | None = None
    people: tuple[str, ...] = ()


def cut(document: Document) -> Iterator[Passage]:
    """The passages of `document` in order.

    Each has `SHORTEST_WORDS` to `LONGEST_WORDS` words, but for a section that is shorter and for
    a sentence that is longer, which stands alone; none spans two sections.
    """
    for section in document.sections:
        for text in _stretches(section.text):
            yield Passage(
                text=text,
                title=document.title,
                place=section.place,
                kind=document.kind,
                starts=section.starts,
                ends=section.ends,
                series=section.series,
                people=section.people,
            )


def sentences(text: str) -> list[str]:
    """The sentences of `text` in order, those without a letter or digit left out.

    A sentence ends at a full stop, question or exclamation mark before white space, and at the end
    of a line; not after an abbreviation, an initial or a list's number.
    """
    return [sentence for line in text.splitlines() for sentence in _of_line(line)]


def _stretches(text: str) -> Iterator[str]:
    lines = [_of_line(line) for line in text.splitlines()]
    # Each sentence carries what parts it from the one before, so that lines outlive the cutting.
    parts = [
        (sentence, "\n" if first else " ")
        for line in lines
        for first, sentence in zip([True] + [False] * len(line), line, strict=False)
    ]
    lengths = [len(sentence.split()) for sentence, _ in parts]
    for begin, end in _balanced(lengths):
        yield "".join(gap + sentence for sentence, gap in parts[begin:end])[1:]


def _balanced(lengths: list[int]) -> Iterator[tuple[int, int]]:
    begin = 0
    for end, length in enumerate(lengths):
        if length > LONGEST_WORDS:
            yield from _even(lengths, begin, end)
            yield end, end + 1
            begin = end + 1
    yield from _even(lengths, begin, len(lengths))


def _even(lengths: list[int], begin: int, end: int) -> Iterator[tuple[int, int]]:
    left = sum(lengths[begin:end])
    words, first = 0, begin
    for at in range(begin, end):
        share = left / max(1, round(left / USUAL_WORDS))
        full = words + lengths[at] > LONGEST_WORDS
        # Closes where it is nearest to an even share of what is left.
        if words and (full or abs(words - share) <= abs(words + lengths[at] - share)):
            yield first, at
            left, words, first = left - words, 0, at
        words += lengths[at]
    if first < end:
        yield first, end


_END = re.compile(r"[.!?…]+(?:[\"'”’»)\]]|\[[^\]\s]{1,12}(?: \d+)?\])*(?=\s)|[。！？]+[」』”]?")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_NEVER_LAST = _words(
    "mr mrs ms dr prof rev hon mt messrs mme mlle vs viz cf ca approx e.g i.e eg ie resp incl excl"
)
"""Abbreviations that something always follows."""

_BEFORE_NUMBER = _words(
    "no nos nr p pp pg ch chap sec sect fig figs eq vol vols art para tel ext ver ed app c jan feb"
    " mar apr jun jul aug sep sept oct nov dec mon tue tues wed thu thur thurs fri sat sun"
)
"""Words that are abbreviations before a number."""

_PERHAPS_LAST = _words(
    "etc jr sr inc ltd co corp bros dept univ assn est al min max avg temp qty a.m p.m am pm hr hrs"
    " mins secs oz lb lbs tsp tbsp ft st ave blvd rd ph.d m.d b.a m.a b.sc m.sc b.c a.d fr rep gov"
    " gen col capt lt sgt maj sen"
)
"""Abbreviations that end a sentence where one evidently begins behind them."""

_OPENERS = _words(
    "the this that these those there it its he she they we you his her their our your in on at by"
    " for from with without as if when while where after before since because although though but"
    " and or so yet however then thus to do does did is are was were what who how why which each"
    " all some many most both no not never always please use press turn open close see an a"
)
"""Words a sentence often begins with, and a name hardly ever."""

_NEAR = 60
"""Characters before and after a full stop that tell whether it ends a sentence."""

_DOTTED = re.compile(r"(?:[a-z]\.)+[a-z]")
_NUMBERING = re.compile(r"[(\[]?(?:\d{1,3}(?:\.\d{1,3})*|[a-zA-Z]|[ivxIVX]{1,5})[.)\]]+")


def _of_line(line: str) -> list[str]:
    found, begin = [], 0
    for mark in _END.finditer(line):
        end = mark.end()
        # Only what is near decides, or a page without a line break would take a day.
        before = line[max(begin, end - _NEAR) : end].strip()
        if _ends(before, line[end : end + _NEAR].lstrip()):
            found.append(line[begin:end].strip())
            begin = end
    found.append(line[begin:].strip())
    return [part for s in found if any(c.isalnum() for c in s) for part in _short(s)]


def _ends(sentence: str, following: str) -> bool:
    if not sentence.endswith("."):
        # A quoted question goes on in lower case: "Ready?" she asked.
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
