"""A text as chunks of a page or a chapter, each with the sentences of it that may be spoken."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from assistant.answer.knowledge.passages import Passage
from assistant.answer.summary.self_contained import leans, whole
from assistant.english.sentences import sentences

CHUNK_WORDS = 200
"""Words from which a chunk ends; more where there would be more than `MOST_CHUNKS`."""
SHORTEST_CHUNK = 50
"""Words from which it ends where a chapter does."""
MOST_CHUNKS = 40
LONGEST_WORDS = 45
"""A longer sentence is not spoken where there are others."""


class SummarySentence(NamedTuple):
    """A sentence, the `at`th of the text, in its chunk; `leans` on the one before it."""

    at: int
    text: str
    place: str
    chunk: int
    leans: bool

    @property
    def words(self) -> int:
        """How long it is."""
        return len(self.text.split())


def chunks(passages: Sequence[Passage]) -> Iterator[list[SummarySentence]]:
    """The sentences that may be spoken in each chunk; where none states anything, all."""
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
    """Indices of passages that make a chunk: where a place ends or enough is together."""
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
