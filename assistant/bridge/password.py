"""Passwords that stand in files of their own, which the bridge alone reads."""

from __future__ import annotations

from pathlib import Path

from assistant.core.errors import BridgeError
from assistant.core.files import read_private

LARGEST_PASSWORD_BYTES = 1024


def read_password(file: Path, setting: str) -> str:
    """The password in a file; raises `BridgeError`, which quotes nothing of it."""
    where = f"{setting}: {file}"
    try:
        content = read_private(file, LARGEST_PASSWORD_BYTES + 1)
        password = content.decode("utf-8").rstrip("\r\n")
    except OSError as error:
        raise BridgeError("bridge.password", f"{where}: {error.strerror}") from error
    except UnicodeDecodeError:
        raise BridgeError("bridge.password", f"{where} holds no text") from None
    if not password.isprintable() or not 0 < len(content) <= LARGEST_PASSWORD_BYTES:
        raise BridgeError("bridge.password", f"{where} holds no password")
    return password
