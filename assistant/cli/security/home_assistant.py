"""`assistant home-assistant …`: the access token, typed where nobody sees it."""

from __future__ import annotations

import sys
from getpass import getpass
from pathlib import Path
from typing import Annotated

import typer

from assistant.bridge.home_assistant.token import WHERE, checked, keep_token
from assistant.cli.shared.output import console
from assistant.core.config import config_files, load_config
from assistant.core.errors import InputError

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
    keep_token(file, checked(_typed()))
    console.print(f"written: {file}", markup=False, soft_wrap=True)
    console.print("A running bridge takes it at once.")


def _typed() -> str:
    if not sys.stdin.isatty():
        return sys.stdin.readline()
    console.print(WHERE)
    try:
        return getpass("Access token (it is not shown): ")
    except EOFError as error:
        raise InputError("home_assistant.none", "no token was typed; nothing changed") from error
