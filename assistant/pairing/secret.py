"""What both sides of a pairing know: the digits of a number, or the text of a key file."""

from __future__ import annotations

from pathlib import Path

from assistant.core.errors import InputError
from assistant.core.files import read_private
from assistant.pairing.number import DIGITS

SHORTEST_KEY = 16
LARGEST_KEY_BYTES = 4096


def of_number(typed: str) -> bytes:
    """The secret of a number; raises `InputError` for what cannot be one."""
    digits = "".join(typed.split())
    if not (digits.isascii() and digits.isdecimal() and len(digits) == DIGITS):
        raise InputError("pairing.digits", f"the number has {DIGITS} digits, and nothing else")
    return f"number {digits}".encode()


def of_key(file: Path) -> bytes:
    """The secret in a file that its owner alone may read; raises `InputError`, and quotes none."""
    try:
        key = read_private(file, LARGEST_KEY_BYTES).strip()
    except OSError as error:
        raise InputError("pairing.key", f"{file}: {error.strerror}") from error
    if len(key) < SHORTEST_KEY:
        message = f"{file}: a key has at least {SHORTEST_KEY} characters; openssl rand -hex 16"
        raise InputError("pairing.key", message)
    return b"key " + key
