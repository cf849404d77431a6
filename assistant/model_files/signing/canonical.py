"""The one form in which a value is signed: JSON in UTF-8 whose bytes the value alone decides.

Fields stand in the order of their class, keys of mappings sorted, and nothing between. A text that
says the same in other bytes is refused, so that what was signed and what was read are one.
"""

from __future__ import annotations

from typing import TypeVar

import msgspec

from assistant.core.errors import ModelError
from assistant.core.models.versions import MALFORMED

Signed = TypeVar("Signed", bound=msgspec.Struct)


def canonical(value: msgspec.Struct) -> bytes:
    """The bytes that are signed."""
    return msgspec.json.encode(value, order="deterministic")


def read_canonical(content: bytes, kind: type[Signed], where: str, code: str) -> Signed:
    """The value of the bytes; raises `ModelError` with `code` unless they are its one form."""
    try:
        value = msgspec.json.decode(content, type=kind)
    except MALFORMED as error:
        raise ModelError(code, f"{where}: {error}") from error
    if canonical(value) != content:
        raise ModelError(code, f"{where} is not in the form in which it is signed")
    return value
