"""Files: replaced so that a power cut leaves the old or the new, and read within bounds."""

from __future__ import annotations

import errno
import os
import stat
import tempfile
from pathlib import Path

MOST_BYTES = 1 << 20
"""Of a text that people write."""


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


def read_text(path: Path, most_bytes: int = MOST_BYTES) -> str:
    """The UTF-8 text of a file that people write.

    Raises `OSError`, also for a pipe, which is not waited for, and for what is larger than
    `most_bytes`; ValueError for what is no UTF-8.
    """
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except ValueError as error:
        raise OSError(errno.EINVAL, "a path holds no NUL character") from error
    with os.fdopen(descriptor, "rb") as file:
        if stat.S_ISFIFO(os.fstat(descriptor).st_mode):
            raise OSError(errno.EINVAL, "is a pipe, not a file")
        content = file.read(most_bytes + 1)
    if len(content) > most_bytes:
        raise OSError(errno.EFBIG, f"is larger than {most_bytes // 1024} KiB")
    return content.decode("utf-8")
