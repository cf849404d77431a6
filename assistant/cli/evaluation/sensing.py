"""How well faults of machines are noticed by their sensors."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from assistant.cli.evaluation.common import Json
from assistant.cli.shared.output import progress, show_figures
from assistant.evaluation.sensors.machines import evaluate_sensors, recordings
from assistant.evaluation.sensors.series import WINDOWS, all_series, evaluate_series

app = typer.Typer()


@app.command()
def sensors(
    folder: Annotated[Path, typer.Argument(help="Files of readings in SKAB's or NAB's layout.")],
    json: Json = False,
) -> None:
    """Learn the first rows of labelled files of readings, and count the faults in the others."""
    title = f"Sensors, {folder.name}"
    with progress("judging") as told:
        if (folder / WINDOWS).is_file():
            series = evaluate_series(all_series(folder), progress=told)
            show_figures(title, series, json)
        else:
            show_figures(title, evaluate_sensors(recordings(folder), progress=told), json)
