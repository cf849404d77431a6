"""`assistant pin …`: the spoken PIN, typed where nobody hears it."""

from __future__ import annotations

import sys
from getpass import getpass
from pathlib import Path
from typing import Annotated

import typer

from assistant.cli.shared.output import console
from assistant.core.config import config_files, load_config
from assistant.core.errors import InputError
from assistant.core.layout import PIN_FILE
from skills.rights.pin_file import PinFile, require_digits

app = typer.Typer(no_args_is_help=True, help="The PIN for what security.pin_for names.")

Config = Annotated[Path | None, typer.Option(help="Settings, in place of the usual.")]


@app.command("set")
def set_pin(config: Config = None) -> None:
    """Set the PIN, typed twice at a terminal; it holds at once."""
    file = _file(config)
    if not sys.stdin.isatty():
        raise InputError("pin.terminal", "the PIN is typed at a terminal; standard input is none")
    require_digits(digits := _typed("PIN (it is not shown): "))
    if _typed("The same again: ") != digits:
        raise InputError("pin.differs", "the two are not the same; nothing has changed")
    file.set(digits)
    console.print("The PIN is set.")


@app.command()
def remove(config: Config = None) -> None:
    """Forget the PIN: what needs it is then not done at all."""
    there = _file(config).remove()
    console.print("The PIN is removed." if there else "There was no PIN.")


def _typed(prompt: str) -> str:
    try:
        return getpass(prompt)
    except EOFError as error:
        raise InputError("pin.none", "no PIN was typed; nothing has changed") from error


def _file(config: Path | None) -> PinFile:
    return PinFile(load_config(config_files(config))[0].state_dir / PIN_FILE)
