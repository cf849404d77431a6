"""Making what is signed: lists of signing keys, manifests, and bundles out of both."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from assistant.core.errors import ModelError
from assistant.core.files import read_text, replace_file
from assistant.model_files.signing.bundle import MANIFEST, SIGNATURE, BundleManifest, Packed
from assistant.model_files.signing.canonical import canonical, read_canonical
from assistant.model_files.signing.keys import ROOTS, SigningKeys, VouchedKeys, signer, vouched_by
from assistant.model_files.signing.minisign import (
    SUFFIX,
    SecretKey,
    read_public_file,
    read_signature,
    verify,
)


def write_list(file: Path, public_keys: Sequence[Path]) -> SigningKeys:
    """Write the next list of signing keys in place of the one in `file`; raises `ModelError`."""
    counter = _read_list(file).counter + 1 if file.exists() else 1
    keys = [key.text for public in public_keys for key in read_public_file(public)]
    try:
        listed = msgspec.convert({"counter": counter, "keys": keys}, SigningKeys)
    except msgspec.ValidationError as error:
        raise ModelError("model.keys", f"{file}: {error}") from error
    write(file, canonical(listed))
    return listed


def sign_file(file: Path, key: SecretKey, signature: Path) -> None:
    """Write the signature of a file; raises `ModelError`."""
    write(signature, key.sign(read(file).encode()).text.encode())


def pack(folder: Path, list_of_keys: Path) -> Packed:
    """A bundle of the signed model in `folder`, with the list of keys and its signatures beside it.

    Raises `ModelError`, also where the model's key is not on the list or has not signed this.
    """
    content, signed = read(folder / MANIFEST), folder / SIGNATURE
    signature = read_signature(read(signed), str(signed))
    vouched = _read_vouched(list_of_keys)
    key = signer(_read_list(list_of_keys), signature)
    verify(content.encode(), signature, key, str(folder / MANIFEST))
    manifest = read_canonical(
        content.encode(), BundleManifest, str(folder / MANIFEST), "model.bundle"
    )
    return Packed(manifest=manifest, content=content.encode(), signature=signature, keys=vouched)


def _read_list(file: Path) -> SigningKeys:
    return read_canonical(read(file).encode(), SigningKeys, str(file), "model.keys")


def _read_vouched(file: Path) -> VouchedKeys:
    found = sorted(file.parent.glob(f"{file.name}.*{SUFFIX}"))[: ROOTS + 1]
    signatures = [read_signature(read(one), str(one)) for one in found]
    if not signatures or len(signatures) > ROOTS:
        message = f"beside {file} there must be two or three signatures of it by root keys"
        raise ModelError("model.keys", f"{message}, named {file.name}.NAME{SUFFIX}")
    return vouched_by(read(file).encode(), signatures)


def read(file: Path) -> str:
    """The text of a file; raises `ModelError`."""
    try:
        return read_text(file)
    except (OSError, UnicodeDecodeError) as error:
        raise ModelError("model.missing", f"{file}: {getattr(error, 'strerror', error)}") from error


def write(file: Path, content: bytes) -> None:
    """Write a file; raises `ModelError`."""
    try:
        replace_file(file, content)
    except OSError as error:
        raise ModelError("model.unwritable", f"{file}: {error.strerror}") from error
