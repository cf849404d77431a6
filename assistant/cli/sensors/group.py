"""`assistant sensors …`: how the sensors are, what is learnt of them, and files of their values."""

from __future__ import annotations

import typer

from assistant.cli.sensors import files, live, requests

app = typer.Typer(
    no_args_is_help=True, help="What the sensors of machines and rooms show, and what is wrong."
)
for part in (live, requests, files):
    app.add_typer(part.app)
