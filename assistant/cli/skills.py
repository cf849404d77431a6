"""`assistant skills …`: which skills there are."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from assistant.cli.output import console, emit
from assistant.composition import Composition
from assistant.core.config import config_files, load_config

app = typer.Typer(no_args_is_help=True, help="Which skills there are.")


@app.callback()
def skills() -> None:
    """A group, also while it holds one command."""


@app.command("list")
def list_skills(
    config: Annotated[Path | None, typer.Option(help="Settings, in place of the usual.")] = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON object a line.")] = False,
) -> None:
    """Show each skill that the settings load, what it understands, and why one does not run."""
    registry = Composition(load_config(config_files(config))[0]).registry
    if json:
        emit(registry.described())
        return
    table = Table("skill", "what it does", "intents")
    for manifest in registry.manifests:
        intents = dict.fromkeys(schema.intent for schema in manifest.intents)
        table.add_row(manifest.name, manifest.description, ", ".join(intents))
    console.print(table)
    for fault in registry.faults:
        console.print(f"{fault.skill} does not run: {fault.message}", style="red", markup=False)
    if registry.faults:
        raise typer.Exit(1)
