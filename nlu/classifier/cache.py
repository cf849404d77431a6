"""Cache files, which only save time: one that is damaged or unwritable is logged, no more."""

from __future__ import annotations

import logging
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from assistant.core.files import mark_used, replace_file

log = logging.getLogger(__name__)

Content = TypeVar("Content")

UNREADABLE = (
    *(OSError, ValueError, KeyError, EOFError, RuntimeError),
    *(zipfile.BadZipFile, zlib.error),
)
"""Errors that numpy raises for a damaged archive; msgspec's errors are ValueErrors.

An archive that claims to be encrypted, or packed in an unknown way, raises a RuntimeError."""


def read(file: Path, decode: Callable[[bytes], Content]) -> Content | None:
    """What `decode` makes of the file; None when there is none, or it is damaged."""
    try:
        content = decode(file.read_bytes())
    except FileNotFoundError:
        return None
    except UNREADABLE as error:
        log.warning("%s is rebuilt: %s (nlu.cache)", file, error)
        return None
    mark_used(file)
    return content


def write(file: Path, content: bytes) -> None:
    """Replace the file with the content, readable by this user alone."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        replace_file(file, content, 0o600, durable=False)
    except OSError as error:  # a full disk costs time at the next start, no more
        log.warning("%s cannot be written: %s (nlu.cache)", file, error.strerror)


def keep_newest(folder: Path, pattern: str, count: int) -> None:
    """Delete all files of a pattern but the `count` written or read last."""
    try:
        files = sorted(folder.glob(pattern), key=lambda file: file.stat().st_mtime)
        for old in files[:-count]:
            old.unlink(missing_ok=True)
    except OSError as error:
        log.warning("%s cannot be tidied: %s (nlu.cache)", folder, error.strerror)
