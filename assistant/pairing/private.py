"""Files of this package: its user's alone, also where root writes them for a service."""

from __future__ import annotations

import os
from pathlib import Path

from assistant.core.files import replace_file


def keep_private(file: Path, content: bytes) -> None:
    """Replace a file, and make its folders; raises `OSError`."""
    _make(file.parent)
    replace_file(file, content, 0o600)
    _give(file)


def _make(folder: Path) -> None:
    if not folder.is_dir():
        _make(folder.parent)
        folder.mkdir(0o700)
        _give(folder)


def _give(path: Path) -> None:
    """Let what root has written belong to whose folder it is in, such as the service's."""
    if os.geteuid() == 0:
        owner = path.parent.stat()
        os.chown(path, owner.st_uid, owner.st_gid, follow_symlinks=False)
