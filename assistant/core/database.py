"""One durable SQLite file: a single writer, migrations by name, and errors that name the cause.

When `transaction` has ended, its changes are on the disk (WAL, synchronous=FULL). When it raises,
it changes nothing.
"""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from pathlib import Path
from shutil import disk_usage
from typing import Any, Protocol

from assistant.core.errors import StorageError
from assistant.core.files import HeldFile

_CODES = {
    sqlite3.SQLITE_FULL: ("storage.full", "the disk is full; free some space"),
    sqlite3.SQLITE_CORRUPT: ("storage.corrupt", "the file is damaged; restart to begin a new one"),
    sqlite3.SQLITE_NOTADB: ("storage.corrupt", "it is no database; restart to begin a new one"),
    sqlite3.SQLITE_READONLY: ("storage.unwritable", "it cannot be written; check its owner"),
    sqlite3.SQLITE_CANTOPEN: ("storage.unwritable", "it cannot be opened; check its folder"),
    sqlite3.SQLITE_PERM: ("storage.unwritable", "it may not be opened; check its owner"),
    sqlite3.SQLITE_BUSY: ("storage.busy", "another program holds it; close that program"),
    sqlite3.SQLITE_IOERR: ("storage.io", "the disk failed or is full; check it"),
    sqlite3.SQLITE_INTERRUPT: ("storage.slow", "a statement takes too long"),
    sqlite3.SQLITE_AUTH: ("storage.refused", "a statement does what it may not"),
}
QUOTA = "storage.quota"
"""Code of what is more than may be kept."""
_ROOM_BYTES = 4 << 20
_COMPANIONS = ("-wal", "-shm")
_OWNER_ONLY = (
    *(sqlite3.SQLITE_ATTACH, sqlite3.SQLITE_DETACH, sqlite3.SQLITE_PRAGMA),
    *(sqlite3.SQLITE_TRANSACTION, sqlite3.SQLITE_SAVEPOINT),
)
"""What a guest's statement may not do: reach other files, change settings, end the transaction."""
_MOST_ROWS = 10_000
"""Most rows that a guest's statement returns."""
_LOOK_EVERY = 10_000
"""SQLite's instructions after which Python may interrupt a guest's statement."""

_READ_ONLY = ("mode=ro", "mode=ro&immutable=1")
"""Ways to open a file to be read. The second, for a folder that cannot be written, ignores the last
writer's log."""

log = logging.getLogger(__name__)

Connect = Callable[..., sqlite3.Connection]
"""What opens a database's file, called as `sqlite3.connect` is."""
CONNECT: Connect = sqlite3.connect


class Guest(Protocol):
    """A database of somebody else's, whose transactions end with those of the one it is beside."""

    set_aside: Path | None
    lost: StorageError | None
    """Why a transaction came to nothing that its owner still takes for open."""

    @property
    def in_transaction(self) -> bool:
        """Whether a transaction is open."""

    @property
    def changes(self) -> int:
        """How many rows have been written since it was opened."""

    def execute(self, sql: str, *parameters: Any) -> list[tuple[Any, ...]]:
        """Run one statement of our own."""

    def execute_for_guest(self, sql: str, *parameters: Any) -> list[tuple[Any, ...]]:
        """Run one statement of the guest's."""

    def transaction(self) -> AbstractContextManager[None]:
        """Run all of the block's statements or, when it raises, none."""

    def close(self) -> None:
        """Close the file."""


Migration = Callable[[Any], None]
"""A step of the schema, given the database; it runs once and is recorded under its name."""


class Database:
    """An open database file, or one in memory when `path` is None.

    A file that is damaged, or that is empty or missing where there was one, is begun anew, with a
    warning; it is renamed, never deleted, and `set_aside` is its new path. On a disk that has
    become read-only, as a failing disk does, the file can still be read. Every method raises
    `StorageError`. The file grows to `largest_bytes` at most. `connect` opens it. With `shared` it
    is only read, and its writer may have it open.
    """

    def __init__(
        self,
        path: Path | None,
        migrations: Sequence[Migration],
        largest_bytes: int | None = None,
        connect: Connect = CONNECT,
        shared: bool = False,
    ) -> None:
        self.path, self._connect = path, connect
        self.set_aside: Path | None = None
        self.lost: StorageError | None = None
        self._largest_bytes = largest_bytes
        self._uncounted = 0
        self._guests: dict[str, Guest] = {}
        self._file = HeldFile(path, _COMPANIONS) if path is not None else None
        self._read_only = path is not None and path.exists() and (shared or self._is_stuck())
        self._resources, self._disconnect = ExitStack(), ExitStack().close
        with ExitStack() as opening:
            opening.callback(self.close)
            if self._file is not None and not shared:
                self._hold(self._file)
            self._open_or_begin_anew(migrations)
            if self._file is not None and not self._read_only:
                with self._named():
                    self._file.settle()
            opening.pop_all()

    def execute(self, sql: str, *parameters: Any) -> list[tuple[Any, ...]]:
        """Run one statement with bound `parameters` and return its rows."""
        with self._translated():
            return self._connection.execute(sql, parameters).fetchall()

    def execute_for_guest(self, sql: str, *parameters: Any) -> list[tuple[Any, ...]]:
        """Run one statement of somebody else's, who may use this file and nothing besides."""
        if self.lost:
            raise self.lost
        before = self.in_transaction
        self._connection.set_authorizer(_guest)
        self._connection.set_progress_handler(lambda: 0, _LOOK_EVERY)
        try:
            with self._translated():
                rows = self._connection.execute(sql, parameters).fetchmany(_MOST_ROWS + 1)
        except StorageError as error:
            if before and not self.in_transaction:  # a full or interrupted one is taken back whole
                self.lost = error
            raise
        finally:
            self._connection.set_progress_handler(None, 0)
            self._connection.set_authorizer(None)
        if len(rows) > _MOST_ROWS:
            raise StorageError("storage.rows", f"a statement gives more than {_MOST_ROWS} rows")
        return rows

    @property
    def in_transaction(self) -> bool:
        """Whether a transaction is open."""
        return self._connection.in_transaction

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Run all of the block's statements or, when it raises, none; on the disk at its end."""
        self.execute("BEGIN IMMEDIATE")
        try:
            yield
            for name, guest in self._guests.items():
                if guest.lost:
                    raise StorageError(guest.lost.code, guest.lost.message, name)
            for guest in self._guests.values():
                if guest.in_transaction:
                    guest.execute("COMMIT")
            self.execute("COMMIT")
        finally:
            for database in (*self._guests.values(), self):
                database.lost = None
                _take_back(database)

    def beside(self, path: Path | None, largest_bytes: int) -> Database:
        """A database for `guest`, opened as this one is."""
        return Database(path, (), largest_bytes, self._connect)

    def guest(
        self, name: str, opened: Callable[[], Guest], migrations: Sequence[Migration]
    ) -> Guest:
        """A database of a guest's own, opened once and closed with this one.

        What the guest writes to it during a transaction ends with that, just before it.
        """
        with self.uncounted():
            if name not in self._guests:
                self._guests[name] = opened()
            migrate(self._guests[name], migrations)
        return self._guests[name]

    @contextmanager
    def rehearsal(self) -> Iterator[None]:
        """Run the block's statements within a transaction, and then take them all back."""
        with self.uncounted():
            self.execute("SAVEPOINT rehearsal")
            try:
                yield
            finally:
                if self._connection.in_transaction:
                    self.execute("ROLLBACK TO rehearsal")
                    self.execute("RELEASE rehearsal")

    @contextmanager
    def attempt(self) -> Iterator[None]:
        """Run the block's statements within a transaction, and take them back when it raises.

        Those of guests too.
        """
        before, whole = self.changes, False
        open_guests = (guest for guest in self._guests.values() if guest.in_transaction)
        held: list[Guest] = [self, *open_guests]
        for database in held:
            database.execute("SAVEPOINT attempt")
        try:
            yield
            whole = True
        finally:
            if not whole:
                for database in (self, *self._guests.values()):
                    if database not in held:  # all that it wrote, it wrote in the block
                        database.lost = None
                    _take_back(database, "TO attempt" if database in held else "")
                self._uncounted += self.changes - before
            for database in held:
                if database.in_transaction:
                    database.execute("RELEASE attempt")

    @contextmanager
    def uncounted(self) -> Iterator[None]:
        """Leave what the block writes out of `changes`."""
        before = self.changes
        try:
            yield
        finally:
            self._uncounted += self.changes - before

    @property
    def changes(self) -> int:
        """How many rows have been written since the file was opened, by guests too."""
        guests = sum(guest.changes for guest in self._guests.values())
        return self._connection.total_changes + guests - self._uncounted

    def close(self) -> None:
        """Close the file, so that another process can open it, and those of its guests."""
        for guest in self._guests.values():
            guest.close()
        self._guests.clear()
        self._resources.close()

    def _is_stuck(self) -> bool:
        return self._file is not None and self._file.is_read_only

    def _hold(self, file: HeldFile) -> None:
        with self._named():
            is_ours = file.hold(self._read_only)
        if not is_ours:
            message = f"{self.path}: another assistant is using it; stop that one first"
            raise StorageError("storage.in_use", message)
        self._resources.callback(file.close)

    @contextmanager
    def _named(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise StorageError("storage.unwritable", f"{self.path}: {error.strerror}") from error

    def _open_or_begin_anew(self, migrations: Sequence[Migration]) -> None:
        try:
            self._open(migrations)
        except StorageError as error:
            known = error.code in ("storage.corrupt", "storage.io")
            if self._file is None or self._read_only or not known:
                raise
            self._disconnect()
            if error.code == "storage.corrupt":
                with self._named():
                    why, self.set_aside = self._file.move_aside()
                told = "%s was %s, and is begun anew; what was there is %s (storage.lost)"
                log.warning(told, self.path, why, self.set_aside)
            self._open(migrations, alone=error.code == "storage.io")

    def _open(self, migrations: Sequence[Migration], alone: bool = False) -> None:
        where: Path | str = self.path or ":memory:"
        if self._read_only and self.path is not None:
            # Without a log of the last writer nothing is missing, and the file is read as it is.
            log = self.path.with_name(f"{self.path.name}-wal")
            where = f"{self.path.resolve().as_uri()}?mode=ro" + "&immutable=1" * (not log.exists())
        with self._translated():
            self._connection = self._connect(
                where, isolation_level=None, timeout=5, check_same_thread=False, uri=self._read_only
            )
        self._disconnect = self._resources.callback(self._connection.close)
        if alone:  # without the shared memory file, for which a full disk has no room
            self.execute("PRAGMA locking_mode=EXCLUSIVE")
        if not self._read_only:
            self.execute("PRAGMA journal_mode=WAL")
        self.execute("PRAGMA synchronous=FULL")
        self.execute("PRAGMA foreign_keys=ON")
        if self._largest_bytes is not None:
            ((page_bytes,),) = self.execute("PRAGMA page_size")
            self.execute(f"PRAGMA max_page_count={self._largest_bytes // page_bytes}")
        if (verdict := self.execute("PRAGMA quick_check(1)")) != [("ok",)]:
            raise StorageError("storage.corrupt", f"{self.path}: {verdict[0][0]}")
        lost = self._file and not self._read_only and self._file.is_lost_if_empty(bool(migrations))
        if lost and not self.execute("SELECT 1 FROM sqlite_master"):
            raise StorageError("storage.corrupt", f"{self.path}: nothing is left in it")
        migrate(self, migrations)

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            number = getattr(error, "sqlite_errorcode", 0)
            code, cause = _CODES.get(number & 0xFF, ("storage.failed", str(error)))
            if number == sqlite3.SQLITE_CONSTRAINT_TRIGGER:
                code, cause = QUOTA, str(error)
            elif code == "storage.full" and self._largest_bytes and _has_room(self.path):
                code, cause = QUOTA, f"it is full: it may have {self._largest_bytes} bytes"
            raise StorageError(code, f"{self.path or 'memory'}: {cause}") from error


def _has_room(path: Path | None) -> bool:
    """Whether it is not the disk that is full."""
    return path is None or disk_usage(path.parent).free > _ROOM_BYTES


def migrate(database: Guest, migrations: Sequence[Migration]) -> None:
    """Run the steps that a database has not gone yet, in one transaction of its own."""
    known = database.execute("SELECT name FROM sqlite_master WHERE name = 'migrations'")
    done = {name for (name,) in database.execute("SELECT name FROM migrations")} if known else ()
    due = [step for step in migrations if step.__name__ not in done]
    if not due:  # nothing is written, so that the file can be read on a full disk
        return
    with database.transaction():
        database.execute("CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY) STRICT")
        for step in due:
            step(database)
            database.execute("INSERT INTO migrations VALUES (?)", step.__name__)


def _take_back(database: Guest, how: str = "") -> None:
    if database.in_transaction:
        database.execute(f"ROLLBACK {how}")


def _guest(action: int, what: str | None, *_: str | None) -> int:
    if action == sqlite3.SQLITE_PRAGMA and what in ("data_version", "quick_check"):  # FTS5, ALTER
        return sqlite3.SQLITE_OK
    return sqlite3.SQLITE_DENY if action in _OWNER_ONLY else sqlite3.SQLITE_OK


def rescued(file: Path, sql: str) -> list[tuple[Any, ...]] | None:
    """The rows of a query on a file that was set aside or is another's; None if it cannot be read.

    The file is not changed. Its sound pages can be read although others are damaged.
    """
    for how in _READ_ONLY:
        try:
            with closing(sqlite3.connect(f"{file.as_uri()}?{how}", uri=True)) as connection:
                return connection.execute(sql).fetchall()
        except sqlite3.Error:
            continue
    return None


def copy_database(source: Path, target: Path) -> None:
    """Copy the database at `source`, as it stands at one moment, while others write to it.

    Raises `StorageError`.
    """
    for how in _READ_ONLY:
        try:
            uri = f"{source.resolve().as_uri()}?{how}"
            with (
                closing(sqlite3.connect(uri, uri=True, timeout=5)) as original,
                closing(sqlite3.connect(target)) as copy,
            ):
                return original.backup(copy)
        except sqlite3.Error as error:
            fault = error
    raise StorageError("storage.unreadable", f"{source}: {fault}") from fault


@contextmanager
def at_rest(path: Path, steps: int, largest_bytes: int) -> Iterator[Callable[[str], Any]]:
    """What gives the rows of queries to a file that nobody has open, and that may be anybody's.

    All take so many instructions at most, a value so many bytes; raises `StorageError`.
    """
    looks, uri = iter(range(steps // _LOOK_EVERY)), f"{path.resolve().as_uri()}?{_READ_ONLY[1]}"
    try:
        with closing(sqlite3.connect(uri, uri=True)) as connection:
            connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, largest_bytes)
            connection.set_progress_handler(lambda: next(looks, None) is None, _LOOK_EVERY)
            yield lambda sql: connection.execute(sql).fetchall()
    except sqlite3.Error as error:
        raise StorageError("storage.corrupt", f"{path}: {error}") from error
