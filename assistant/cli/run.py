"""`assistant run`: the daemon."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from assistant.supervision import daemon


def run(
    config: Annotated[Path | None, typer.Option(help="Settings, in place of the usual.")] = None,
    single: Annotated[bool, typer.Option("--single", help="All in one process.")] = False,
) -> None:
    """Run the assistant until it is stopped (Ctrl-C, SIGTERM); SIGHUP reloads its settings."""
    if not single:
        daemon.take_over(config)
    raise typer.Exit(daemon.run(config, single))
