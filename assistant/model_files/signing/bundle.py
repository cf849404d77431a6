"""Bundles: one model as a single file that can be carried anywhere, a plain tar named `.hark`.

    bundle.json                 the `BundleManifest`, as it was signed
    bundle.json.minisig         its signature by a signing key
    keys.json                   the list of signing keys, as it was signed
    keys.json.1.minisig, .2, …  its signatures by root keys, in the order of their ids
    model/…                     the model's files, in the manifest's order; of an update the adapter
                                and the files that are neither made by it nor kept

Each member, and each byte between them, is decided by the manifest and the signatures: a bundle is
either as it was made, or refused.
"""

from __future__ import annotations

import hashlib
import io
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Final, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from assistant.core.errors import ModelError
from assistant.core.files import replacing
from assistant.core.models import adapter as adapters
from assistant.core.models.adapter import ADAPTER
from assistant.core.models.manifest import Artefact
from assistant.model_files.signing.keys import Counter, VouchedKeys
from assistant.model_files.signing.minisign import SUFFIX, Signature

ENDING = ".hark"
"""How a bundle's file is named."""
MANIFEST, KEYS = "bundle.json", "keys.json"
SIGNATURE = f"{MANIFEST}{SUFFIX}"
FOLDER = "model/"
LARGEST_BYTES = 4_000_000_000
"""Most bytes of a model's file."""
MOST_FILES = 64

Text = Annotated[str, Meta(max_length=2_000)]
FileName = Annotated[str, Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,79}\Z")]
Interface = dict[Text, Text]
"""Name → type and shape."""


Content = io.BytesIO | io.BufferedReader


class BundleFile(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One file of a bundled model."""

    name: FileName
    bytes: Annotated[int, Meta(ge=0, le=LARGEST_BYTES)]
    sha256: Annotated[str, Meta(pattern=r"^[0-9a-f]{64}\Z")]


class Update(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How a bundle makes the files that it does not carry, of the program's own version."""

    adapter: BundleFile
    """As it is carried."""
    makes: FileName
    """The file that the adapter makes, of the same file of the program's version."""
    kept: Annotated[tuple[FileName, ...], Meta(max_length=MOST_FILES)]
    """Files that are the same in the program's version."""


class BundleManifest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is signed of a bundle."""

    format: Literal[1] = 1
    model: Text
    kind: Text
    version: Text
    base: Text
    """The program's own version of the model, in whose place it was made to be used."""
    counter: Counter
    summary: Text
    licence: Text
    inputs: Interface
    outputs: Interface
    files: Annotated[tuple[BundleFile, ...], Meta(min_length=1, max_length=MOST_FILES)]
    """The model's files, as they are once it is installed."""
    update: Update | UnsetType = UNSET
    """Set where some of them are not carried."""

    @property
    def made_here(self) -> frozenset[str]:
        """Names of the files that are not carried."""
        if self.update is UNSET:
            return frozenset()
        return frozenset((self.update.makes, *self.update.kept))

    @property
    def carried(self) -> tuple[BundleFile, ...]:
        """The files below `FOLDER` in the bundle, in their order."""
        carried = tuple(file for file in self.files if file.name not in self.made_here)
        return carried if self.update is UNSET else (self.update.adapter, *carried)


class Packed(msgspec.Struct, frozen=True, kw_only=True):
    """All that a bundle holds."""

    manifest: BundleManifest
    content: bytes
    """The manifest as it was signed."""
    signature: Signature
    keys: VouchedKeys

    @property
    def papers(self) -> dict[str, bytes]:
        """The members that are not the model's files."""
        names = paper_names(len(self.keys.signatures))
        signatures = (signature.encode() for signature in self.keys.signatures)
        papers = (self.content, self.signature.text.encode(), self.keys.content.encode())
        return dict(zip(names, (*papers, *signatures), strict=True))


def paper_names(signatures: int) -> tuple[str, ...]:
    """The first members of a bundle whose list of keys has so many signatures."""
    numbered = (f"{KEYS}.{number}{SUFFIX}" for number in range(1, signatures + 1))
    return (MANIFEST, SIGNATURE, KEYS, *numbered)


def describe(
    name: str, artefact: Artefact, version: str, counter: int, folder: Path
) -> BundleManifest:
    """The manifest of a version of the model whose files are in `folder`; raises `ModelError`.

    Where an adapter is in `folder`, the version is an update of the program's own: other files of
    the model that are missing there are the same.
    """
    files, update = _parts(name, artefact, folder)
    manifest = BundleManifest(
        model=name,
        kind=artefact.kind,
        version=version,
        base=artefact.version,
        counter=counter,
        summary=artefact.summary,
        licence=artefact.licence,
        inputs=artefact.inputs,
        outputs=artefact.outputs,
        files=files,
        update=update,
    )
    try:
        return msgspec.convert(msgspec.to_builtins(manifest), BundleManifest)
    except msgspec.ValidationError as error:
        raise ModelError("model.bundle", f"{name} {version} cannot be bundled: {error}") from error


def write_bundle(packed: Packed, folder: Path, bundle: Path) -> None:
    """Write the tar file `bundle`, as a whole or not at all; the model's files are in `folder`.

    Raises `ModelError` for a file that is not as the manifest says or cannot be written.
    """
    try:
        with replacing(bundle) as file, tarfile.open(fileobj=file, mode="w", format=_FORMAT) as tar:
            for name, size, content in contents(packed, folder):
                tar.addfile(_member(name, size), content)
    except OSError as error:
        message = f"{error.filename or bundle}: {error.strerror}"
        raise ModelError("model.bundle", message) from error


def contents(packed: Packed, folder: Path) -> Iterator[tuple[str, int, Content]]:
    """Name, bytes and content of each member in order; raises `ModelError` for another content."""
    for name, paper in packed.papers.items():
        yield name, len(paper), io.BytesIO(paper)
    for file in packed.manifest.carried:
        if _described(folder / file.name) != file:
            message = f"{folder / file.name} is not the file that was signed; sign the model again"
            raise ModelError("model.corrupt", message)
        with (folder / file.name).open("rb") as content:
            yield FOLDER + file.name, file.bytes, content


def header(name: str, size: int) -> bytes:
    """The block that stands before a member."""
    return _member(name, size).tobuf(_FORMAT)


_FORMAT: Final = tarfile.USTAR_FORMAT


def _member(name: str, size: int) -> tarfile.TarInfo:
    member = tarfile.TarInfo(name)
    member.size = size
    return member


def _parts(
    name: str, artefact: Artefact, folder: Path
) -> tuple[tuple[BundleFile, ...], Update | UnsetType]:
    if not (folder / ADAPTER).exists():
        return tuple(_described(folder / file.name) for file in artefact.files), UNSET
    described = _described(folder / ADAPTER)
    adapter = adapters.decoded((folder / ADAPTER).read_bytes(), str(folder / ADAPTER))
    own = {f.name: BundleFile(name=f.name, bytes=f.bytes, sha256=f.sha256) for f in artefact.files}
    made = next((file for file in own.values() if file.sha256 == adapter.base), None)
    if made is None:
        message = f"{folder / ADAPTER} changes no file of {name} {artefact.version}"
        raise ModelError("model.base", message)
    there = {f: _described(folder / f) for f in own if f != made.name and (folder / f).exists()}
    merged = msgspec.structs.replace(made, sha256=adapter.merged)
    files = {**own, made.name: merged, **there}
    kept = tuple(file for file in own if file != made.name and file not in there)
    return tuple(files.values()), Update(adapter=described, makes=made.name, kept=kept)


def _described(file: Path) -> BundleFile:
    try:
        with file.open("rb") as content:
            sha256 = hashlib.file_digest(content, "sha256").hexdigest()
            return BundleFile(name=file.name, bytes=content.tell(), sha256=sha256)
    except OSError as error:
        raise ModelError("model.missing", f"{file}: {error.strerror}") from error
