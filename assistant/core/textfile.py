"""Small text files that people write: a pipe is not waited for, a full disk of text not read."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path

MOST_BYTES = 1 << 20


def read_text(path: Path, most_bytes: int = MOST_BYTES) -> str:
    """The UTF-8 text at `path`; raises `OSError`, also for what is no such file, or ValueError."""
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
