"""The files that a skill is granted, opened step by step so that no link leads out of them."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import PurePosixPath

from assistant.core.errors import SkillError
from assistant.skill.files import LARGEST_BYTES, MOST_ENTRIES, FileEntry

FILES = "files"
_STEP = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


def path_of(permission: str) -> str:
    """What a permission such as "files:/srv/recipes" names; "" for another permission."""
    capability, _, path = permission.partition(":")
    return path if capability == FILES else ""


def require_path(permission: str) -> None:
    """Raise `SkillError` unless a permission names a file or folder by its whole path."""
    path = path_of(permission)
    plain = path.startswith("/") and path.isprintable() and "," not in path
    if not plain or os.path.normpath(path) != path or path == "/" or path.startswith("//"):
        what = 'names no file or folder, as "files:/srv/recipes" does'
        raise SkillError("skill.permission", f'the permission "{permission[:100]}" {what}')


def holds(root: str, path: str) -> bool:
    """Whether a path is that of a granted file or folder, or of something in it."""
    return bool(root) and PurePosixPath(path).is_relative_to(root)


class ReadableFiles:
    """Implements `Files` for what is granted; raises `SkillError` for all else.

    The granted file or folder itself may be reached over links, which are the user's; below it, no
    link is followed.
    """

    def __init__(self, roots: Iterable[str]) -> None:
        self._roots = tuple(filter(None, roots))

    def read_file(self, path: str) -> bytes:
        """The content of a file."""
        with self._opened(path) as descriptor:
            facts = os.fstat(descriptor)
            if not stat.S_ISREG(facts.st_mode):
                raise _unreadable(path, "is no plain file")
            content = bytearray()
            while len(content) <= LARGEST_BYTES:
                if not (piece := os.read(descriptor, LARGEST_BYTES + 1 - len(content))):
                    return bytes(content)
                content += piece
            raise _unreadable(path, f"has more than {LARGEST_BYTES} bytes")

    def list_folder(self, path: str) -> tuple[FileEntry, ...]:
        """What is in a folder; links, devices and what else is no file or folder are left out."""
        with self._opened(path) as descriptor, os.scandir(descriptor) as found:
            entries = [
                FileEntry(
                    name=entry.name,
                    folder=entry.is_dir(follow_symlinks=False),
                    size_bytes=entry.stat(follow_symlinks=False).st_size,
                )
                for entry in islice(found, MOST_ENTRIES)
                if not entry.is_symlink()
                and (entry.is_file(follow_symlinks=False) or entry.is_dir(follow_symlinks=False))
                and entry.name.isprintable()
            ]
        return tuple(sorted(entries, key=lambda entry: entry.name))

    @contextmanager
    def _opened(self, path: str) -> Iterator[int]:
        """What lies at a path, opened from the granted root on, one name after the other."""
        root = next((root for root in self._roots if holds(root, os.path.normpath(path))), None)
        if root is None or ".." in PurePosixPath(path).parts:
            raise SkillError("skill.permission", f"may not read {path[:200]}")
        names = PurePosixPath(path).relative_to(root).parts
        try:
            descriptor = os.open(root, _STEP & ~os.O_NOFOLLOW)
            try:
                for name in names:
                    inner = os.open(name, _STEP, dir_fd=descriptor)
                    os.close(descriptor)
                    descriptor = inner
                yield descriptor
            finally:
                os.close(descriptor)
        except (OSError, ValueError) as error:
            told = error.strerror if isinstance(error, OSError) else "is no path"
            raise _unreadable(path, str(told)) from error


def _unreadable(path: str, why: str) -> SkillError:
    return SkillError("skill.files", f"{path[:200]}: {why}")
