"""Opens what lies at a path, but nothing that a link leads to.

The paths that users add are resolved. A link below them, or one put in the way since then, leads to
something that nobody added: its target is read where it lies, if that was added too.
"""

from __future__ import annotations

import errno
import os
from pathlib import Path
from stat import S_ISDIR, S_ISLNK, S_ISREG

_FOLDER = os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK | os.O_NOCTTY


def opened(path: Path) -> int:
    """A descriptor of the file or folder at the absolute `path`, in which no link is followed.

    Each part is opened within the one before it, so that nothing can be replaced meanwhile. No pipe
    or device is opened, as that may block or have an effect. Raises `OSError`, `ELOOP` for a link.
    """
    folder = os.open("/", _FOLDER)
    try:
        for part in path.parts[1:-1]:
            inner = os.open(part, _FOLDER, dir_fd=folder)
            os.close(folder)
            folder = inner
        name = path.name or "."
        kind = os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode
        if not (S_ISREG(kind) or S_ISDIR(kind) or S_ISLNK(kind)):
            raise OSError(errno.EINVAL, "is no file", str(path))
        return os.open(name, _READ, dir_fd=folder)
    finally:
        os.close(folder)
