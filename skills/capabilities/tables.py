"""The SQLite tables of skills, each skill's in a file of its own.

A file is opened when its skill first uses it. What a turn writes there is committed just before the
turn itself is, and taken back where the turn fails. A power cut between the two commits leaves the
tables' changes without the rest of the turn, whose reply was then not given.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any

from assistant.core.database import QUOTA, Database, Guest
from assistant.core.errors import SkillError, StorageError
from assistant.core.files import why_aside
from assistant.core.layout import SKILLS_FOLDER
from assistant.skill.storage import Cell, TableMigration

LARGEST_FILE_BYTES = 16 << 20
"""Most bytes of one skill's tables."""
Opened = Callable[[Path | None, int], Guest]
"""Opens a file, or one in memory for None, that grows to so many bytes at most."""
_PLAIN = re.compile(r"[A-Za-z0-9_-]{1,64}")

log = logging.getLogger(__name__)


class TableFiles:
    """The files of all skills, beside that of `turn`, the database of the turns."""

    def __init__(self, turn: Database) -> None:
        self._turn = turn
        self._ready: dict[str, Guest] = {}

    def of(
        self,
        skill: str,
        migrations: Sequence[TableMigration],
        acts: bool = True,
        opened: Opened | None = None,
    ) -> SkillTables:
        """The tables of one skill; where `acts` is false, a change counts as no act.

        `opened` opens their file; by default it is opened in this process.
        """
        counted = nullcontext if acts else self._turn.uncounted
        beside = opened or self._turn.beside
        return SkillTables(skill, lambda: self._opened(skill, migrations, beside), counted)

    def _opened(self, skill: str, migrations: Sequence[TableMigration], opened: Opened) -> Guest:
        if skill not in self._ready:
            steps = [_step(skill, migration) for migration in migrations]
            file = file_of(self._turn.path, skill)
            database = self._turn.guest(skill, lambda: opened(file, LARGEST_FILE_BYTES), steps)
            if database.set_aside:
                why = why_aside(database.set_aside)
                log.error("skill %s: its tables were %s (storage.corrupt)", skill, why)
                database.set_aside = None
            self._ready[skill] = database
        database = self._ready[skill]
        if self._turn.in_transaction and not (database.in_transaction or database.lost):
            database.execute("BEGIN IMMEDIATE")
        return database


class SkillTables:
    """The `Tables` of one skill; they are opened when they are first used."""

    def __init__(
        self,
        skill: str,
        opened: Callable[[], Guest],
        counted: Callable[[], AbstractContextManager[None]] = nullcontext,
    ) -> None:
        self._skill, self._opened, self._counted = skill, opened, counted

    def execute(self, sql: str, *parameters: Cell) -> list[tuple[Any, ...]]:
        """Run one statement within the turn and return its rows."""
        try:
            with self._counted():
                return self._opened().execute_for_guest(sql, *parameters)
        except StorageError as error:
            raise refused(self._skill, error) from error


def refused(skill: str, error: StorageError) -> SkillError:
    """The error of a file as that of its skill."""
    code = {"storage.slow": "skill.slow", QUOTA: QUOTA}.get(error.code, "skill.storage")
    return SkillError(code, f'skill "{skill}": {error.message}', skill)


def file_of(state: Path | None, skill: str) -> Path | None:
    """The file of a skill's tables, for the `state` of the turns, or None for one in memory.

    Raises `SkillError` for a skill whose name is none of a file.
    """
    if not _PLAIN.fullmatch(skill):
        told = "its name may hold letters, digits, - and _ only, as its tables are a file"
        raise SkillError("skill.storage", f'skill "{skill}": {told}', skill)
    return state.parent / SKILLS_FOLDER / f"{skill}.db" if state else None


def _step(skill: str, migration: TableMigration) -> Callable[[Guest], None]:
    def step(database: Guest) -> None:
        migration(SkillTables(skill, lambda: database))

    step.__name__ = migration.__name__
    return step
