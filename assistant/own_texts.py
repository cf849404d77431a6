"""Texts of the user's own, in databases that other processes write."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from assistant.core.database import rescued


class OwnTexts:
    """Gives what queries find in databases; an absent or damaged one holds nothing.

    A file is read when it is asked for and has changed. Each query gives a column of texts.
    """

    def __init__(self, queries: Mapping[Path, Sequence[str]]) -> None:
        self._queries = queries
        self._state: tuple[object, ...] | None = None
        self._texts: tuple[str, ...] = ()

    def __call__(self) -> tuple[str, ...]:
        """All texts; the same object as long as nothing has changed."""
        state = tuple(map(_state, self._queries))
        if state != self._state:
            self._state, self._texts = state, tuple(dict.fromkeys(self._read()))
        return self._texts

    def _read(self) -> Iterator[str]:
        for file, queries in self._queries.items():
            for query in queries if file.exists() else ():
                # Whoever writes the file tells of its faults.
                yield from (str(text) for (text,) in rescued(file.absolute(), query) or ())


def _state(file: Path) -> tuple[tuple[int, int, int] | None, ...]:
    """What changes whenever a database is written to."""
    return tuple(map(_stamp, (file, file.with_name(f"{file.name}-wal"))))


def _stamp(file: Path) -> tuple[int, int, int] | None:
    try:
        status = file.stat()
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns, status.st_size
