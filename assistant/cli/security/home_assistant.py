"""`assistant home-assistant …`: the access token, typed where nobody sees it."""

from __future__ import annotations

import os
import pwd
import sys
from getpass import getpass
from pathlib import Path
from typing import Annotated

import typer

from assistant.bridge.home_assistant.token import checked
from assistant.cli.shared.output import console
from assistant.core.config import config_files, load_config
from assistant.core.errors import InputError
from assistant.core.files import replacing

SERVICE_USER = "assistant"
app = typer.Typer(no_args_is_help=True, help="The connection to Home Assistant's own API.")


@app.callback()
def home_assistant() -> None:
    """The connection to Home Assistant's own API."""


@app.command()
def token(
    config: Annotated[Path | None, typer.Option(help="Settings, in place of the usual.")] = None,
) -> None:
    """Put a long-lived access token where the bridge alone reads it; from a terminal or a pipe."""
    file = Path(load_config(config_files(config))[0].home_assistant.token_file).expanduser()
    _write(file, checked(_typed()))
    console.print(f"written: {file}", markup=False, soft_wrap=True)
    console.print("A running bridge takes it at once.")


def _typed() -> str:
    if not sys.stdin.isatty():
        return sys.stdin.readline()
    console.print("In Home Assistant: your profile, Security, Long-lived access tokens, Create.")
    try:
        return getpass("Access token (it is not shown): ")
    except EOFError as error:
        raise InputError("home_assistant.none", "no token was typed; nothing changed") from error


def _write(file: Path, text: str) -> None:
    """Write it for the service, where root does so, else for this user."""
    owner = _service_owner()
    try:
        if not file.parent.exists():
            file.parent.mkdir(mode=0o700, parents=True)
            os.chown(file.parent, *owner)
        with replacing(file, 0o600) as written:
            os.fchown(written.fileno(), *owner)
            written.write(f"{text}\n".encode())
    except OSError as error:
        message = f"{file}: {error.strerror}; run this with sudo, or set home_assistant.token_file"
        raise InputError("home_assistant.unwritable", message) from error


def _service_owner() -> tuple[int, int]:
    if os.geteuid() == 0:
        try:
            found = pwd.getpwnam(SERVICE_USER)
        except KeyError:
            return -1, -1
        return found.pw_uid, found.pw_gid
    return -1, -1
