"""Getting model files: they are pulled from the hub or imported, verified, and moved into place.

Files are collected in `.incoming` below the folder of pulled models. Only a complete and verified
model is renamed to its place, so nothing half-written is ever loaded. The next pull resumes what an
interrupted pull has left.
"""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from stat import S_ISREG

import msgspec

from assistant.core.errors import ModelError
from assistant.core.files import open_locked, sync
from assistant.core.models.manifest import File, Library, Lock, LockedFile
from assistant.core.models.versions import LOCK
from assistant.model_files import huggingface
from assistant.model_files.huggingface import Remote

INCOMING = ".incoming"
SPARE_BYTES = 50_000_000
"""Bytes that must stay free on the disk besides the model: state and logs keep growing."""

LARGEST_BYTES = 4_000_000_000
"""Most bytes of an imported file; a candidate is read into memory to be checked."""

Progress = Callable[[str, int, int], None]
"""Called with a file's name, the number of bytes that have come since the last call, its size."""
Check = Callable[[Library, str, Mapping[str, bytes]], None]
"""Raises `ModelError` for a candidate whose content cannot be the model."""


def pull(library: Library, name: str, progress: Progress) -> None:
    """Fetch the artefact from the hub, and resume an earlier pull.

    Raises `ModelError`; then an existing model stays as it was.
    """
    artefact = library.artefact(name)
    if artefact.shipped:
        message = f"{name} comes with the assistant and is not pulled"
        raise ModelError("model.shipped", message)
    if not artefact.source.startswith("hf:"):
        message = f"{name} is on no known hub ({artefact.source}); import it instead"
        raise ModelError("model.import_only", message)
    library = library.choosing(name, artefact.version)
    repository = artefact.source.removeprefix("hf:")
    with _incoming(library, name) as folder:
        remotes = {
            file: huggingface.describe(repository, file.path or file.name, artefact.revision)
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

    Raises `ModelError` when a file is missing or is not what the manifest says.
    """
    artefact = library.artefact(name)
    if artefact.shipped:
        message = f"{name} {artefact.version} comes with the assistant; a candidate for its place"
        raise ModelError("model.shipped", f"{message} has a version of its own: --version V")
    _import(library.choosing(name, artefact.version), name, path)


def import_version(library: Library, name: str, path: Path, version: str, check: Check) -> None:
    """Take a candidate for the artefact from `path`, and store it beside it as `version`.

    Raises `ModelError`, also when `check` does, or when that version is in use or kept for a
    rollback.
    """
    if version == library.artefact(name).version:
        import_model(library, name, path)
        return
    use = library.in_use(name)
    if version in (use.version, use.before):
        message = f"{name} {version} is in use, or what a rollback goes back to; name it otherwise"
        raise ModelError("model.in_use", message)
    _import(library.choosing(name, version), name, path, check)


def _import(library: Library, name: str, path: Path, check: Check | None = None) -> None:
    artefact = library.artefact(name)
    source = path if path.is_dir() else path.parent
    if not path.exists():
        raise ModelError("model.missing", f"{path}: no such file or folder")
    found = {file: _find(source, file) for file in artefact.files}
    with _incoming(library, name) as folder, _removing_refused(folder, found):
        for file, original in found.items():
            _copy(original, folder / file.name)
            if check is None:
                _check_pin(folder, file, str(original))
        if check is not None:
            check(library, name, {f.name: (folder / f.name).read_bytes() for f in found})
        locked = {file.name: _locked(folder / file.name) for file in artefact.files}
        _move_in(library, name, Lock(source=f"import:{path}", revision="", files=locked))


@contextmanager
def _removing_refused(folder: Path, files: Iterable[File]) -> Iterator[None]:
    """At the end remove the files that were refused and so not moved in."""
    try:
        yield
    finally:
        for file in files:
            (folder / file.name).unlink(missing_ok=True)
        with suppress(OSError):  # it was moved in, or holds files of a pull to resume
            folder.rmdir()


def _copy(original: Path, copy: Path) -> None:
    """Copy a file, but no link, which may point to a secret: every user may read a model."""
    try:
        source = os.open(original, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        if error.errno != errno.ELOOP:
            raise
        message = f"{original} is a link, and those are not followed; copy the model with: cp -rL"
        raise ModelError("model.link", message) from error
    with open(source, "rb") as reading:
        facts = os.fstat(source)
        if not S_ISREG(facts.st_mode) or facts.st_size > LARGEST_BYTES:
            message = f"{original} cannot be a model file: it is no regular file, or too large"
            raise ModelError("model.unfit", message)
        copy.unlink(missing_ok=True)
        with open(os.open(copy, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as writing:
            shutil.copyfileobj(reading, writing)


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
    if not (final.exists() and huggingface.matches(remote.etag, final)):
        # The hash in the name keeps the parts of different versions apart.
        partial = folder / f"{file.name}.{remote.etag}.partial"
        huggingface.fetch(remote, partial, lambda more: progress(file.name, more, remote.bytes))
        if not huggingface.matches(remote.etag, partial):
            partial.unlink()
            message = f"{file.name} arrived damaged and was thrown away; run the command again"
            raise ModelError("model.corrupt", message)
        partial.rename(final)
    _check_pin(folder, file, f"{remote.url.partition('?')[0]}")
    return _locked(final)


def _check_pin(folder: Path, file: File, origin: str) -> None:
    if file.sha256 and huggingface.sha256(folder / file.name) != file.sha256:
        (folder / file.name).unlink()
        message = f"{origin} is not the {file.name} that the manifest names: its SHA-256 differs"
        raise ModelError("model.corrupt", message)


def _locked(file: Path) -> LockedFile:
    return LockedFile(sha256=huggingface.sha256(file), bytes=file.stat().st_size)


@contextmanager
def _incoming(library: Library, name: str) -> Iterator[Path]:
    """The folder that collects the artefact's files, locked for one command at a time."""
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


def _move_in(library: Library, name: str, lock: Lock) -> None:
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
    old = folder.with_name(f"{folder.name}.old")
    shutil.rmtree(old, ignore_errors=True)
    if final.exists():
        final.rename(old)
    folder.rename(final)
    sync(library.pulled)
    shutil.rmtree(old, ignore_errors=True)


def _open_to_daemon(pulled: Path) -> None:
    """Let the daemon read the folder, and write there which version is in use."""
    pulled.chmod(0o755)
    owner = pulled.parent.stat()
    if os.geteuid() == 0:
        os.chown(pulled, owner.st_uid, owner.st_gid)
