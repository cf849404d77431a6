"""The sentences of a passage, each with the words that it is to be understood with.

A list item or a row of a table stands under its heading and the line that introduces the list;
its neighbours are about something else, as are those of an entry with its day. A sentence of prose
may refer to those before it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from assistant.answer.knowledge.passages import BELOW, Passage
from assistant.english.dates import ENTRY_DAY, under_month
from assistant.english.sentences import sentences
from assistant.english.words import words

LONGEST_LABEL = 50
"""Most characters of a label before a colon."""

_DAY = len("2026-01-01")
_LABEL = re.compile(rf"[^.!?:;]{{1,{LONGEST_LABEL}}}: (?=\S)")


class Statement(NamedTuple):
    """A sentence in its passage."""

    start: int
    """Position of its first character."""
    text: str
    timed: str
    """The same, with the month where that stands above a day: "Wed 3 March: …"."""
    item: bool
    """Whether it is an item of a list or a row of a table, and no prose."""
    label: str
    """Words before its colon, where it is an item or a row with such; else ""."""
    heading: str
    """The heading that it stands under, or the day of its entry; "" for none."""
    line: str
    """The whole line: a paragraph, an item or a row."""
    entry: str
    """The day with which its line begins, as in a diary; "" for none."""
    event: bool
    """Whether it says when an event of a calendar takes place, under the name of the event."""
    day: str
    """The day of its passage, in ISO 8601, where that has only one; else ""."""
    own: frozenset[str]
    """Words of the sentence and of what it stands under."""
    known: frozenset[str]
    """The same, with those of the sentences that it may refer to."""


def statements(passage: Passage) -> Iterator[Statement]:
    """The sentences of `passage` in order."""
    above = frozenset(words(f"{passage.title} {passage.place}"))
    heading = passage.place.rsplit(BELOW, 1)[-1]
    day = "" if passage.series else passage.starts[:_DAY]
    introduced = before = above
    at = 0
    for line in passage.text.splitlines():
        entry = entry_day(line)
        item = bool(entry) or is_item(line)
        whole = frozenset(words(line)) | introduced
        for sentence in sentences(line):
            at = passage.text.index(sentence, at)
            own = whole if item else above | frozenset(words(sentence))
            before |= own
            yield Statement(
                start=at,
                text=sentence,
                timed=under_month(sentence, heading),
                item=item,
                label=label_of(sentence) if item else "",
                heading=entry if entry and not sentence.startswith(entry) else heading,
                line=line,
                entry=entry,
                event=passage.kind == "event" and at == 0,
                day=day,
                own=own,
                known=own if item else before,
            )
            at += len(sentence)
        if not item:
            introduced = whole


def entry_day(line: str) -> str:
    """The day with which an entry begins: "18 Oct", "Monday, May 3"; "" for none."""
    found = ENTRY_DAY.match(line)
    return found.group() if found else ""


def label_of(sentence: str) -> str:
    """The words before the colon with which an item or a row begins; "" for none."""
    found = _LABEL.match(sentence)
    return found.group().removesuffix(": ") if found else ""


def is_item(line: str) -> bool:
    """Whether a line is an item of a list or a row, and no prose, nor what introduces a list."""
    if _LABEL.match(line):
        return True
    return line[-1:] not in '.!?:…"”' and len(line.split()) > 1
