"""Files of the user's that a skill may read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import msgspec

from assistant.core.errors import SkillError

LARGEST_BYTES = 1_000_000
MOST_ENTRIES = 1000


class FileEntry(msgspec.Struct, frozen=True, kw_only=True):
    """What is in a folder: a file of some bytes, or a folder."""

    name: str
    folder: bool = False
    size_bytes: int = 0


class Files(Protocol):
    """The files and folders that the user named, to be read; links in them lead nowhere."""

    def read_file(self, path: str) -> bytes:
        """The content of a file, 1 MB at most; raises `SkillError`."""

    def list_folder(self, path: str) -> tuple[FileEntry, ...]:
        """What is in a folder, by name, 1000 entries at most; raises `SkillError`."""


class NoFiles:
    """Implements `Files` where none may be read."""

    def read_file(self, path: str) -> bytes:
        """Raise `SkillError`."""
        raise _refused()

    def list_folder(self, path: str) -> tuple[FileEntry, ...]:
        """Raise `SkillError`."""
        raise _refused()


NO_FILES = NoFiles()


class MemoryFiles:
    """Implements `Files` for tests: whole path → content."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self._files = dict(files)

    def read_file(self, path: str) -> bytes:
        """The content of a file."""
        if path not in self._files:
            raise SkillError("skill.files", f"{path}: there is no such file")
        return self._files[path]

    def list_folder(self, path: str) -> tuple[FileEntry, ...]:
        """The files and folders in a folder."""
        start = f"{path.rstrip('/')}/"
        inner = {p.removeprefix(start): c for p, c in self._files.items() if p.startswith(start)}
        entries = {
            name.partition("/")[0]: FileEntry(
                name=name.partition("/")[0],
                folder="/" in name,
                size_bytes=0 if "/" in name else len(content),
            )
            for name, content in inner.items()
        }
        return tuple(entries[name] for name in sorted(entries))


def _refused() -> SkillError:
    return SkillError("skill.permission", 'this needs a permission such as "files:/srv/recipes"')
