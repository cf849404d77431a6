"""The passages' vectors as an encoder on trial makes them, beside those of the encoder in use.

They are in memory alone: after a restart they are made again.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from assistant.answer.knowledge.vectors import Ids, Vectors, VectorStore

MOST = 50_000
"""Most passages: their vectors take 38 MB, and half an hour of an idle Raspberry Pi."""
HANDED_AT_ONCE = 256


class TrialVectors:
    """Keeps the vectors of one encoder of the passages that `store` knows, as `VectorStore` does.

    Its ids are those of the passages, which are never used twice and rise.
    """

    def __init__(self, store: VectorStore) -> None:
        self._store = store
        self._vectors: dict[int, NDArray[np.float16]] = {}
        self._last = 0

    @property
    def identity(self) -> str:
        """The identity of the file whose passages these are."""
        return self._store.identity

    def waiting(self, _: str) -> int:
        """The number of passages without a vector."""
        return self._store.passages_after(self._last)

    def unencoded(self, _: str, limit: int) -> list[tuple[int, str]]:
        """Up to `limit` passages without a vector, by id: title, place and text."""
        return self._store.texts_after(self._last, limit)

    def keep(self, _: str, ids: Sequence[int], vectors: Vectors) -> None:
        """Store the vectors of these passages, as float16."""
        self._vectors |= zip(ids, vectors.astype(np.float16), strict=True)
        self._last = max(self._last, *ids)

    def forgotten(self) -> list[int]:
        """The passages that have gone, without those of earlier calls."""
        gone = self._store.gone(list(self._vectors))
        for number in gone:
            del self._vectors[number]
        return gone

    def encoded(self, _: str, after: int = 0, limit: int = -1) -> Ids:
        """The ids that have a vector, int64[n], ascending from `after` on; at most `limit`."""
        ids = [number for number in self._vectors if number > after]
        return np.asarray(sorted(ids)[: limit if limit >= 0 else None], np.int64)

    def read(self, _: str, ids: Sequence[int]) -> dict[int, Vectors]:
        """The vectors that exist for `ids`, float32[dimensions] each."""
        known = (number for number in ids if number in self._vectors)
        return {number: self._vectors[number].astype(np.float32) for number in known}

    def matrix(self, encoder: str, ids: Sequence[int] | Ids) -> tuple[Ids, Vectors]:
        """The same as one float32[n, dimensions], after the ids they belong to."""
        found = self.read(encoder, [int(number) for number in ids])
        rows = np.stack(list(found.values())) if found else np.zeros((0, 0), np.float32)
        return np.fromiter(found, np.int64, len(found)), rows

    def hand_over(self, encoder: str) -> None:
        """Store all of them in the file, in place of those of the encoder that was in use."""
        ids = list(self._vectors)
        for at in range(0, len(ids), HANDED_AT_ONCE):
            self._store.keep(encoder, *self.matrix(encoder, ids[at : at + HANDED_AT_ONCE]))
