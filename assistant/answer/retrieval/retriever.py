"""Question → the passages that may answer it: words and meaning together.

The passages that BM25 finds among words (SQLite FTS5) and those whose embeddings are nearest
(FAISS) are one list, ordered by the cosine plus a share of how BM25 compares with the best hit.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np

from assistant.answer.knowledge.knowledge import Knowledge
from assistant.answer.knowledge.passages import Passage
from assistant.answer.knowledge.query import Filter
from assistant.answer.knowledge.vector_index import VectorIndex
from assistant.answer.retrieval.calibration import ReaderCalibration
from assistant.answer.retrieval.encoder import Embeddings
from assistant.english.words import words

CONSIDERED = 40
"""Most passages by words, and most by meaning."""
SAME = 0.9
"""Share of common words from which two passages count as the same."""


class Encodes(Protocol):
    """Embeds texts: float32[texts, 384], each of length 1."""

    version: str
    calibration: ReaderCalibration

    def encode(self, texts: Sequence[str]) -> Embeddings:
        """The texts' embeddings."""


class ReadsVectors(Protocol):
    """Where the vectors are kept (`VectorStore`)."""

    def read(self, encoder: str, ids: Sequence[int]) -> dict[int, Embeddings]:
        """The vectors of an encoder that exist for `ids`."""


class PassageCandidate(NamedTuple):
    """A passage that may answer, with its score in retrieval."""

    id: int
    passage: Passage
    source: Path
    score: float


class Retriever:
    """Finds passages in `knowledge`, whose vectors are in `index`.

    Those are the ones of `vectors`, by default of those that `knowledge` keeps.
    """

    def __init__(
        self,
        knowledge: Knowledge,
        index: VectorIndex,
        encoder: Encodes,
        vectors: ReadsVectors | None = None,
    ) -> None:
        self._passages, self._vectors = knowledge.passages, vectors or knowledge.vectors
        self._index, self._encoder = index, encoder

    def find(
        self, question: str, limit: int = 5, within: Filter | None = None
    ) -> list[PassageCandidate]:
        """At most `limit` passages, the likeliest first; of those that say the same only one."""
        (found,) = self.find_all([question], limit, within)
        return found

    def find_all(
        self, questions: Sequence[str], limit: int = 5, within: Filter | None = None
    ) -> list[list[PassageCandidate]]:
        """The same for each of several questions, which are encoded together."""
        if self._passages.empty:  # do not load the network for nothing
            return [[] for _ in questions]
        asked = self._encoder.encode(questions)
        pairs = zip(questions, asked, strict=True)
        return [self._found(question, row, limit, within) for question, row in pairs]

    def _found(
        self, question: str, asked: Embeddings, limit: int, within: Filter | None
    ) -> list[PassageCandidate]:
        scores = self._scores(question, asked, within)
        best = sorted(scores, key=scores.__getitem__, reverse=True)[: 3 * limit]
        return list(_unlike(self._candidates(best, scores), limit))

    def _scores(self, question: str, asked: Embeddings, within: Filter | None) -> dict[int, float]:
        words = dict(self._passages.matching(question, CONSIDERED, within))
        near = dict(zip(*self._index.search(asked, CONSIDERED), strict=True))
        if within is not None:
            near = {key: near[key] for key in self._passages.inside(list(near), within)}
        near |= self._cosines(asked, [key for key in words if key not in near])
        most = max(words.values(), default=1.0)
        share = self._encoder.calibration.bm25_share
        return {key: near.get(key, 0.0) + share * words.get(key, 0.0) / most for key in near}

    def _cosines(self, asked: Embeddings, ids: Sequence[int]) -> dict[int, float]:
        """The cosines of passages found by words alone; 0 for those without a vector yet."""
        vectors: Mapping[int, Embeddings] = self._vectors.read(self._encoder.version, ids)
        return {key: float(np.dot(vectors[key], asked)) if key in vectors else 0.0 for key in ids}

    def _candidates(
        self, ids: Sequence[int], scores: Mapping[int, float]
    ) -> Iterator[PassageCandidate]:
        for stored in self._passages.read(ids):
            yield PassageCandidate(stored.id, stored.passage, stored.source, scores[stored.id])


def _unlike(candidates: Iterator[PassageCandidate], limit: int) -> Iterator[PassageCandidate]:
    """The first `limit` candidates that do not repeat one before them."""
    kept: list[frozenset[str]] = []
    for candidate in candidates:
        own = frozenset(words(candidate.passage.text))
        if not any(len(own & other) > SAME * len(own | other) for other in kept):
            kept.append(own)
            yield candidate
            if len(kept) == limit:
                return
