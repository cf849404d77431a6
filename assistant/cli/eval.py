"""`assistant eval …`: how well the assistant does on recordings that are labelled."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer
from rich.table import Table

from assistant.cli.output import console, emit
from assistant.cli.progress import progress
from assistant.evaluation.wake import evaluate_wake

app = typer.Typer(no_args_is_help=True, help="How well the assistant does on labelled recordings.")

Json = Annotated[bool, typer.Option("--json", help="One JSON object a line on stdout.")]


@app.command()
def wake(
    directory: Annotated[Path, typer.Argument(help="Recordings that hold the keyword once each.")],
    keyword: Annotated[str, typer.Option(help='Such as "computer" or "smart mirror".')],
    negatives: Annotated[
        Path | None, typer.Option(help="Recordings that do not hold the keyword.")
    ] = None,
    sensitivity: Annotated[float, typer.Option(min=0, max=1)] = 0.7,
    engine: Annotated[
        str, typer.Option(help="auto, porcupine, microwakeword or pocketsphinx.")
    ] = "auto",
    json: Json = False,
) -> None:
    """Count missed wake words, and false alarms in the negatives."""
    with progress("listening") as told:
        figures = evaluate_wake(
            directory, keyword.replace("_", " "), negatives, sensitivity, engine, told
        )
    _show(f'Wake word "{keyword}"', figures, json)


def _show(title: str, figures: msgspec.Struct, json: bool) -> None:
    if json:
        emit(figures)
        return
    table = Table("", "", title=title, show_header=False)
    for name, value in msgspec.to_builtins(figures).items():
        table.add_row(name, _plain(value))
    console.print(table)


def _plain(value: Any) -> str:
    if isinstance(value, dict):
        return "\n".join(f"{name}: {_plain(part)}" for name, part in value.items())
    return f"{value:.4g}" if isinstance(value, float) else str(value)
