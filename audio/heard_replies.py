"""The replies that were heard to their end and must not be played again, even after a power cut."""

from __future__ import annotations

import logging
import os
from pathlib import Path

from assistant.core.files import replace_file

KEPT = 256
"""Most names that are kept. A ring is acknowledged within a minute of the skills' next start."""
READ_BYTES = 65_536

log = logging.getLogger(__name__)


class HeardReplies:
    """Names in the file at `path`, one a line, each on the disk before `add` returns.

    Where writing fails, this is logged, and they are kept only while this process runs.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self.names = self._read()

    def add(self, name: str) -> None:
        """Write `name` to the file."""
        self.names = (*self.names, name)[-KEPT:]
        try:
            descriptor = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
            try:
                os.write(descriptor, f"{name}\n".encode())
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
        except OSError as error:
            self._complain(error)

    def _read(self) -> tuple[str, ...]:
        """The last names, without old ones and without a line that a power cut left incomplete."""
        try:
            with self._path.open("rb") as file:
                file.seek(max(0, file.seek(0, os.SEEK_END) - READ_BYTES))
                found = file.read(READ_BYTES)
            whole = found[: found.rfind(b"\n") + 1].decode("ascii", "replace").splitlines()
            names = tuple(whole[-KEPT:])
            replace_file(self._path, "".join(f"{n}\n" for n in names).encode(), mode=0o600)
        except FileNotFoundError:
            return ()
        except OSError as error:
            self._complain(error)
            return ()
        return names

    def _complain(self, error: OSError) -> None:
        what = "a ring may come again after a restart"
        log.warning("%s: %s; %s (audio.tally)", self._path, error.strerror, what)
