"""One SQLite file of knowledge: its rows, and its changes in transactions that are counted."""

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
from assistant.core.calendar.series import Series
from assistant.core.database import Database

COLUMNS = "text, title, place, kind, starts, ends, people, series"
"""Columns of a passage, in the table of that name."""
JOINED_COLUMNS = COLUMNS.replace("title, place, kind", "p.title, place, p.kind")
"""The same columns where `passages` is `p` and joined with its sources."""


class KnowledgeDatabase(Database):
    """The open file; events without an offset are in `zone`. With `shared` it is only read."""

    def __init__(self, path: Path | None, zone: tzinfo = UTC, shared: bool = False) -> None:
        super().__init__(path, MIGRATIONS, shared=shared)
        self.zone = zone

    @property
    def generation(self) -> int:
        """A number that rises with every change of passages or vectors."""
        return int(self.fact("generation"))

    @property
    def identity(self) -> str:
        """The identity of this file alone; in another file the ids mean other passages."""
        return self.fact("identity")

    @contextmanager
    def change(self) -> Iterator[None]:
        """Open a transaction that raises the generation."""
        with self.transaction():
            yield
            self.execute(
                "UPDATE facts SET value = CAST(value AS INTEGER) + 1 WHERE name = 'generation'"
            )

    @contextmanager
    def at_leisure(self) -> Iterator[None]:
        """Let a later change wait for the disk instead of this one."""
        self.execute("PRAGMA synchronous=NORMAL")
        try:
            yield
        finally:
            self.execute("PRAGMA synchronous=FULL")

    def fact(self, name: str) -> str:
        """What is noted about the file itself under `name`."""
        return str(self.row("SELECT value FROM facts WHERE name = ?", name)[0])

    def row(self, sql: str, *parameters: Any) -> tuple[Any, ...]:
        """The first row of a query that gives one."""
        return self.execute(sql, *parameters)[0]


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
