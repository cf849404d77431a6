"""Bundles in the layout of an OCI image: a folder that a registry's tools can copy and store.

    oci-layout          the version of the layout
    index.json          names the manifest
    blobs/sha256/…      the manifest, and each member of the bundle as a layer

The names of the members are the layers' titles. A bundle is believed for its signature, and the
hashes of the layout only say where the members are.
"""

from __future__ import annotations

import hashlib
import io
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO, Annotated, Any, Literal, TypeVar

import msgspec
from msgspec import Meta

from assistant.core.errors import ModelError
from assistant.core.files import sync
from assistant.model_files.signing.bundle import Content, Packed, contents
from assistant.model_files.signing.confined import confined
from assistant.model_files.signing.opened import MOST_MEMBERS, Members, Span, opened_file

LAYOUT, INDEX, BLOBS = "oci-layout", "index.json", Path("blobs", "sha256")
MOST_BYTES = 1 << 18
"""Most bytes of the index and of the manifest."""

_ARTIFACT = "application/vnd.hark.model.v1"
_MEMBER = "application/vnd.hark.model.member.v1"
_INDEX = "application/vnd.oci.image.index.v1+json"
_MANIFEST = "application/vnd.oci.image.manifest.v1+json"
_EMPTY = "application/vnd.oci.empty.v1+json"
_TITLE = "org.opencontainers.image.title"
_SHA256 = "sha256:"
_NOTHING = b"{}"
_VERSION = b'{"imageLayoutVersion":"1.0.0"}'

Listing = TypeVar("Listing", bound=msgspec.Struct)
Digest = Annotated[str, Meta(pattern=r"^sha256:[0-9a-f]{64}\Z")]


class Descriptor(msgspec.Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """A blob, as the image specification describes one."""

    media_type: str
    digest: Digest
    size: Annotated[int, Meta(ge=0)]
    artifact_type: str = ""
    annotations: dict[str, str] = {}


class Manifest(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """An image manifest of an artifact."""

    schema_version: Literal[2] = 2
    media_type: str = _MANIFEST
    artifact_type: str = _ARTIFACT
    config: Descriptor
    layers: Annotated[tuple[Descriptor, ...], Meta(max_length=MOST_MEMBERS)]


class Index(msgspec.Struct, frozen=True, kw_only=True, rename="camel"):
    """An image index with one manifest."""

    schema_version: Literal[2] = 2
    media_type: str = _INDEX
    manifests: Annotated[tuple[Descriptor, ...], Meta(min_length=1, max_length=1)]


class Blob(msgspec.Struct, frozen=True):
    """A blob that a foreign file names."""

    name: str
    digest: Digest
    length: int


class Found(msgspec.Struct, frozen=True, tag=True):
    """The blobs that a foreign file names."""

    blobs: tuple[Blob, ...]


def write_layout(packed: Packed, folder: Path, layout: Path) -> None:
    """Write a new folder `layout`, as a whole or not at all; the model's files are in `folder`.

    Raises `ModelError` for a folder that is there, and for a file that is not as it was signed.
    """
    if layout.exists():
        raise ModelError("model.bundle", f"{layout} is there already; name a new folder")
    try:
        with tempfile.TemporaryDirectory(dir=layout.parent, prefix=".oci-") as beside:
            made = Path(beside, "layout")
            _fill(made, packed, folder)
            made.rename(layout)
            sync(layout.parent)
    except OSError as error:
        message = f"{error.filename or layout}: {error.strerror}"
        raise ModelError("model.bundle", message) from error


def _fill(made: Path, packed: Packed, folder: Path) -> None:
    (made / BLOBS).mkdir(parents=True)
    layers = tuple(
        _stored(made, content, _MEMBER, annotations={_TITLE: name})
        for name, _, content in contents(packed, folder)
    )
    manifest = Manifest(config=_stored(made, io.BytesIO(_NOTHING), _EMPTY), layers=layers)
    listing = io.BytesIO(msgspec.json.encode(manifest))
    described = _stored(made, listing, _MANIFEST, artifact_type=_ARTIFACT)
    (made / INDEX).write_bytes(msgspec.json.encode(Index(manifests=(described,))))
    (made / LAYOUT).write_bytes(_VERSION)
    for path in made.rglob("*"):
        sync(path)


def _stored(made: Path, content: Content, kind: str, **further: Any) -> Descriptor:
    """Store a blob under its hash, and describe it."""
    digest, size = hashlib.file_digest(content, "sha256").hexdigest(), content.seek(0, os.SEEK_END)
    content.seek(0)
    with (made / BLOBS / digest).open("wb") as blob:
        shutil.copyfileobj(content, blob)
    return Descriptor(media_type=kind, digest=f"{_SHA256}{digest}", size=size, **further)


def is_layout(path: Path) -> bool:
    """Whether this is a folder with such a layout."""
    return os.path.isfile(path / LAYOUT)


@contextmanager
def opened_layout(path: Path) -> Iterator[Members]:
    """The members of a bundle in the folder `path`; raises `ModelError`."""
    with ExitStack() as stack:
        index = stack.enter_context(opened_file(path / INDEX))
        (named,) = confined(index_blobs, index, Found, str(path)).blobs
        manifest = stack.enter_context(_blob(path, named))
        if _SHA256 + hashlib.sha256(manifest.read(MOST_BYTES)).hexdigest() != named.digest:
            raise ModelError("model.bundle", f"{path}: its manifest is not the one that it names")
        manifest.seek(0)
        layers = confined(manifest_blobs, manifest, Found, str(path)).blobs
        members: Members = {}
        for layer in layers:
            file = stack.enter_context(_blob(path, layer))
            members[layer.name] = Span(file.fileno(), 0, layer.length)
        if len(members) != len(layers):
            raise ModelError("model.bundle", f"{path} names a member twice")
        yield members


def index_blobs(file: IO[bytes]) -> Found:
    """The manifest that an index names; raises ValueError."""
    return Found(tuple(map(_named, _decoded(file, Index).manifests)))


def manifest_blobs(file: IO[bytes]) -> Found:
    """The layers that a manifest names; raises ValueError."""
    return Found(tuple(map(_named, _decoded(file, Manifest).layers)))


def _decoded(file: IO[bytes], kind: type[Listing]) -> Listing:
    content = file.read(MOST_BYTES + 1)
    if len(content) > MOST_BYTES:
        raise ValueError("an index or a manifest is too long")
    try:
        return msgspec.json.decode(content, type=kind)
    except RecursionError as error:
        raise ValueError("an index or a manifest is nested too deep") from error


def _named(described: Descriptor) -> Blob:
    return Blob(described.annotations.get(_TITLE, ""), described.digest, described.size)


@contextmanager
def _blob(path: Path, blob: Blob) -> Iterator[IO[bytes]]:
    """A blob that is open and as long as it is said to be; raises `ModelError`."""
    with opened_file(path / BLOBS / blob.digest.removeprefix(_SHA256)) as file:
        if os.fstat(file.fileno()).st_size != blob.length:
            raise ModelError("model.bundle", f"{path}: a blob has another size than it should")
        yield file
