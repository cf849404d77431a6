"""Passages that wait for their vectors get them, a few at a time, and the index follows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from enum import IntEnum
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from assistant.answer.knowledge.vector_index import HoldsVectors, VectorIndex

SLICE_PASSAGES, SLICE_WORDS = 8, 200
"""Most passages and words that are encoded at once; a question waits for no more than one slice."""


class Turn(IntEnum):
    """What a slice was: nothing to do, waiting for another process or thread, or work."""

    IDLE = 0
    WAITED = 1
    WORKED = 2


class Encodes(Protocol):
    """Embeds texts: float32[texts, dimensions], each of length 1."""

    version: str

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The texts' embeddings."""


class TakesVectors(HoldsVectors, Protocol):
    """Where the vectors are kept, and which passages wait for theirs (`VectorStore`)."""

    def waiting(self, encoder: str) -> int:
        """The number of passages that an encoder has not seen."""

    def unencoded(self, encoder: str, limit: int) -> list[tuple[int, str]]:
        """Up to `limit` of them, by id, with their texts."""

    def keep(self, encoder: str, ids: Sequence[int], vectors: NDArray[np.float32]) -> None:
        """Store the vectors of these passages."""


class PassageEncoding:
    """Has `encoder` embed what waits in `store`, and keeps `index` in line with it.

    `forgotten` gives the passages that have gone since its last call. `encoded` counts what was
    done since `look_anew`, `unencoded` what waits.
    """

    def __init__(
        self,
        store: TakesVectors,
        index: VectorIndex,
        encoder: Encodes,
        forgotten: Callable[[], Sequence[int]],
    ) -> None:
        self._store, self._index, self._encoder = store, index, encoder
        self._forgotten = forgotten
        self._settling: Iterator[bool] | None = None
        self._generation, self._encodes = -1, True
        self.encoded = self.unencoded = 0

    def look_anew(self) -> None:
        """Begin to count, and try again what has failed."""
        self.encoded, self._encodes = 0, True

    def follow(self, generation: int) -> None:
        """Take in what has changed in the database up to its `generation`."""
        if gone := self._forgotten():
            self._index.remove(gone)
        if self._generation != generation:
            self._generation = generation
            self.unencoded = self._store.waiting(self._encoder.version)

    def encode(self) -> Turn:
        """Encode some passages; raises `ModelError`, and then does nothing until `look_anew`."""
        if not self.unencoded or not self._encodes:
            return Turn.IDLE
        self._encodes = False
        version = self._encoder.version
        some = list(_few(self._store.unencoded(version, SLICE_PASSAGES)))
        ids = [number for number, _ in some]
        vectors = self._encoder.encode([text for _, text in some])
        self._encodes = True
        self._store.keep(version, ids, vectors)
        self._index.add(*self._store.matrix(version, ids))
        self.encoded += len(some)
        self.unencoded -= len(some)
        return Turn.WORKED

    def settle(self) -> Turn:
        """Continue settling the index."""
        if self._settling is None and self._index.settled:
            return Turn.IDLE
        self._settling = self._settling or self._index.settle()
        waits = next(self._settling, None)
        if waits is None:
            self._settling = None
        return Turn.WAITED if waits else Turn.WORKED

    def close(self) -> None:
        """Stop; finished work is kept."""
        self._index.close()


def _few(texts: Sequence[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """The first text, and those after it as long as all together are short."""
    words = 0
    for number, text in texts:
        words += len(text.split())
        if words > SLICE_WORDS and number != texts[0][0]:
            return
        yield number, text
