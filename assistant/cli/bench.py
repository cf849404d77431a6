"""`assistant bench …`: how quick and how heavy the assistant is on this machine."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
import typer
from rich.table import Table

from assistant.bench.bus import measure
from assistant.cli.output import console, emit

app = typer.Typer(no_args_is_help=True, help="How quick and how heavy the assistant is here.")

Json = Annotated[bool, typer.Option("--json", help="One JSON object a line on stdout.")]


@app.command()
def bus(
    runs: Annotated[int, typer.Option(min=1, help="Runs whose median counts.")] = 5,
    hops: Annotated[int, typer.Option(min=100, help="Messages a run.")] = 1000,
    json: Json = False,
) -> None:
    """Time one hop between two processes, 1 kB and 200 kB, busy and with 5 ms idle between."""
    rows = [msgspec.to_builtins(figures) for figures in measure(runs, hops)]
    if json:
        emit({"hops": rows})
    else:
        _show(f"One-way hop, median of {runs} runs of {hops}", rows)


def _show(title: str, rows: list[dict[str, Any]]) -> None:
    table = Table(title=title)
    for name in rows[0]:
        table.add_column(name, justify="left" if isinstance(rows[0][name], str) else "right")
    for row in rows:
        table.add_row(*(str(value) for value in row.values()))
    console.print(table)
