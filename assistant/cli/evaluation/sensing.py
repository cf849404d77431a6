"""How well faults of machines are noticed by their sensors."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from assistant.cli.evaluation.common import Json
from assistant.cli.shared.output import progress, show_figures
from assistant.evaluation.sensors import evaluate_sensors, recordings

app = typer.Typer()


@app.command()
def sensors(
    folder: Annotated[Path, typer.Argument(help="Files of readings in SKAB's layout.")],
    json: Json = False,
) -> None:
    """Learn the first rows of labelled files of readings, and count the faults in the others."""
    judged = recordings(folder)
    with progress("judging") as told:
        figures = evaluate_sensors(judged, progress=told)
    show_figures(f"Sensors, {folder.name}", figures, json)
