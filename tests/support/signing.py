"""A maintainer of signed models, with keys of its own, and a small model to be signed."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from assistant.core.models.manifest import Library
from assistant.model_files.signing.bundle import BundleManifest, Packed, describe, write_bundle
from assistant.model_files.signing.canonical import canonical
from assistant.model_files.signing.keys import SigningKeys, VouchedKeys, vouched_by
from assistant.model_files.signing.minisign import SecretKey, make_key
from assistant.model_files.signing.oci import write_layout
from tests.support.handmade_onnx import FLOAT, adding_model, tensor

NAME = "words"
OWN = {"model.onnx": adding_model(), "labels.json": b'["a","b"]\n'}
"""The files of the program's own version of the model."""


def library_of(folder: Path, base: str = "1", own: Mapping[str, bytes] = OWN) -> Library:
    """A library with one shipped model, in the version `base`, and room for others."""
    shipped = folder / "shipped"
    (shipped / NAME).mkdir(parents=True, exist_ok=True)
    for name, content in own.items():
        (shipped / NAME / name).write_bytes(content)
    files = ", ".join(
        f'{{ name = "{name}", bytes = {len(content)}, '
        f'sha256 = "{hashlib.sha256(content).hexdigest()}" }}'
        for name, content in own.items()
    )
    (shipped / "manifest.toml").write_text(
        f"""
        [{NAME}]
        version = "{base}"
        kind = "wake"
        summary = "a small model"
        licence = "CC0"
        source = "shipped"
        inputs = {{ x = "float32[2]" }}
        outputs = {{ y = "float32[2]" }}
        files = [{files}]
        """
    )
    return Library(folder / "state" / "models", shipped)


def files_of(seed: int) -> dict[str, bytes]:
    """The files of another version of the model, which works."""
    weights = tensor("w", FLOAT, [seed, seed + 1])
    return {"model.onnx": adding_model(weights), "labels.json": b'["c",%d]\n' % seed}


class Maintainer:
    """Has three root keys, and one that signs models by list 1."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.roots = [make_key() for _ in range(3)]
        self.key = make_key()
        self.keys = self.listed(1, [self.key])

    @property
    def trusted(self) -> tuple[Any, ...]:
        """The root keys as a device knows them."""
        return tuple(root.public for root in self.roots)

    def listed(
        self, counter: int, keys: Sequence[SecretKey], by: Sequence[SecretKey] | None = None
    ) -> VouchedKeys:
        """A list of signing keys, signed by two roots or by others."""
        texts = tuple(key.public.text for key in keys)
        content = canonical(SigningKeys(counter=counter, keys=texts))
        return vouched_by(content, [root.sign(content) for root in by or self.roots[:2]])

    def packed(
        self,
        library: Library,
        counter: int = 1,
        version: str = "2",
        files: Mapping[str, bytes] | None = None,
        *,
        keys: VouchedKeys | None = None,
        key: SecretKey | None = None,
        **changes: Any,
    ) -> tuple[Packed, Path]:
        """A signed version of the model, and the folder of its files."""
        folder = self.folder / f"{re.sub('[^A-Za-z0-9.]', '_', version)[:20]}-{counter}"
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in (files or files_of(counter)).items():
            (folder / name).write_bytes(content)
        manifest = describe(NAME, library.artefact(NAME), version, counter, folder)
        manifest = msgspec.structs.replace(manifest, **changes)
        return self.sign(manifest, keys=keys, key=key), folder

    def sign(
        self,
        manifest: BundleManifest,
        *,
        keys: VouchedKeys | None = None,
        key: SecretKey | None = None,
    ) -> Packed:
        """What is signed, and by whom."""
        content = canonical(manifest)
        signature = (key or self.key).sign(content)
        return Packed(
            manifest=manifest, content=content, signature=signature, keys=keys or self.keys
        )

    def bundle(self, library: Library, counter: int = 1, version: str = "2", **more: Any) -> Path:
        """A bundle in one file."""
        packed, folder = self.packed(library, counter, version, **more)
        file = self.folder / f"{version}-{counter}.hark"
        write_bundle(packed, folder, file)
        return file

    def layout(self, library: Library, counter: int = 1, version: str = "2", **more: Any) -> Path:
        """A bundle in the layout of an OCI image."""
        packed, folder = self.packed(library, counter, version, **more)
        write_layout(packed, folder, self.folder / f"{version}-{counter}-oci")
        return self.folder / f"{version}-{counter}-oci"


def silent(file: str, more: int, size: int) -> None:
    """No progress bar."""
