"""Which files there are below the paths that the user wants, and a stamp that tells a change."""

from __future__ import annotations

import os
from collections.abc import Collection, Generator, Mapping
from pathlib import Path
from stat import S_ISREG

import msgspec

ENTRIES_A_SLICE = 200


class Survey(msgspec.Struct, kw_only=True):
    """The files found, each with its stamp, and the paths below which nothing could be seen."""

    files: dict[Path, str]
    unseen: list[Path]


def surveyed(
    roots: Mapping[Path, bool], suffixes: Collection[str]
) -> Generator[bool, None, Survey]:
    """Look below every wanted root, a slice for each turn; a root that is False is left out.

    Of a folder the files with one of `suffixes` count, of a root that is a file that one. Hidden
    names are passed over, and links to folders. A folder that is missing or closed is unseen, as an
    unplugged disk's is: what was known below it is not taken for removed.
    """
    survey = Survey(files={}, unseen=[])
    left_out = {path for path, wanted in roots.items() if not wanted}
    waiting = [path for path, wanted in roots.items() if wanted]
    looked_at = 0
    while waiting:
        path = waiting.pop()
        if alone := _stamp_of_file(path):
            survey.files[path] = alone
            continue
        entries = _entries(path)
        if entries is None and not _was_file(path, suffixes):
            survey.unseen.append(path)
        for entry in entries or ():
            known = _stamp_of(entry, suffixes)
            if Path(entry.path) in left_out or entry.name.startswith("."):
                continue
            if known:
                survey.files[Path(entry.path)] = known
            elif entry.is_dir(follow_symlinks=False):
                waiting.append(Path(entry.path))
        looked_at += len(entries or ()) + 1
        for _ in range(looked_at // ENTRIES_A_SLICE):
            yield False
        looked_at %= ENTRIES_A_SLICE
    return survey


def stamp(facts: os.stat_result) -> str:
    """Size and time of the last change: a file with the same is not read again."""
    return f"{facts.st_size}:{facts.st_mtime_ns}"


def is_there(path: Path) -> bool:
    """Whether anything is there that this process may see."""
    try:
        path.stat()
    except OSError:
        return False
    return True


def size_of(stamp: str) -> str:
    """The size in a stamp, as text."""
    return stamp.partition(":")[0]


def below(path: Path, roots: Collection[Path]) -> bool:
    """Whether `path` is one of `roots` or lies below one."""
    return path in roots or any(parent in roots for parent in path.parents)


def _entries(folder: Path) -> list[os.DirEntry[str]] | None:
    """What the folder holds; None when it cannot be seen."""
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except OSError:
        return None


def _was_file(path: Path, suffixes: Collection[str]) -> bool:
    """Whether nothing is there, where by its name a file has been removed."""
    called_so = path.suffix.casefold() in suffixes
    return called_so and not is_there(path) and is_there(path.parent)


def _stamp_of_file(path: Path) -> str:
    """ "" for what is no file, or not there."""
    try:
        facts = path.stat()
    except OSError:
        return ""
    return stamp(facts) if S_ISREG(facts.st_mode) else ""


def _stamp_of(entry: os.DirEntry[str], suffixes: Collection[str]) -> str:
    """ "" for what is no file of these suffixes, or has gone since it was listed."""
    try:
        wanted = Path(entry.name).suffix.casefold() in suffixes and entry.is_file()
        return stamp(entry.stat()) if wanted else ""
    except OSError:
        return ""
