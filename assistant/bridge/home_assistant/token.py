"""The long-lived access token, which the bridge alone reads."""

from __future__ import annotations

import re
from pathlib import Path

from assistant.core.errors import BridgeError, InputError
from assistant.core.files import read_private

LARGEST_TOKEN_BYTES = 4096
_TOKEN = re.compile(r"[A-Za-z0-9._~+/=-]{20,}")
HOW = "run: assistant home-assistant token"


def read_token(file: Path) -> str:
    """The token in a file; raises `BridgeError`, which quotes nothing of it."""
    try:
        content = read_private(file, LARGEST_TOKEN_BYTES + 1)
    except OSError as error:
        message = f"home_assistant.token_file: {file}: {error.strerror}; {HOW}"
        raise BridgeError("bridge.token", message) from error
    try:
        return checked(content.decode("ascii"))
    except (InputError, UnicodeDecodeError):
        message = f"home_assistant.token_file: {file} holds no access token; {HOW}"
        raise BridgeError("bridge.token", message) from None  # its text may quote the token


def checked(text: str) -> str:
    """A token without what surrounds it; raises `InputError` for what cannot be one."""
    token = text.strip()
    if len(token) > LARGEST_TOKEN_BYTES or not _TOKEN.fullmatch(token):
        message = "that is no access token: it has letters, digits and dots, and no spaces"
        raise InputError("home_assistant.token", message)
    return token
