"""A disk that records what SQLite does to it, and can be cut off from the power at any moment.

`RecordedDisk.connect` opens a database as `sqlite3.connect` does, with the SQLite that comes with
apsw, and records each write, change of size, sync, new file and removal. `cut` then gives the files
as a power cut after any of these steps may leave them:

| what                                      | after the cut                                        |
|-------------------------------------------|------------------------------------------------------|
| written before the file's last sync       | there                                                |
| written since                             | by sector there or not, and in any order             |
| a gap that such a write leaves            | zeros, or noise                                      |
| a file made or removed, folder not synced | made or removed, or not                              |
| the index in shared memory                | missing, an earlier one, or torn: it is never synced |
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import apsw

SECTORS = (512, 4096)
"""Bytes that a disk writes as one; a cut tears what is longer."""
SURVIVING = (0.0, 0.1, 0.5, 0.9, 1.0)
"""Shares of what was not synced that may have reached the disk."""
INDEX = "-shm"
_UNTOLD = ("SELECT", "PRAGMA", "BEGIN", "SAVEPOINT", "ROLLBACK", "RELEASE")
"""Statements that promise nothing when they return."""
_VERSIONS = count()

Rows = Mapping[str, tuple[tuple[Any, ...], ...]]
"""A database's tables, each with its rows."""


class Write(NamedTuple):
    """Bytes written to a file."""

    file: int
    offset: int
    data: bytes


class Resize(NamedTuple):
    """A file cut or extended."""

    file: int
    size: int


class Sync(NamedTuple):
    """A file's content brought to the disk, and perhaps the folder's entries with it."""

    file: int
    folder_synced: bool


class Entry(NamedTuple):
    """A name in the folder, now of `file`; None where it was removed."""

    name: str
    file: int | None
    folder_synced: bool = False


class Promise(NamedTuple):
    """A commit that has returned: from here on these rows must be found after every cut."""

    rows: Rows
    index: bytes


Step = Write | Resize | Sync | Entry | Promise


class RecordedDisk:
    """A folder with the files `contents`; with `synchronous` in place of what a program asks for.

    `steps` are all that happened, in order.
    """

    def __init__(
        self, folder: Path, contents: Mapping[str, bytes] | None = None, synchronous: str = ""
    ) -> None:
        self.folder, self._synchronous = folder, synchronous
        self.steps: list[Step] = []
        folder.mkdir(parents=True)
        for name, content in (contents or {}).items():
            (folder / name).write_bytes(content)
        stored = {n: c for n, c in (contents or {}).items() if not n.endswith(INDEX)}
        self._begun = dict(enumerate(stored.values()))
        self._numbers = count(len(stored))
        self.files = dict(zip(stored, self._begun, strict=True))
        """The folder as it is now: name → file."""
        self._names = dict(self.files)
        self._vfs = _RecordingVfs(f"recorded-{next(_VERSIONS)}", self)

    def connect(self, where: Path | str, **_: Any) -> sqlite3.Connection:
        """Open a database in the folder; the timeout and the rest are as SQLite has them."""
        return _Connection(self, where, self._vfs.name, self._synchronous)  # type: ignore[return-value]

    def new_file(self, name: str) -> int:
        """Note a file that was made under `name`, or is there."""
        if name not in self.files:
            self.files[name] = next(self._numbers)
            self.steps.append(Entry(name, self.files[name]))
        return self.files[name]

    def promise(self, rows: Rows) -> None:
        """Note that a commit has returned."""
        index = next((f.read_bytes() for f in self.folder.iterdir() if f.name.endswith(INDEX)), b"")
        self.steps.append(Promise(rows, index))

    def cut(self, after: int, chance: Random) -> dict[str, bytes]:
        """Files that a power cut may leave after so many steps."""
        written = {number: bytearray(content) for number, content in self._begun.items()}
        pending: dict[int, list[Write | Resize]] = {}
        now = {number: bytearray(content) for number, content in self._begun.items()}
        names, moved, index = dict(self._names), list[Entry](), b""
        for step in self.steps[:after]:
            match step:
                case Write() | Resize():
                    pending.setdefault(step.file, []).append(step)
                    _apply(now.setdefault(step.file, bytearray()), step)
                case Sync():
                    written[step.file] = bytearray(now.get(step.file, b""))
                    pending.pop(step.file, None)
                case Entry():
                    moved.append(step)
                case Promise():
                    index = step.index
            if isinstance(step, Sync | Entry) and step.folder_synced:
                _enter(names, moved)
                moved.clear()
        _enter(names, [entry for entry in moved if chance.random() < 0.5])
        left = {
            name: _settled(written.get(file, b""), pending.get(file, ()), chance)
            for name, file in names.items()
        }
        database = next((name for name in names if not name.endswith(("-wal", "-journal"))), "")
        if database and (torn := _torn_index(index, chance)) is not None:
            left[f"{database}{INDEX}"] = torn
        return left


class _RecordingVfs(apsw.VFS):
    def __init__(self, name: str, disk: RecordedDisk) -> None:
        super().__init__(name, "")
        self.name, self._disk = name, disk

    def xOpen(self, name: Any, flags: list[int]) -> apsw.VFSFile:  # noqa: N802 - SQLite's name
        path = name.filename() if isinstance(name, apsw.URIFilename) else name
        if path is None:  # a temporary file, which nobody needs after a cut
            return apsw.VFSFile("", name, flags)
        return _RecordedFile(self._disk, Path(path).name, name, flags)

    def xDelete(self, name: str, sync_folder: bool) -> None:  # noqa: N802
        super().xDelete(name, sync_folder)
        self._disk.files.pop(Path(name).name, None)
        self._disk.steps.append(Entry(Path(name).name, None, sync_folder))


class _RecordedFile(apsw.VFSFile):
    def __init__(self, disk: RecordedDisk, known: str, name: Any, flags: list[int]) -> None:
        # As SQLite does on Unix, the first sync of a new log syncs the folder, too.
        self._first = known not in disk.files and not flags[0] & apsw.SQLITE_OPEN_MAIN_DB
        super().__init__("", name, flags)
        self._steps, self._file = disk.steps, disk.new_file(known)

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802
        super().xWrite(data, offset)
        self._steps.append(Write(self._file, offset, bytes(data)))

    def xTruncate(self, size: int) -> None:  # noqa: N802
        super().xTruncate(size)
        self._steps.append(Resize(self._file, size))

    def xSync(self, flags: int) -> None:  # noqa: N802
        super().xSync(flags)
        self._steps.append(Sync(self._file, self._first))
        self._first = False


class _Connection:
    """As much of `sqlite3.Connection` as `Database` uses."""

    def __init__(self, disk: RecordedDisk, where: Path | str, vfs: str, synchronous: str) -> None:
        self._disk, self._synchronous = disk, synchronous
        with _translated():
            self._connection = apsw.Connection(str(where), vfs=vfs)
            self._connection.set_busy_timeout(5000)

    def execute(self, sql: str, parameters: Sequence[Any] = ()) -> _Cursor:
        """Run a statement to its end; once it has committed, that is a promise."""
        if self._synchronous and sql.startswith("PRAGMA synchronous="):
            sql = f"PRAGMA synchronous={self._synchronous}"
        with _translated():
            rows = list(self._connection.execute(sql, tuple(parameters)))
            if not (self.in_transaction or sql.startswith(_UNTOLD)):
                self._disk.promise(all_rows(self._connection.execute))
        return _Cursor(rows)

    @property
    def in_transaction(self) -> bool:
        """Whether a transaction is open."""
        return self._connection.in_transaction

    @property
    def total_changes(self) -> int:
        """Rows changed since it was opened."""
        return self._connection.total_changes()

    def close(self) -> None:
        """Close it; the last one to be closed writes the log into the database."""
        with _translated():
            self._connection.close()


class _Cursor:
    def __init__(self, rows: list[Any]) -> None:
        self._rows = rows

    def fetchall(self) -> list[Any]:
        """Every row."""
        return self._rows


def all_rows(execute: Any) -> Rows:
    """What all tables hold, by a connection's or a database's `execute`."""
    tables = [name for (name,) in execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    return {table: tuple(execute(f'SELECT * FROM "{table}" ORDER BY 1')) for table in tables}  # noqa: S608


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except apsw.Error as error:
        told = sqlite3.DatabaseError(str(error))
        told.sqlite_errorcode = getattr(error, "extendedresult", 0)
        raise told from error


def _enter(names: dict[str, int], entries: Sequence[Entry]) -> None:
    for entry in entries:
        if entry.file is None:
            names.pop(entry.name, None)
        else:
            names[entry.name] = entry.file


def _apply(content: bytearray, step: Write | Resize, gap: bytes = b"\0") -> None:
    end = step.size if isinstance(step, Resize) else step.offset
    if len(content) < end:
        content.extend((gap * (end - len(content)))[: end - len(content)])
    if isinstance(step, Resize):
        del content[step.size :]
    else:
        content[end : end + len(step.data)] = step.data


def _settled(synced: bytes, pending: Sequence[Write | Resize], chance: Random) -> bytes:
    """A file's content, where some of what is pending has reached the disk."""
    content, sector = bytearray(synced), chance.choice(SECTORS)
    pieces = [piece for step in pending for piece in _sectors(step, sector)]
    share = chance.choice(SURVIVING)
    kept = [piece for piece in pieces if chance.random() < share]
    if chance.random() < 0.5:
        chance.shuffle(kept)
    gap = chance.choice((b"\0", chance.randbytes(61)))
    for piece in kept:
        _apply(content, piece, gap)
    return bytes(content)


def _sectors(step: Write | Resize, sector: int) -> Iterator[Write | Resize]:
    if isinstance(step, Resize):
        yield step
        return
    at = 0
    while at < len(step.data):
        length = sector - (step.offset + at) % sector
        yield Write(step.file, step.offset + at, step.data[at : at + length])
        at += length


def _torn_index(index: bytes, chance: Random) -> bytes | None:
    match chance.choice(("missing", "earlier", "torn")):
        case "missing":
            return None
        case "earlier":
            return index
    pages = [index[at : at + os.sysconf("SC_PAGE_SIZE")] for at in range(0, len(index), 4096)]
    return b"".join(chance.choice((page, bytes(len(page)))) for page in pages)
