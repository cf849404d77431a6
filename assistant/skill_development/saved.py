"""Notices that a file of a skill was saved."""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path

SUFFIXES = (".py", ".toml", ".yaml")
SETTLING_S = 0.05
"""Seconds in which nothing may change any more: an editor may write a file in several steps."""

_Snapshot = dict[str, tuple[int, int]]


class SavedFiles:
    """Compares a folder's files with those of the last look: by name, size and time of change."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._seen = _snapshot(folder)

    def changed(self) -> bool:
        """Whether a file was saved, added or removed since the last call; waits until that ends."""
        now = _snapshot(self._folder)
        if now == self._seen:
            return False
        while now != self._seen:
            self._seen = now
            time.sleep(SETTLING_S)
            now = _snapshot(self._folder)
        return True


def _snapshot(folder: Path) -> _Snapshot:
    found: _Snapshot = {}
    for root, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith((".", "__"))]
        for name in names:
            if name.endswith(SUFFIXES) and not name.startswith("."):
                file = Path(root, name)
                with suppress(OSError):  # it was removed meanwhile
                    about = file.stat()
                    found[str(file)] = about.st_mtime_ns, about.st_size
    return found
