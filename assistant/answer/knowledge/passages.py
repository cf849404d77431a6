"""Documents as values, and the cutting of their text into the passages that are retrieved.

A section's text is lines: a line is a paragraph, a list item, a heading or a table row, whatever
its length, and no sentence goes on across its end. Parsers unwrap what a file wraps.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from assistant.core.calendar.series import Series
from assistant.english.sentences import sentences

BELOW = " > "
"""What stands between a heading and one below it in a place."""

SHORTEST_WORDS, LONGEST_WORDS = 40, 120
"""Fewest and most words of a passage, where its section and its sentences allow it."""

USUAL_WORDS = 80
"""Words of a passage that cutting aims for: two or three facts, and within the encoder's window."""


class Section(msgspec.Struct, frozen=True, kw_only=True):
    """A stretch of text under one heading, on one page, or of one event or contact."""

    text: str
    place: str = ""
    """Where it stands, as a person would say it ("Cleaning > The filter", "page 12")."""
    starts: str = ""
    """Start of an event or note, in ISO 8601."""
    ends: str = ""
    """End of an event or note, in ISO 8601."""
    series: Series | None = None
    """How the event repeats between these."""
    people: tuple[str, ...] = ()
    """The people it is about."""


class Document(msgspec.Struct, frozen=True, kw_only=True):
    """What a parser makes of a file; `kind` is "document", "note", "event" or "contact"."""

    title: str
    kind: str = "document"
    sections: tuple[Section, ...] = ()


class Passage(msgspec.Struct, frozen=True, kw_only=True):
    """The unit of retrieval: whole sentences of one section, with where they stand."""

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

    Each has `SHORTEST_WORDS` to `LONGEST_WORDS` words, except where a section is shorter, or where
    a longer sentence stands alone; none spans two sections.
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


def _stretches(text: str) -> Iterator[str]:
    lines = [sentences(line) for line in text.splitlines()]
    # Each part keeps what separates it from the one before, so that lines survive the cut. A line
    # is cut only where it is too long: its first words may say what all of it is about.
    parts = [
        (part, "\n" if first else " ")
        for line in lines
        for first, part in zip([True] + [False] * len(line), _whole(line), strict=False)
    ]
    lengths = [len(sentence.split()) for sentence, _ in parts]
    for begin, end in _balanced(lengths):
        yield "".join(gap + sentence for sentence, gap in parts[begin:end])[1:]


def _whole(line: list[str]) -> list[str]:
    """The sentences of a line as one part, where that is no longer than a passage."""
    whole = " ".join(line)
    return [whole] if whole and len(whole.split()) <= LONGEST_WORDS else line


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
        # Closes where it is nearest to an even share of the rest.
        if words and (full or abs(words - share) <= abs(words + lengths[at] - share)):
            yield first, at
            left, words, first = left - words, 0, at
        words += lengths[at]
    if first < end:
        yield first, end
