"""What must hold for a bundle to be believed: its members, its signatures, its place here."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec
from msgspec import UNSET

from assistant.core.errors import ModelError
from assistant.core.models.adapter import ADAPTER, LARGEST_BYTES, decoded, merge
from assistant.core.models.manifest import Library
from assistant.model_files.signing.bundle import (
    FOLDER,
    KEYS,
    MANIFEST,
    SIGNATURE,
    BundleFile,
    BundleManifest,
    Packed,
    paper_names,
)
from assistant.model_files.signing.canonical import read_canonical
from assistant.model_files.signing.keys import ROOTS, SigningKeys, VouchedKeys, signer
from assistant.model_files.signing.minisign import PublicKey, Signature, read_exactly, verify
from assistant.model_files.signing.oci import is_layout, opened_layout
from assistant.model_files.signing.opened import Members, Span, opened_tar, text
from assistant.model_files.signing.trust import Trust, keys_in_force


class Believed(msgspec.Struct, frozen=True, kw_only=True):
    """A bundle whose manifest is signed by a key that may; its files are not looked at yet."""

    packed: Packed
    keys: SigningKeys
    """The list in force, which may be newer than the bundle's own."""
    signer: PublicKey
    files: dict[str, Span]
    """Name of each file that is carried → where its bytes are."""

    @property
    def manifest(self) -> BundleManifest:
        """What is signed."""
        return self.packed.manifest


@contextmanager
def opened_bundle(path: Path) -> Iterator[Members]:
    """The members of a bundle in one file, or in a folder as an OCI layout; raises `ModelError`."""
    opened = opened_layout if is_layout(path) else opened_tar
    with opened(path) as members:
        yield members


def brought_keys(members: Members) -> VouchedKeys:
    """The list of signing keys in a bundle, as it is; raises `ModelError`."""
    names = paper_names(ROOTS)[3:]
    signatures = tuple(text(members, name) for name in names if name in members)
    return VouchedKeys(content=text(members, KEYS), signatures=signatures)


def believe(members: Members, trust: Trust, roots: Sequence[PublicKey]) -> Believed:
    """Check all signatures; raises `ModelError`. The files' hashes are `file_content`'s."""
    vouched = brought_keys(members)
    keys = keys_in_force(trust, vouched, roots)
    content = text(members, MANIFEST).encode()
    manifest, signature, key = check_signed(content, text(members, SIGNATURE), keys)
    _check_update(manifest)
    packed = Packed(manifest=manifest, content=content, signature=signature, keys=vouched)
    papers, names = paper_names(len(vouched.signatures)), [file.name for file in manifest.carried]
    if tuple(members) != (*papers, *(FOLDER + name for name in names)):
        raise ModelError("model.bundle", "the bundle holds other members than were signed")
    files = {name: members[FOLDER + name] for name in names}
    if any(files[file.name].length != file.bytes for file in manifest.carried):
        raise ModelError("model.corrupt", "a file of the bundle has another size than was signed")
    return Believed(packed=packed, keys=keys, signer=key, files=files)


def check_signed(
    content: bytes, signature: str, keys: SigningKeys
) -> tuple[BundleManifest, Signature, PublicKey]:
    """A signed manifest, its signature and its key; raises `ModelError`.

    Nothing of the content is read before its signature is right.
    """
    signed = read_exactly(signature, f"{SIGNATURE} of the bundle")
    key = signer(keys, signed)
    verify(content, signed, key, "the bundle's manifest")
    manifest = read_canonical(content, BundleManifest, "the bundle's manifest", "model.bundle")
    return manifest, signed, key


def check_place(library: Library, manifest: BundleManifest) -> None:
    """Raise `ModelError` unless the bundle's model is one for a place here.

    Its kind, its interface and its files must be those of the model of the program, in the version
    for whose place the bundle was made.
    """
    artefact = library.artefact(manifest.model)
    what = f"{manifest.model} {manifest.version}"
    if manifest.base != artefact.version:
        message = f"{what} was made for the place of {manifest.model} {manifest.base}"
        raise ModelError("model.base", f"{message}, and the program has {artefact.version}")
    names = {file.name for file in artefact.files}
    ours = (artefact.kind, artefact.inputs, artefact.outputs, names)
    theirs = {file.name for file in manifest.files}
    if ours != (manifest.kind, manifest.inputs, manifest.outputs, theirs):
        message = f"{what} is of another kind, or has another interface or other files, than"
        raise ModelError("model.base", f"{message} {manifest.model} here")
    if manifest.version == artefact.version:
        if artefact.shipped:
            message = f"{manifest.model} {artefact.version} comes with the assistant"
            raise ModelError("model.shipped", f"{message}; a bundle needs a version of its own")
        pinned = {file.name: file.sha256 for file in artefact.files if file.sha256}
        if not pinned.items() <= {file.name: file.sha256 for file in manifest.files}.items():
            message = f"{what} in the bundle is not the {what} that the program knows"
            raise ModelError("model.corrupt", message)


def file_content(library: Library, found: Believed, file: BundleFile) -> Iterator[bytes]:
    """The bytes of one of the model's files, piece by piece; an update's are made here.

    Raises `ModelError`, at the end where they are not what was signed.
    """
    return _checked(file, _pieces(library, found, file))


def _pieces(library: Library, found: Believed, file: BundleFile) -> Iterable[bytes]:
    manifest, update = found.manifest, found.manifest.update
    if update is UNSET or file.name not in manifest.made_here:
        return found.files[file.name].pieces()
    own = library.choosing(manifest.model, manifest.base).read_file(manifest.model, file.name)
    if file.name != update.makes:
        return (own,)
    carried = b"".join(_checked(update.adapter, found.files[ADAPTER].pieces()))
    where = f"the adapter of {manifest.model} {manifest.version}"
    return (merge(own, decoded(carried, where), where),)


def _check_update(manifest: BundleManifest) -> None:
    """Raise `ModelError` where what makes the files that are not carried is not said rightly."""
    update, names = manifest.update, {file.name for file in manifest.files}
    if update is UNSET:
        return
    right = update.adapter.name == ADAPTER and update.adapter.bytes <= LARGEST_BYTES
    if not right or ADAPTER in names or not manifest.made_here <= names:
        raise ModelError("model.bundle", "the bundle does not say rightly how its files are made")


def _checked(file: BundleFile, pieces: Iterable[bytes]) -> Iterator[bytes]:
    digest = hashlib.sha256()
    for piece in pieces:
        digest.update(piece)
        yield piece
    if digest.hexdigest() != file.sha256:
        message = f"{file.name} in the bundle is not what was signed: its SHA-256 differs"
        raise ModelError("model.corrupt", message)
