"""Installing signed models: a bundle becomes a version of its model, as an import does.

A bundle is only taken when all of it is right. What is remembered of it is written before the model
comes to its place, so that a power cut between the two leaves the old model, and this bundle can be
installed again while no older one can.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import IO

from assistant.core.config import Config
from assistant.core.errors import ModelError
from assistant.core.models.manifest import SHIPPED, Library, Lock, LockedFile
from assistant.core.models.session import check_interface
from assistant.model_files.incoming import (
    Progress,
    incoming,
    locked_file,
    move_in,
    refuse_full,
    refuse_in_use,
    removing_refused,
)
from assistant.model_files.signing.bundle import MANIFEST, SIGNATURE, BundleManifest
from assistant.model_files.signing.keys import check_vouched, read_roots
from assistant.model_files.signing.making import read
from assistant.model_files.signing.minisign import PublicKey
from assistant.model_files.signing.opened import Members
from assistant.model_files.signing.trust import (
    KEPT,
    Trust,
    holding,
    keys_in_force,
    read_trust,
    refuse_older,
    with_installed,
    with_keys,
    write_trust,
)
from assistant.model_files.signing.verification import (
    Believed,
    believe,
    brought_keys,
    check_place,
    check_signed,
    file_content,
    opened_bundle,
)

ROOTS = "roots.pub"
"""File of the root keys that come with the assistant, beside its manifest."""


def trusted_roots(config: Config) -> tuple[PublicKey, ...]:
    """The root keys that this device trusts; raises `ModelError` where there are none."""
    if config.models.roots:
        return read_roots(Path(config.models.roots).expanduser())
    shipped = SHIPPED / ROOTS
    return read_roots(shipped if shipped.exists() else None)


def install(
    library: Library, roots: Sequence[PublicKey], path: Path, progress: Progress
) -> Believed:
    """Install the bundle `path`, a file or an OCI layout, as a version of its model.

    A newer list of signing keys that it brings counts from then on, even where the bundle itself is
    refused. Raises `ModelError`; then the models are as they were.
    """
    pulled = library.pulled
    try:
        pulled.mkdir(parents=True, exist_ok=True)
        with opened_bundle(path) as members, holding(pulled):
            trust = _with_newest_keys(pulled, members, roots)
            found = believe(members, trust, roots)
            _check_fit(library, trust, found.manifest)
            _install(library, trust, found, path, progress)
    except OSError as error:
        message = f"{error.filename or pulled}: {error.strerror or error}; nothing was changed"
        raise ModelError("model.disk", message) from error
    return found


def verify_bundle(library: Library, roots: Sequence[PublicKey], path: Path) -> Believed:
    """Check all of a bundle as `install` does, and change nothing; raises `ModelError`."""
    trust = read_trust(library.pulled)
    with opened_bundle(path) as members:
        found = believe(members, trust, roots)
        check_place(library, found.manifest)
        refuse_older(trust, found.manifest)
        for file in found.manifest.files:
            for _ in file_content(library, found, file):
                pass
    return found


def is_signed(library: Library, name: str) -> bool:
    """Whether the version that `library` reads came as a signed bundle."""
    return os.path.exists(library.folder(name) / MANIFEST)


def verify_installed(library: Library, name: str, roots: Sequence[PublicKey]) -> PublicKey:
    """The key that signed the version that `library` reads, by the list that now counts.

    Raises `ModelError`, also where the key has been revoked since.
    """
    folder = library.folder(name)
    vouched = read_trust(library.pulled).keys
    if vouched is None:
        raise ModelError("model.keys", "no list of signing keys is kept here; install it again")
    keys = check_vouched(vouched, roots, KEPT)
    content, signature = read(folder / MANIFEST).encode(), read(folder / SIGNATURE)
    manifest, _, key = check_signed(content, signature, keys)
    signed = {file.name: file.sha256 for file in manifest.files}
    whose = (manifest.model, manifest.version)
    if whose != (name, library.version(name)) or signed != library.expected(name):
        raise ModelError("model.corrupt", f"{folder} holds another model than was signed")
    return key


def _with_newest_keys(pulled: Path, members: Members, roots: Sequence[PublicKey]) -> Trust:
    trust, brought = read_trust(pulled), brought_keys(members)
    newest = with_keys(trust, brought, keys_in_force(trust, brought, roots))
    if newest != trust:
        write_trust(pulled, newest)
    return newest


def _check_fit(library: Library, trust: Trust, manifest: BundleManifest) -> None:
    check_place(library, manifest)
    refuse_older(trust, manifest)
    if manifest.version != library.artefact(manifest.model).version:
        refuse_in_use(library, manifest.model, manifest.version)


def _install(
    library: Library, trust: Trust, found: Believed, path: Path, progress: Progress
) -> None:
    manifest = found.manifest
    library = library.choosing(manifest.model, manifest.version)
    papers = {name: found.packed.papers[name] for name in (MANIFEST, SIGNATURE)}
    names = [*(file.name for file in manifest.files), *papers]
    with incoming(library, manifest.model) as folder, removing_refused(folder, names):
        refuse_full(folder, sum(file.bytes for file in manifest.files))
        for file in manifest.files:
            with _new(folder / file.name) as copy:
                for piece in file_content(library, found, file):
                    copy.write(piece)
                    progress(file.name, len(piece), file.bytes)
        models = [name for name in names if name.endswith(".onnx")]
        contents = {name: (folder / name).read_bytes() for name in models}
        check_interface(library, manifest.model, contents)
        for name, paper in papers.items():
            with _new(folder / name) as copy:
                copy.write(paper)
        write_trust(library.pulled, with_installed(trust, manifest))
        files = {f.name: LockedFile(sha256=f.sha256, bytes=f.bytes) for f in manifest.files}
        files |= {name: locked_file(folder / name) for name in papers}
        source = f"bundle:{path.name}"
        move_in(library, manifest.model, Lock(source=source, revision="", files=files))


def _new(file: Path) -> IO[bytes]:
    """A new file in place of what is there, which is not followed if it is a link."""
    file.unlink(missing_ok=True)
    return file.open("xb")
