"""The long-lived access token, which the bridge alone reads."""

from __future__ import annotations

import errno
import os
import pwd
import re
from pathlib import Path

from assistant.core.errors import BridgeError, InputError
from assistant.core.files import read_private, replacing

LARGEST_TOKEN_BYTES = 4096
_TOKEN = re.compile(r"[A-Za-z0-9._~+/=-]{20,}")
HOW = "run: assistant home-assistant token"
WHERE = "In Home Assistant: your profile, Security, Long-lived access tokens, Create."
SERVICE_USER = "assistant"


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


def keep_token(file: Path, token: str) -> None:
    """Write it for the service, where root does so, else for this user; raises `InputError`."""
    owner = _service_owner()
    try:
        if not file.parent.exists():
            file.parent.mkdir(mode=0o700, parents=True)
            os.chown(file.parent, *owner)
        with replacing(file, 0o600) as written:
            os.fchown(written.fileno(), *owner)
            written.write(f"{token}\n".encode())
    except OSError as error:
        raise _unwritable(file, error.strerror) from error


def require_writable(file: Path) -> None:
    """Raise `InputError` where this user cannot keep a token there."""
    there = next(folder for folder in file.absolute().parents if os.path.exists(folder))
    if not os.path.isdir(there):
        raise _unwritable(file, os.strerror(errno.ENOTDIR))
    if not os.access(there, os.W_OK | os.X_OK):
        raise _unwritable(file, os.strerror(errno.EACCES))


def checked(text: str) -> str:
    """A token without what surrounds it; raises `InputError` for what cannot be one."""
    token = text.strip()
    if len(token) > LARGEST_TOKEN_BYTES or not _TOKEN.fullmatch(token):
        message = "that is no access token: it has letters, digits and dots, and no spaces"
        raise InputError("home_assistant.token", message)
    return token


def _unwritable(file: Path, why: str | None) -> InputError:
    message = f"{file}: {why}; run this with sudo, or set home_assistant.token_file"
    return InputError("home_assistant.unwritable", message)


def _service_owner() -> tuple[int, int]:
    if os.geteuid() == 0:
        try:
            found = pwd.getpwnam(SERVICE_USER)
        except KeyError:
            return -1, -1
        return found.pw_uid, found.pw_gid
    return -1, -1
