"""Passages without meaning whose vectors and words are distributed like those of real documents.

Vectors are a mixture of Gaussians in three steps (topics, documents about them, passages in these),
whose variance falls from dimension to dimension: passages of a document have a cosine of 0.55, of a
topic 0.3, and a question one of 0.65 with its passage, as MiniLM's have. Words follow Zipf's law.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from assistant.answer.knowledge.passages import Passage

Vectors = NDArray[np.float32]

WIDTH = 384
DOCUMENT_PASSAGES, TOPIC_PASSAGES = 25, 500
WORDS, VOCABULARY = 80, 30_000
QUESTION_WORDS = 8
_TOPIC, _DOCUMENT, _OWN = 0.3, 0.25, 0.45
"""Shares of a passage's variance; they add up to 1."""
_NEAR = 0.65
_SYLLABLES = [c + v for c in "bdfghklmnprstvz" for v in "aeiou"]


class PassageSample:
    """`count` passages with their vectors, float32[count, 384], each of length 1."""

    def __init__(self, count: int, seed: int = 1) -> None:
        self._drawn = np.random.default_rng(seed)
        self._decay = (1 / np.sqrt(1 + np.arange(WIDTH) / 40)).astype(np.float32)
        topics = self._directions(max(8, count // TOPIC_PASSAGES))
        documents = np.arange(count) // DOCUMENT_PASSAGES
        about = self._drawn.integers(len(topics), size=documents[-1] + 1)
        made = np.sqrt(_TOPIC) * topics[about[documents]]
        made += np.sqrt(_DOCUMENT) * self._directions(documents[-1] + 1)[documents]
        made += np.sqrt(_OWN) * self._directions(count)
        self.vectors = _unit(made.astype(np.float32))
        # The 50 commonest words are left to the stop words of a real text.
        ranks = np.arange(50, 50 + VOCABULARY)
        self._shares = (1 / ranks) / (1 / ranks).sum()
        self._count = count

    def documents(self) -> Iterator[list[Passage]]:
        """The passages, document by document."""
        for begin in range(0, self._count, DOCUMENT_PASSAGES):
            title = f"Document {begin // DOCUMENT_PASSAGES}"
            size = min(DOCUMENT_PASSAGES, self._count - begin)
            drawn = self._drawn.choice(VOCABULARY, size=(size, WORDS), p=self._shares)
            yield [Passage(text=" ".join(map(_word, row)), title=title) for row in drawn]

    def questions(self, count: int) -> Vectors:
        """The vectors of so many questions, each about one of the passages."""
        about = self.vectors[self._drawn.integers(self._count, size=count)]
        away = np.sqrt(1 - _NEAR**2) * self._directions(count)
        return _unit((_NEAR * about + away).astype(np.float32))

    def asked(self, count: int) -> list[str]:
        """The words of so many questions."""
        drawn = self._drawn.choice(VOCABULARY, size=(count, QUESTION_WORDS), p=self._shares)
        return [" ".join(map(_word, row)) for row in drawn]

    def _directions(self, count: int) -> Vectors:
        drawn = self._drawn.standard_normal((count, WIDTH), dtype=np.float32)
        return _unit(drawn * self._decay)


def _unit(vectors: Vectors) -> Vectors:
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    made: Vectors = vectors / lengths
    return made


def _word(number: int) -> str:
    first, rest = divmod(int(number), len(_SYLLABLES))
    second, third = divmod(first, len(_SYLLABLES))
    return _SYLLABLES[rest] + _SYLLABLES[third] + _SYLLABLES[second % len(_SYLLABLES)]
