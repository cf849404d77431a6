"""A folder of lines that does not grow: the oldest file makes room for the newest."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

FILES = 8
"""Most files of a folder."""
FILE_BYTES = 1_000_000
"""Most bytes of a file."""
_SUFFIX = ".jsonl"

log = logging.getLogger(__name__)


class LineRing:
    """Appends lines to the newest file of `folder`, which one process alone may write."""

    def __init__(self, folder: Path, files: int = FILES, file_bytes: int = FILE_BYTES) -> None:
        self._folder, self._files, self._file_bytes = folder, files, file_bytes
        self._newest: tuple[Path, int] | None = None
        """The file that is written, and its size; None where it must be looked at first."""

    def add(self, line: bytes) -> None:
        """Append a line; raises `OSError`, and the line is lost."""
        file, size = self._newest or self._looked_at()
        self._newest = None
        if size + len(line) + 1 > self._file_bytes and size:
            file, size = _after(file), 0
        if not size:
            self._make_room()
        # Whose utterances these were concerns nobody else.
        descriptor = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "wb") as opened:
            opened.write(line + b"\n")
        self._newest = file, size + len(line) + 1

    def _looked_at(self) -> tuple[Path, int]:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        files = files_of(self._folder)
        if not files:
            return self._folder / f"{1:08}{_SUFFIX}", 0
        newest = files[-1]
        size = newest.stat().st_size
        if size and not _ends_whole(newest):  # a power cut, or a full disk, has cut a line short
            return _after(newest), 0
        return newest, size

    def _make_room(self) -> None:
        """Leave room for one more file."""
        for oldest in files_of(self._folder)[: -self._files + 1 or None]:
            oldest.unlink()


class LoggedRing:
    """Appends lines to a `ring`; one that cannot be written is lost, which is logged once."""

    def __init__(self, ring: LineRing) -> None:
        self._ring, self._fault = ring, ""

    def add(self, line: bytes) -> None:
        """Append a line; raises nothing."""
        fault = ""
        try:
            self._ring.add(line)
        except OSError as error:
            # The error of a full disk names no file.
            fault = error.strerror or str(error)
        if fault and fault != self._fault:
            log.warning("traces are lost: %s (traces.unwritable)", fault)
        self._fault = fault


def files_of(folder: Path) -> list[Path]:
    """The files of a folder, oldest first."""
    return sorted(one for one in folder.glob(f"*{_SUFFIX}") if one.stem.isdecimal())


def lines_of(folder: Path) -> Iterator[bytes]:
    """The whole lines in a folder, oldest first, while another process may go on writing.

    Raises `OSError`.
    """
    for file in files_of(folder):
        with suppress(FileNotFoundError):  # it has made room meanwhile
            yield from file.read_bytes().split(b"\n")[:-1]


def _after(file: Path) -> Path:
    return file.with_name(f"{int(file.stem) + 1:08}{_SUFFIX}")


def _ends_whole(file: Path) -> bool:
    with file.open("rb") as opened:
        opened.seek(-1, os.SEEK_END)
        return opened.read() == b"\n"
