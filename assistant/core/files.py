"""Files that a power cut leaves either as they were or as they were to be."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path


def replace_file(path: Path, content: bytes, mode: int = 0o644) -> None:
    """Put `content` in the place of the file at `path`, as a whole; raises `OSError`."""
    with tempfile.NamedTemporaryFile(dir=path.parent, prefix=".", delete=False) as file:
        try:
            file.write(content)
            file.flush()
            os.fchmod(file.fileno(), mode)
            os.fsync(file.fileno())
            os.replace(file.name, path)
        except OSError:
            os.unlink(file.name)
            raise
    sync(path.parent)


def sync(path: Path) -> None:
    """Have a file, or a folder's entries, on the disk before this returns."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
