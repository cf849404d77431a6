"""One SQLite file of knowledge: opened, changed in transactions that are counted, and closed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, tzinfo
from pathlib import Path
from typing import Any

import msgspec

from assistant.answer.knowledge.passages import Passage
from assistant.answer.knowledge.schema import MIGRATIONS
from assistant.answer.knowledge.series import Series
from assistant.core.database import Database

SLICE = 16
"""Passages that are written or removed at once, so that a question meanwhile waits little."""

COLUMNS = "text, title, place, kind, starts, ends, people, series"
"""Of a passage, in the table of that name."""


class Store:
    """The open file; every method raises `StorageError`.

    `path` None keeps all in memory; `zone` is that of events without an offset.
    """

    def __init__(self, path: Path | None, zone: tzinfo = UTC) -> None:
        self._database = Database(path, MIGRATIONS)
        self._zone = zone
        self._forgotten: list[int] = []
        self.path = path

    def close(self) -> None:
        """Close the file and let another process have it."""
        self._database.close()

    @property
    def zone(self) -> tzinfo:
        """That of events without an offset."""
        return self._zone

    @property
    def generation(self) -> int:
        """Rises with every change of passages or vectors."""
        return int(self._fact("generation"))

    @property
    def identity(self) -> str:
        """Of this file and no other; another file's ids mean other passages."""
        return self._fact("identity")

    @contextmanager
    def _change(self) -> Iterator[None]:
        with self._database.transaction():
            yield
            self._database.execute(
                "UPDATE facts SET value = CAST(value AS INTEGER) + 1 WHERE name = 'generation'"
            )

    @contextmanager
    def _at_leisure(self) -> Iterator[None]:
        """Leave it to a later change to wait for the disk."""
        self._database.execute("PRAGMA synchronous=NORMAL")
        try:
            yield
        finally:
            self._database.execute("PRAGMA synchronous=FULL")

    def _fact(self, name: str) -> str:
        return str(self._one("SELECT value FROM facts WHERE name = ?", name)[0])

    def _one(self, sql: str, *parameters: Any) -> tuple[Any, ...]:
        return self._database.execute(sql, *parameters)[0]


def passage_of(row: Sequence[Any]) -> Passage:
    """The passage in a row of `COLUMNS`."""
    text, title, place, kind, starts, ends, people, series = row
    return Passage(
        text=text,
        title=title,
        place=place,
        kind=kind,
        starts=starts,
        ends=ends,
        people=tuple(json.loads(people)),
        series=msgspec.json.decode(series, type=Series) if series else None,
    )


def listed(ids: Iterable[int]) -> str:
    """The ids as one bound value, for `json_each`."""
    return json.dumps([int(number) for number in ids])
