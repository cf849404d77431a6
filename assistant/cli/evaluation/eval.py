"""`assistant eval …`: how well the assistant does on labelled data."""

from __future__ import annotations

import typer

from assistant.cli.evaluation import answering, hearing, sensing, understanding

app = typer.Typer(
    no_args_is_help=True, help="How well the assistant does on labelled recordings and sentences."
)
for part in (hearing, understanding, answering, sensing):
    app.add_typer(part.app)
