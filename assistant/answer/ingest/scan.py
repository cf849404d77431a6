"""The files below the paths that the user wants, each with a stamp that shows a change."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Collection, Generator, Mapping
from pathlib import Path
from stat import S_ISREG
from typing import NamedTuple

import msgspec

from assistant.answer.ingest.opening import opened

ENTRIES_A_SLICE = 200


class Survey(msgspec.Struct, kw_only=True):
    """The files found, each with its stamp, and the paths below which nothing could be seen.

    `unnamed` counts the files whose names cannot be spoken or written down.
    """

    files: dict[Path, str]
    unseen: list[Path]
    unnamed: int = 0


class Entry(NamedTuple):
    """A name in a folder: a file with one of the suffixes and its stamp, or a folder."""

    name: str
    stamp: str


def surveyed(
    roots: Mapping[Path, bool], suffixes: Collection[str]
) -> Generator[bool, None, Survey]:
    """Look below every wanted root, one slice a turn; a root that is False is left out.

    In a folder the files with one of `suffixes` count; a root that is a file always counts. Hidden
    names and all links are skipped: they may lead out of what was added. A folder that is missing,
    closed or behind a link is unseen, like that of an unplugged disk: what was known below it does
    not count as removed.
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
        entries = _entries(path, suffixes)
        if entries is None and not _seems_removed_file(path, suffixes):
            survey.unseen.append(path)
        for entry in entries or ():
            place = path / entry.name
            if place in left_out:
                continue
            if _unsayable(entry.name):
                survey.unnamed += 1
            elif entry.stamp:
                survey.files[place] = entry.stamp
            else:
                waiting.append(place)
        looked_at += len(entries or ()) + 1
        for _ in range(looked_at // ENTRIES_A_SLICE):
            yield False
        looked_at %= ENTRIES_A_SLICE
    return survey


def stamp(facts: os.stat_result) -> str:
    """Size and time of the last change: a file whose stamp is the same is not read again."""
    return f"{facts.st_size}:{facts.st_mtime_ns}"


def is_there(path: Path) -> bool:
    """Whether the path exists and this process may see it."""
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


def _unsayable(name: str) -> bool:
    """Whether a name would break a line or a terminal, or is no text at all."""
    return any(unicodedata.category(letter) in ("Cc", "Cs", "Zl", "Zp") for letter in name)


def _entries(folder: Path, suffixes: Collection[str]) -> list[Entry] | None:
    """The folders and the files of `suffixes` in `folder`; None when it cannot be seen."""
    try:
        handle = opened(folder)
    except OSError:
        return None
    try:
        with os.scandir(handle) as entries:
            shown = (entry for entry in entries if not entry.name.startswith("."))
            return sorted(e for entry in shown if (e := _seen(entry, suffixes)) is not None)
    except OSError:
        return None
    finally:
        os.close(handle)


def _seems_removed_file(path: Path, suffixes: Collection[str]) -> bool:
    """Whether nothing is there now, and the name suggests that a file has been removed."""
    called_so = path.suffix.casefold() in suffixes
    return called_so and not is_there(path) and is_there(path.parent)


def _stamp_of_file(path: Path) -> str:
    """The stamp of a file; "" if it is no file or not there."""
    try:
        facts = path.lstat()
    except OSError:
        return ""
    return stamp(facts) if S_ISREG(facts.st_mode) else ""


def _seen(entry: os.DirEntry[str], suffixes: Collection[str]) -> Entry | None:
    """The entry; None if it is no folder and no file with these suffixes, or is gone by now."""
    try:
        if entry.is_dir(follow_symlinks=False):
            return Entry(entry.name, "")
        if Path(entry.name).suffix.casefold() in suffixes and entry.is_file(follow_symlinks=False):
            return Entry(entry.name, stamp(entry.stat(follow_symlinks=False)))
    except OSError:
        pass
    return None
