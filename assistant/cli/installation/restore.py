"""`assistant restore`: a backup put back in place of what is here."""

from __future__ import annotations

import sys
from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from assistant.backup.restore import prepared
from assistant.cli.shared.output import console
from assistant.cli.shared.questions import confirm
from assistant.core.errors import InputError


def restore(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="What assistant backup wrote.")],
    yes: Annotated[bool, typer.Option("--yes", help="Replace what is here; ask nothing.")] = False,
    keep_settings: Annotated[
        bool, typer.Option("--keep-settings", help="The state alone; settings and home stay.")
    ] = False,
    config: Annotated[
        Path | None, typer.Option(help="Where the settings belong, if not to the usual place.")
    ] = None,
) -> None:
    """Check FILE, then put its settings, home and state in place of those here."""
    stamp = f"{datetime.now():%Y%m%d-%H%M%S}"
    with prepared(file, config, stamp, keep_settings=keep_settings) as ready:
        made = ready.manifest
        _tell(f"{file}: whole, of {made.made_at:%Y-%m-%d %H:%M}, by Hark {made.program[:40]}.")
        for target in ready.targets:
            _tell(f"  {'replaces' if target.exists() else 'makes'} {target}")
        if not yes:
            _require_consent()
        done = ready.carry_out()
    for one in done:
        kept = f"; what was there: {one.previous}" if one.previous else ""
        _tell(f"restored {one.target}{kept}")
    _tell("Start the assistant again; remove what was there once you are content.")


def _require_consent() -> None:
    if not sys.stdin.isatty():
        raise InputError("backup.consent", "this replaces what is here: give --yes")
    if not confirm("Go on?"):
        _tell("Nothing was changed.")
        raise typer.Exit(1)


def _tell(line: str) -> None:
    console.print(line, markup=False, soft_wrap=True)
