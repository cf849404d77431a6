"""A text as chunks of a page or a chapter, each with those of its sentences that may be spoken."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from assistant.answer.knowledge.passages import Passage
from assistant.answer.summary.self_contained import leans, whole
from assistant.english.sentences import sentences

CHUNK_WORDS = 200
"""Fewest words at which a chunk ends; more where there would be more than `MOST_CHUNKS`."""
SHORTEST_CHUNK = 50
"""Fewest words at which a chunk ends at the end of a chapter."""
MOST_CHUNKS = 40
LONGEST_WORDS = 45
"""Most words of a sentence that is spoken where there are others."""


class SummarySentence(NamedTuple):
    """The `at`th sentence of the text, in its chunk; `leans` if it depends on the one before it."""

    at: int
    text: str
    place: str
    chunk: int
    leans: bool

    @property
    def words(self) -> int:
        """The number of words."""
        return len(self.text.split())


def chunks(passages: Sequence[Passage]) -> Iterator[list[SummarySentence]]:
    """The sentences of each chunk that may be spoken; all of them where none states anything."""
    every = [sentences(passage.text) for passage in passages]
    strict = any(_fits(text) for texts in every for text in texts)
    at = number = 0
    for group in _groups(passages):
        chunk = []
        for index in group:
            for text in every[index]:
                if not strict or _fits(text):
                    chunk.append(
                        SummarySentence(at, text, passages[index].place, number, leans(text))
                    )
                at += 1
        if chunk:
            yield chunk
            number += 1


def _groups(passages: Sequence[Passage]) -> Iterator[list[int]]:
    """Indices of each chunk's passages; it ends where a place ends or enough is together."""
    sizes = [len(passage.text.split()) for passage in passages]
    full, enough = (max(words, sum(sizes) / MOST_CHUNKS) for words in (CHUNK_WORDS, SHORTEST_CHUNK))
    group: list[int] = []
    words = 0
    for index, passage in enumerate(passages):
        ends = bool(group) and passage.place != passages[group[-1]].place
        if words >= full or (ends and words >= enough):
            yield group
            group, words = [], 0
        group.append(index)
        words += sizes[index]
    if group:
        yield group


def _fits(text: str) -> bool:
    return whole(text) and len(text.split()) <= LONGEST_WORDS
