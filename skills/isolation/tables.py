"""The tables of a skill of somebody else, whose SQL runs in a process that can be ended."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import msgspec

from assistant.core.errors import SkillError, StorageError
from assistant.skill.storage import Cell, Tables
from skills.isolation.spawner import Running, Spawner
from skills.isolation.table_process import LARGEST_FRAME_BYTES, Close, Open, Ran, Run, ToTables
from skills.isolation.wire import BrokenLineError, Line

STATEMENT_S = 1.0
"""Seconds of a statement, and of all statements from one thing that a skill says to the next."""
OWN_S = 2.0
"""Seconds of a statement of our own, such as a commit, which waits for the disk."""
ENDED = "storage.ended"
Rows = list[tuple[Any, ...]]


class TableDatabase:
    """Implements `Guest` for a file that a process of its own has open.

    The process is started when it is needed, and again after it has ended. A statement that takes
    longer than `STATEMENT_S` ends it, and with it the transaction.
    """

    def __init__(self, path: Path | None, largest_bytes: int, spawner: Spawner) -> None:
        self._open = Open(file=str(path or ""), largest_bytes=largest_bytes)
        self._spawner = spawner
        self._running: Running | None = None
        self._line: Line | None = None
        self._told = Ran()
        self._earlier_changes = 0
        self.set_aside: Path | None = None
        self.lost: StorageError | None = None
        self._started()

    @property
    def pid(self) -> int | None:
        """The id of the process, while it runs."""
        return self._running.pid if self._running else None

    @property
    def in_transaction(self) -> bool:
        """Whether a transaction is open."""
        return self._told.in_transaction

    @property
    def changes(self) -> int:
        """How many rows have been written since the file was first opened."""
        return self._earlier_changes + self._told.changes

    def execute(self, sql: str, *parameters: Any) -> Rows:
        """Run one statement of our own."""
        return self._rows(Run(sql=sql, parameters=parameters, own=True), OWN_S)

    def execute_for_guest(self, sql: str, *parameters: Any) -> Rows:
        """Run one statement of the skill's."""
        return self._rows(Run(sql=sql, parameters=parameters), STATEMENT_S)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Run all of the block's statements or, when it raises, none; on the disk at its end."""
        self.execute("BEGIN IMMEDIATE")
        try:
            yield
            self.execute("COMMIT")
        finally:
            self.lost = None
            if self.in_transaction:
                self.execute("ROLLBACK")

    def close(self) -> None:
        """Close the file and end the process."""
        if self._line is not None:
            with suppress(StorageError):
                self._asked(self._line, Close(), OWN_S)
        self._end()

    def _rows(self, order: Run, seconds: float) -> Rows:
        if self.lost:
            raise self.lost
        before, known = self.in_transaction, self._line
        try:
            told = self._asked(known or self._started(), order, seconds)
        except StorageError as error:
            if known is not None and error.code == ENDED and not before:
                return self._rows(order, seconds)  # it died meanwhile, and nothing was open
            if before:
                self.lost = error
            raise
        self._told = told
        code, message = told.fault
        if code:
            fault = StorageError(code, message)
            if before and not told.in_transaction:  # SQLite has taken all of it back
                self.lost = fault
            raise fault
        return msgspec.msgpack.decode(told.rows, type=Rows)

    def _started(self) -> Line:
        running = self._running = self._spawner.start(tables=True)
        line = self._line = Line(running.descriptor, Ran, LARGEST_FRAME_BYTES)
        told = self._asked(line, self._open, OWN_S)
        if told.fault[0]:
            self._end()
            raise StorageError(*told.fault)
        self.set_aside = Path(told.set_aside) if told.set_aside else None
        return line

    def _asked(self, line: Line, order: ToTables, seconds: float) -> Ran:
        until_s = time.monotonic() + seconds
        answer: Ran | None = None
        try:
            line.send(order, until_s)
            answer = line.receive(until_s)
        except BrokenLineError as error:
            if error.slow:
                raise StorageError("storage.slow", "a statement takes too long") from error
            raise StorageError(ENDED, "the process of its tables has ended") from error
        finally:
            if answer is None:  # also when interrupted: what comes later is no answer to the next
                self._end()
        return answer

    def _end(self) -> None:
        if self._running is not None:
            self._spawner.end(self._running)
        self._earlier_changes, self._told = self.changes, Ran()
        self._running = self._line = None


class AllowedTables:
    """Implements `Tables` for a skill, within the time of one move."""

    def __init__(self, tables: Tables, skill: str) -> None:
        self._tables, self._skill, self._left_s = tables, skill, STATEMENT_S

    def execute(self, sql: str, *parameters: Cell) -> Rows:
        """Run one statement within the turn and return its rows."""
        if not all(isinstance(one, str | int | float | bytes | None) for one in parameters):
            raise self._refused("skill.storage", "a parameter is no text, number, bytes or None")
        if self._left_s <= 0:
            raise self._refused("skill.slow", f"its statements take more than {STATEMENT_S:g} s")
        begun_s = time.monotonic()
        try:
            return self._tables.execute(sql, *parameters)
        finally:
            self._left_s -= time.monotonic() - begun_s

    def _refused(self, code: str, told: str) -> SkillError:
        return SkillError(code, f'skill "{self._skill}": {told}', self._skill)
