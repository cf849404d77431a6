"""`assistant sensors replay` and `report`: what would have been told of recorded values."""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path
from typing import Annotated

import msgspec
import typer

from assistant.cli.sensors.lines import anomaly_line
from assistant.cli.sensors.options import Config, Json
from assistant.cli.shared.output import console, emit
from assistant.core.config import config_files, load_config
from assistant.core.messages import Anomaly, SensorEvent
from assistant.core.sensors.described import Sensors, load_sensors
from assistant.sensors.recorded.pace import Pace
from assistant.sensors.recorded.plots import Courses, require_matplotlib
from assistant.sensors.recorded.replay import Replay, ReplaySummary, Told
from assistant.sensors.recorded.table import look_at
from assistant.sensors.stage import SensorsStage

File = Annotated[Path, typer.Argument(metavar="FILE.csv", help="A header, then a row a time.")]
Learn = Annotated[int | None, typer.Option(min=1, help="Rows to learn; else 15 %.")]
Listed = Annotated[
    Path | None, typer.Option("--sensors", help="File that lists sensors; else the settings'.")
]

app = typer.Typer()


class Noticed(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """An anomaly that begins or is over, with the number and the time of the row."""

    row: int
    at: str
    anomaly: Anomaly


@app.command()
def replay(
    file: File,
    learn: Learn = None,
    speed: Annotated[
        float | None, typer.Option(min=1e-3, help="Times as fast as it was; else at once.")
    ] = None,
    sensors: Listed = None,
    config: Config = None,
    json: Json = False,
) -> None:
    """Learn the first rows of a file of readings, judge the others, and tell what is wrong."""
    described = _described(sensors, config)
    wait = Pace(speed) if speed is not None else lambda passed_s: None
    with closing(Replay(look_at(file), described, learn, wait)) as played:
        with suppress(KeyboardInterrupt):
            _play(played, json, lambda told: None)
        _sum_up(played.summary(), json)


@app.command()
def report(
    file: File,
    out: Annotated[Path, typer.Option(metavar="FOLDER", help="Where the plots go.")],
    learn: Learn = None,
    sensors: Listed = None,
    config: Config = None,
    json: Json = False,
) -> None:
    """Draw a plot of each sensor of a file of readings: values, what is well, what is wrong."""
    require_matplotlib()
    with closing(Replay(look_at(file), _described(sensors, config), learn)) as played:
        courses = Courses(played)
        _play(played, json, courses.see)
        drawn = courses.draw(out)
        _sum_up(played.summary(), json)
    if not json:
        console.print(f"{len(drawn)} plots are in {out}", markup=False, soft_wrap=True)


def _described(file: Path | None, config: Path | None) -> Sensors:
    listed = file or load_config(config_files(config))[0].sensors_file
    return load_sensors(listed) if listed else Sensors()


def _play(played: Replay, json: bool, see: Callable[[Told], None]) -> None:
    logging.getLogger(SensorsStage.__module__).setLevel(logging.ERROR)  # the lines below tell it
    for told in played.play():
        see(told)
        if isinstance(told.message, SensorEvent):
            anomaly, at = told.message.anomaly, played.when(told.at_s)
            if json:
                emit(Noticed(row=told.row, at=at, anomaly=anomaly))
            else:
                line = anomaly_line(anomaly, played.described)
                text = "  ".join(filter(None, (f"row {told.row}", at, line)))
                console.print(text, markup=False, soft_wrap=True)


def _sum_up(summary: ReplaySummary, json: bool) -> None:
    if json:
        emit(summary)
        return
    clock = f'times are those of "{summary.time}"' if summary.time else "rows are a second apart"
    faults = ", ".join(f"{count} {fault}" for fault, count in summary.faults.items())
    for line in (
        f"{summary.rows} rows of {summary.sensors} sensors; {clock}",
        f"learnt from {summary.learnt_rows} rows: {summary.learnt_sensors} sensors,"
        f" {summary.learnt_groups} groups",
        f"{summary.values} values; {summary.late} late, {summary.doubled} doubled,"
        f" {summary.missing} missing, {summary.unusable} no number, {summary.untimed} rows"
        " without a time",
        f"{summary.anomalies} anomalies"
        + (f" ({faults})" if faults else "")
        + f", {summary.going_on} not over at the end",
    ):
        console.print(line, markup=False, soft_wrap=True)
