"""Where model files are collected, and how a complete model comes to its place.

Files are collected in `.incoming` below the folder of pulled models. Only a complete and verified
model is moved to its place, so nothing half-written is ever loaded.
"""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec

from assistant.core.errors import ModelError
from assistant.core.files import exchange, open_locked, sync
from assistant.core.models.manifest import Library, Lock, LockedFile
from assistant.core.models.versions import LOCK
from assistant.model_files import huggingface

INCOMING = ".incoming"
SPARE_BYTES = 50_000_000
"""Bytes that must stay free on the disk besides the model: state and logs keep growing."""

Progress = Callable[[str, int, int], None]
"""Called with a file's name, the number of bytes that have come since the last call, its size."""


@contextmanager
def incoming(library: Library, name: str) -> Iterator[Path]:
    """The folder that collects the artefact's files, locked for one command at a time.

    Raises `ModelError`, also for an `OSError` of the block.
    """
    folder = library.pulled / INCOMING / library.folder(name).name
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = open_locked(folder.with_name(f"{folder.name}.lock"))
        if lock is None:
            message = f"{name} is being pulled or imported by another command"
            raise ModelError("model.busy", message)
        with lock:
            yield folder
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            # On a full disk the state needs the space more than a partial download does.
            shutil.rmtree(folder, ignore_errors=True)
        message = f"{error.filename or folder}: {error.strerror or error}; nothing was changed"
        raise ModelError("model.disk", message) from error


@contextmanager
def removing_refused(folder: Path, names: Iterable[str]) -> Iterator[None]:
    """A block at whose end the files that were refused, and so not moved in, are removed."""
    try:
        yield
    finally:
        for name in (*names, LOCK):
            (folder / name).unlink(missing_ok=True)
        with suppress(OSError):  # it was moved in, or holds files of a pull to resume
            folder.rmdir()


def refuse_full(folder: Path, wanted_bytes: int) -> None:
    """Raise `ModelError` unless the disk of the folder has room for so many more bytes."""
    needed, free = wanted_bytes + SPARE_BYTES, shutil.disk_usage(folder).free
    if needed > free:
        message = f"{folder}: {needed / 1e6:.0f} MB are needed and {free / 1e6:.0f} MB are free"
        raise ModelError("model.disk_full", message)


def refuse_in_use(library: Library, name: str, version: str) -> None:
    """Raise `ModelError` for a version that is in use, or that a rollback would go back to."""
    use = library.in_use(name)
    if version in (use.version, use.before):
        message = f"{name} {version} is in use, or what a rollback goes back to; name it otherwise"
        raise ModelError("model.in_use", message)


def locked_file(file: Path) -> LockedFile:
    """The record of a file."""
    return LockedFile(sha256=huggingface.sha256(file), bytes=file.stat().st_size)


def move_in(library: Library, name: str, lock: Lock) -> None:
    """Put the collected files, and the record of them, in the place of the version.

    A version that is there is replaced in one step: after a power cut at any moment the old one is
    there or the new one. Raises `OSError`, and `ModelError` where the disk cannot do that.
    """
    final = library.folder(name)
    folder = library.pulled / INCOMING / final.name
    for file in folder.iterdir():
        if file.name not in lock.files:
            file.unlink()
    (folder / LOCK).write_bytes(msgspec.json.format(msgspec.json.encode(lock)))
    for file in folder.iterdir():
        # The daemon runs as another user than the one who pulls.
        file.chmod(0o644)
        sync(file)
    folder.chmod(0o755)
    _open_to_daemon(library.pulled)
    sync(folder)
    if final.exists():
        _exchange(folder, final)
    else:
        folder.rename(final)
    sync(library.pulled)
    shutil.rmtree(folder, ignore_errors=True)


def _exchange(new: Path, old: Path) -> None:
    try:
        exchange(new, old)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOSYS):
            raise
        message = f"the disk of {old} cannot replace a folder in one step; remove it first"
        raise ModelError("model.disk", f"{message}, and do this again") from error


def _open_to_daemon(pulled: Path) -> None:
    """Let the daemon read the folder, and write there which version is in use."""
    pulled.chmod(0o755)
    owner = pulled.parent.stat()
    if os.geteuid() == 0:
        os.chown(pulled, owner.st_uid, owner.st_gid)
