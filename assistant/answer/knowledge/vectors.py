"""The passages' vectors, as one encoder made them, and which passages wait for theirs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from assistant.answer.knowledge.database import KnowledgeDatabase, listed

Ids = NDArray[np.int64]
Vectors = NDArray[np.float32]

_TEXT = "title || '. ' || iif(place = '', '', place || '. ') || text"
"""What of a passage is encoded."""


class VectorStore:
    """Keeps the vectors of the encoder used last; those of another are dropped.

    Every method raises `StorageError`.
    """

    def __init__(self, database: KnowledgeDatabase) -> None:
        self._database = database

    @property
    def identity(self) -> str:
        """The identity of this file alone; in another file the ids mean other passages."""
        return self._database.identity

    def unencoded(self, encoder: str, limit: int) -> list[tuple[int, str]]:
        """Up to `limit` passages, by id, that `encoder` has not seen: title, place and text."""
        self._take_encoder(encoder)
        return self._database.execute(
            f"SELECT id, {_TEXT} FROM waiting JOIN passages ON id = passage"  # noqa: S608
            " ORDER BY passage LIMIT ?",
            limit,
        )

    def waiting(self, encoder: str) -> int:
        """The number of passages that `encoder` has not seen."""
        self._take_encoder(encoder)
        return int(self._database.row("SELECT count(*) FROM waiting")[0])

    def keep(self, encoder: str, ids: Sequence[int] | Ids, vectors: Vectors) -> None:
        """Store the vectors of `encoder` for these passages, as float16; skips passages removed
        since.

        A crash of the system, unlike one of this process, may lose the last of them; it costs only
        the time to encode them again.
        """
        self._take_encoder(encoder)
        with self._database.at_leisure(), self._database.change():
            for number, vector in zip(map(int, ids), vectors.astype(np.float16), strict=True):
                waited = "DELETE FROM waiting WHERE passage = ? RETURNING passage"
                if self._database.execute(waited, number):
                    self._database.execute(
                        "INSERT INTO vectors VALUES (?, ?)", number, vector.tobytes()
                    )

    def encoded(self, encoder: str, after: int = 0, limit: int = -1) -> Ids:
        """The ids that have a vector of `encoder`, int64[n], ascending from `after` on.

        Gives at most `limit` of them; -1 is for all.
        """
        self._take_encoder(encoder)
        rows = self._database.execute(
            "SELECT passage FROM vectors WHERE passage > ? ORDER BY passage LIMIT ?", after, limit
        )
        return np.fromiter((number for (number,) in rows), np.int64, len(rows))

    def read(self, encoder: str, ids: Sequence[int]) -> dict[int, Vectors]:
        """The vectors of `encoder` that exist for `ids`, float32[dimensions] each."""
        found, rows = self.matrix(encoder, ids)
        return dict(zip(found.tolist(), rows, strict=True))

    def matrix(self, encoder: str, ids: Sequence[int] | Ids) -> tuple[Ids, Vectors]:
        """The same as one float32[n, dimensions], after the ids they belong to."""
        self._take_encoder(encoder)
        rows = self._database.execute(
            "SELECT passage, vector FROM vectors WHERE passage IN (SELECT value FROM json_each(?))",
            listed(ids),
        )
        joined = np.frombuffer(b"".join(vector for _, vector in rows), np.float16)
        found = np.fromiter((number for number, _ in rows), np.int64, len(rows))
        return found, joined.reshape(len(rows), -1 if rows else 0).astype(np.float32)

    def passages_after(self, number: int) -> int:
        """The number of passages with a greater id than `number`."""
        return int(self._database.row("SELECT count(*) FROM passages WHERE id > ?", number)[0])

    def texts_after(self, number: int, limit: int) -> list[tuple[int, str]]:
        """Up to `limit` passages with a greater id than `number`, by id: title, place and text."""
        return self._database.execute(
            f"SELECT id, {_TEXT} FROM passages WHERE id > ? ORDER BY id LIMIT ?",  # noqa: S608
            number,
            limit,
        )

    def gone(self, ids: Sequence[int]) -> list[int]:
        """Those of `ids` that are no passage any more."""
        rows = self._database.execute(
            "SELECT value FROM json_each(?) WHERE value NOT IN (SELECT id FROM passages)",
            listed(ids),
        )
        return [number for (number,) in rows]

    def _take_encoder(self, encoder: str) -> None:
        """Drop the vectors of any other encoder, which cannot be compared with this one's."""
        if self._database.fact("encoder") == encoder:
            return
        with self._database.change():
            self._database.execute("DELETE FROM vectors")
            self._database.execute("INSERT OR IGNORE INTO waiting SELECT id FROM passages")
            self._database.execute("UPDATE facts SET value = ? WHERE name = 'encoder'", encoder)
