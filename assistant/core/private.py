"""Folders and files that no other user can read, replace or write."""

from __future__ import annotations

import errno
import os
import stat
from pathlib import Path


def make_private(folder: Path) -> None:
    """Have `folder`, with all above it, in nobody's hands but this user's and root's.

    Raises `OSError`, also for one that is there and that another user made or may write: in a
    shared folder such as /tmp anyone may have been first.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    # Whoever owns a link or a folder on the way could put another folder in this one's place.
    for step in (folder.absolute(), *folder.absolute().parents, *folder.resolve().parents):
        facts = step.lstat()
        if facts.st_uid not in (0, os.geteuid()):
            raise _refusal(f"{step} belongs to another user; remove it or choose another folder")
        if stat.S_ISDIR(facts.st_mode) and _open_to_all(facts.st_mode):
            raise _refusal(f"every user can write {step}; run: chmod o-w {step}")
    facts = folder.stat()
    if facts.st_uid != os.geteuid():
        raise _refusal(f"{folder} belongs to another user; choose another folder")
    if facts.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise _refusal(f"others can write {folder}; run: chmod go-w {folder}")


def tighten(*files: Path) -> None:
    """Have those of `files` that are there for this user alone; raises `OSError`."""
    for file in files:
        if file.exists() and file.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
            file.chmod(stat.S_IRUSR | stat.S_IWUSR)


def _open_to_all(mode: int) -> bool:
    return bool(mode & stat.S_IWOTH) and not mode & stat.S_ISVTX


def _refusal(reason: str) -> PermissionError:
    return PermissionError(errno.EPERM, reason)
