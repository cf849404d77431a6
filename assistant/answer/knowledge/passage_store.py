"""The stored passages: found by words and by filters, read by their ids."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from assistant.answer.knowledge.database import (
    JOINED_COLUMNS,
    KnowledgeDatabase,
    listed,
    passage_of,
)
from assistant.answer.knowledge.passages import Passage
from assistant.answer.knowledge.people import named
from assistant.answer.knowledge.query import Filter, query, telling

COMMON = 5_000
"""Most passages that hold a word worth searching; ranking that many hits of a word takes 10 ms."""


class StoredPassage(msgspec.Struct, frozen=True, kw_only=True):
    """A passage with its id and the file it is from."""

    id: int
    passage: Passage
    source: Path


class PassageStore:
    """Finds and reads passages; every method raises `StorageError`.

    Words that more than `common` passages hold are not searched where there are rarer ones.
    """

    def __init__(self, database: KnowledgeDatabase, common: int = COMMON) -> None:
        self._database, self._common = database, common

    @property
    def empty(self) -> bool:
        """Whether there is no passage."""
        return not self._database.row("SELECT EXISTS (SELECT 1 FROM passages)")[0]

    def people_named(self, question: str) -> tuple[str, ...]:
        """The people named in `question`, of those whom passages are about."""
        names = self._database.execute("SELECT DISTINCT name FROM people")
        return named(question, (name for (name,) in names))

    def read(self, ids: Sequence[int]) -> list[StoredPassage]:
        """The passages in the order of `ids`; an id that is gone is left out."""
        rows = self._database.execute(
            f"SELECT p.id, path, {JOINED_COLUMNS} FROM passages p JOIN sources s ON s.id = p.source"  # noqa: S608
            " WHERE p.id IN (SELECT value FROM json_each(?))",
            listed(ids),
        )
        found = {
            row[0]: StoredPassage(id=row[0], source=Path(row[1]), passage=passage_of(row[2:]))
            for row in rows
        }
        return [found[i] for i in ids if i in found]

    def matching(
        self, words: str, limit: int, within: Filter | None = None
    ) -> list[tuple[int, float]]:
        """Ids of passages that hold any of the words, with their BM25; higher is better."""
        if not (asked := query(self._rarer(telling(words)))):
            return []
        where, bound = _where(within)
        narrowed = f" AND rowid IN (SELECT id FROM passages WHERE {where})" if where else ""  # noqa: S608
        return self._database.execute(
            f"SELECT rowid, -rank FROM words WHERE words MATCH ?{narrowed} ORDER BY rank LIMIT ?",  # noqa: S608
            *(asked, *bound, limit),
        )

    def within(self, narrowed: Filter) -> list[int]:
        """Ids of all passages that pass the filter."""
        where, bound = _where(narrowed)
        sql = f"SELECT id FROM passages WHERE {where or 'TRUE'} ORDER BY id"  # noqa: S608
        return [number for (number,) in self._database.execute(sql, *bound)]

    def inside(self, ids: Sequence[int], narrowed: Filter) -> list[int]:
        """The ids that pass the filter, in their order."""
        where, bound = _where(narrowed)
        sql = f"SELECT id FROM passages WHERE {where or 'TRUE'} AND id IN (SELECT value FROM json_each(?))"  # noqa: S608, E501
        let = {number for (number,) in self._database.execute(sql, *bound, listed(ids))}
        return [number for number in ids if number in let]

    def _rarer(self, tokens: Sequence[str]) -> Sequence[str]:
        """The words that few passages hold, or the two rarest: every hit of a word costs time."""
        if (self._database.row("SELECT max(id) FROM passages")[0] or 0) <= self._common:
            return tokens
        counted = "SELECT count(*) FROM (SELECT 1 FROM words WHERE words MATCH ? LIMIT ?)"
        hits = {
            token: self._database.row(counted, query([token]), self._common + 1)[0]
            for token in tokens
        }
        rare = [token for token in tokens if hits[token] <= self._common]
        return rare or sorted(tokens, key=hits.__getitem__)[:2]


def _where(within: Filter | None) -> tuple[str, tuple[Any, ...]]:
    conditions = list(within.conditions()) if within is not None else []
    sql = " AND ".join(condition for condition, _ in conditions)
    return sql, tuple(value for _, bound in conditions for value in bound)
