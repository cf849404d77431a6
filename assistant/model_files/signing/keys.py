"""Which keys may sign models: a list that two of three root keys have signed.

The owner trusts three root keys, in the file that `models.roots` names. The list has a counter: a
newer list replaces an older one for good, and so revokes a key that it no longer holds.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from assistant.core.errors import ModelError
from assistant.model_files.signing.canonical import read_canonical
from assistant.model_files.signing.minisign import (
    PublicKey,
    Signature,
    read_exactly,
    read_public,
    read_public_file,
    verify,
)

ROOTS, NEEDED = 3, 2
"""Number of root keys, and of those that must have signed a list."""
MOST_KEYS = 32

Counter = Annotated[int, Meta(ge=1, le=2**53)]
"""Counts up with every list of keys, and with every bundle of one model."""


class SigningKeys(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The keys that may sign models."""

    format: Literal[1] = 1
    counter: Counter
    keys: Annotated[tuple[str, ...], Meta(min_length=1, max_length=MOST_KEYS)]
    """Public keys in minisign's base64."""

    def find(self, key_id: bytes) -> PublicKey | None:
        """The key of that id; raises `ModelError` for a key that is malformed."""
        keys = (read_public(key, "the list of signing keys") for key in self.keys)
        return next((key for key in keys if key.id == key_id), None)


class VouchedKeys(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A list of signing keys as it was signed, and the root keys' signatures."""

    content: str
    signatures: Annotated[tuple[str, ...], Meta(max_length=ROOTS)]


def read_roots(file: Path | None) -> tuple[PublicKey, ...]:
    """The root keys; raises `ModelError` for a file that does not hold three different ones."""
    if file is None:
        message = "no root keys are trusted here, so no signed model is; name their file: "
        raise ModelError("model.no_roots", f'{message}roots = "FILE" in [models]')
    keys = read_public_file(file)
    if len({key.id for key in keys}) != ROOTS or len({key.key for key in keys}) != len(keys):
        message = f"{file} must hold {ROOTS} different public keys, one after the other"
        raise ModelError("model.roots", message)
    return keys


def check_vouched(
    vouched: VouchedKeys, roots: Sequence[PublicKey], where: str = "the list of signing keys"
) -> SigningKeys:
    """The list, once two of the root keys have signed it; raises `ModelError` otherwise.

    Nothing else may be among the signatures, and they stand in the order of their keys.
    """
    content, known = vouched.content.encode(), {key.id: key for key in roots}
    signatures = [read_exactly(text, f"a signature of {where}") for text in vouched.signatures]
    signers = [signature.key_id for signature in signatures]
    if len(signers) < NEEDED or signers != sorted(set(signers)) or not set(signers) <= set(known):
        message = f"{where} must be signed by {NEEDED} of the trusted root keys, and by no other"
        raise ModelError("model.keys", message)
    for signature in signatures:
        verify(content, signature, known[signature.key_id], where)
    return read_canonical(content, SigningKeys, where, "model.keys")


def vouched_by(content: bytes, signatures: Sequence[Signature]) -> VouchedKeys:
    """A list with its signatures, in the one form in which it is told further."""
    ordered = sorted(signatures, key=lambda signature: signature.key_id)
    return VouchedKeys(content=content.decode(), signatures=tuple(s.text for s in ordered))


def signer(keys: SigningKeys, signature: Signature) -> PublicKey:
    """The key that made a signature; raises `ModelError` for one that is not on the list."""
    key = keys.find(signature.key_id)
    if key is None:
        name = PublicKey(signature.key_id, b"").name
        message = f"its key {name} is not on the list of signing keys (number {keys.counter})"
        raise ModelError("model.key_revoked", f"{message}: it was revoked, or never on one")
    return key
