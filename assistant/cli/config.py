"""`assistant config`: the settings in force."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer
from rich.table import Table
from rich.text import Text

from assistant.cli.shared.output import console, emit
from assistant.core.config import config_files, load_config


def config(
    file: Annotated[
        Path | None, typer.Option("--config", help="Settings, in place of the usual.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON object a line.")] = False,
) -> None:
    """Show every setting in force, and which file it comes from."""
    files = config_files(file)
    _, settings = load_config(files)
    if json:
        for setting in settings:
            emit(setting)
        return
    read = ", ".join(map(str, files)) or "no file: all settings are the defaults"
    table = Table(caption=f"read: {read}", caption_justify="left")
    for title in ("setting", "value", "from"):
        table.add_column(title, overflow="fold")
    for setting in settings:
        changed = "" if setting.source == "default" else "bold"
        value = toml(setting.value)
        cells = (Text(text, style=changed) for text in (setting.name, value, setting.source))
        table.add_row(*cells)
    console.print(table)


def toml(value: Any) -> str:
    """The value as TOML; scalars and lists are written as in JSON."""
    if isinstance(value, dict):
        pairs = (f"{toml(key)} = {toml(item)}" for key, item in value.items())
        return "{ " + ", ".join(pairs) + " }"
    return msgspec.json.encode(value).decode()
