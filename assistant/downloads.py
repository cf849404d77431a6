"""Getting model files: pulled from the hub or imported, verified, and moved in as a whole.

Everything is gathered in `.incoming/NAME` below the folder of pulled models. Only a complete,
verified folder is renamed to its place, so nothing half-written is ever loaded; what an
interrupted pull leaves there is resumed by the next one.
"""

from __future__ import annotations

import errno
import fcntl
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from assistant import hub
from assistant.core.errors import ModelError
from assistant.core.manifest import LOCK, File, Library, Lock, LockedFile
from assistant.hub import Remote

INCOMING = ".incoming"
SPARE_BYTES = 50_000_000
"""What must stay free on the disk beside the model: state and logs go on growing."""

Progress = Callable[[str, int, int], None]
"""Told the file, how many further bytes of it are there, and its size."""


def pull(library: Library, name: str, progress: Progress) -> None:
    """Fetch the artefact from the hub, resuming what an earlier pull began.

    Raises `ModelError`; then what is there stays as it was.
    """
    artefact = library.artefact(name)
    if artefact.shipped:
        message = f"{name} comes with the assistant and is not pulled"
        raise ModelError("model.shipped", message)
    repository = artefact.source.removeprefix("hf:")
    with _incoming(library, name) as folder:
        remotes = {
            file: hub.describe(repository, file.path or file.name, artefact.revision)
            for file in artefact.files
        }
        _refuse_changed(name, remotes)
        _refuse_full(folder, remotes)
        locked = {
            file.name: _pull_file(folder, file, remote, progress)
            for file, remote in remotes.items()
        }
        commit = next(iter(remotes.values())).commit
        _move_in(library, name, Lock(source=artefact.source, revision=commit, files=locked))


def import_model(library: Library, name: str, path: Path) -> None:
    """Take the artefact's files from the folder `path`, or from beside the file `path`.

    Raises `ModelError` when one is missing or is not what the manifest says.
    """
    artefact = library.artefact(name)
    if artefact.shipped:
        raise ModelError("model.shipped", f"{name} comes with the assistant and is not imported")
    source = path if path.is_dir() else path.parent
    if not path.exists():
        raise ModelError("model.missing", f"{path}: no such file or folder")
    found = {file: _find(source, file) for file in artefact.files}
    with _incoming(library, name) as folder:
        for file, original in found.items():
            shutil.copyfile(original, folder / file.name)
            _check_pin(folder, file, str(original))
        locked = {file.name: _locked(folder / file.name) for file in artefact.files}
        _move_in(library, name, Lock(source=f"import:{path}", revision="", files=locked))


def _find(source: Path, file: File) -> Path:
    for candidate in (source / file.name, source / Path(file.path).name, source / file.path):
        if candidate.is_file():
            return candidate
    names = file.name if not file.path else f"{file.name} or {Path(file.path).name}"
    raise ModelError("model.missing", f"{source} holds no file {names}")


def _refuse_changed(name: str, remotes: dict[File, Remote]) -> None:
    for file, remote in remotes.items():
        if file.sha256 and len(remote.etag) == 64 and file.sha256 != remote.etag:
            message = f"{name}: the hub now has another {file.name} than this version knows"
            raise ModelError("model.changed", f"{message}; nothing was fetched")


def _refuse_full(folder: Path, remotes: dict[File, Remote]) -> None:
    there = sum(file.stat().st_size for file in folder.iterdir())
    needed = sum(remote.bytes for remote in remotes.values()) - there + SPARE_BYTES
    free = shutil.disk_usage(folder).free
    if needed > free:
        message = f"{folder}: {needed / 1e6:.0f} MB are needed and {free / 1e6:.0f} MB are free"
        raise ModelError("model.disk_full", message)


def _pull_file(folder: Path, file: File, remote: Remote, progress: Progress) -> LockedFile:
    final = folder / file.name
    if not (final.exists() and hub.matches(remote.etag, final)):
        # The hash in the name keeps the parts of different versions apart.
        partial = folder / f"{file.name}.{remote.etag}.partial"
        hub.fetch(remote, partial, lambda more: progress(file.name, more, remote.bytes))
        if not hub.matches(remote.etag, partial):
            partial.unlink()
            message = f"{file.name} arrived damaged and was thrown away; run the command again"
            raise ModelError("model.corrupt", message)
        partial.rename(final)
    _check_pin(folder, file, f"{remote.url.partition('?')[0]}")
    return _locked(final)


def _check_pin(folder: Path, file: File, origin: str) -> None:
    if file.sha256 and hub.sha256(folder / file.name) != file.sha256:
        (folder / file.name).unlink()
        message = f"{origin} is not the {file.name} that the manifest names: its SHA-256 differs"
        raise ModelError("model.corrupt", message)


def _locked(file: Path) -> LockedFile:
    return LockedFile(sha256=hub.sha256(file), bytes=file.stat().st_size)


@contextmanager
def _incoming(library: Library, name: str) -> Iterator[Path]:
    """The folder to gather the artefact in, for one command at a time."""
    folder = library.pulled / INCOMING / name
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with (folder.parent / f"{name}.lock").open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError as error:
                message = f"{name} is being pulled or imported by another command"
                raise ModelError("model.busy", message) from error
            yield folder
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            # The part that came is of no use on a full disk, and the state needs the room.
            shutil.rmtree(folder, ignore_errors=True)
        message = f"{error.filename or folder}: {error.strerror or error}; nothing was changed"
        raise ModelError("model.disk", message) from error


def _move_in(library: Library, name: str, lock: Lock) -> None:
    folder, final = library.pulled / INCOMING / name, library.folder(name)
    for file in folder.iterdir():
        if file.name not in lock.files:
            file.unlink()
    (folder / LOCK).write_bytes(msgspec.json.format(msgspec.json.encode(lock)))
    for file in folder.iterdir():
        # The daemon is another user than the one who pulls.
        file.chmod(0o644)
        _sync(file)
    folder.chmod(0o755)
    library.pulled.chmod(0o755)
    _sync(folder)
    old = folder.with_name(f"{name}.old")
    shutil.rmtree(old, ignore_errors=True)
    if final.exists():
        final.rename(old)
    folder.rename(final)
    _sync(library.pulled)
    shutil.rmtree(old, ignore_errors=True)


def _sync(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
