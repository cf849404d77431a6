"""`assistant sensors list` and `watch`: how a running daemon's sensors are."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any

import msgspec
import typer
from rich.table import Table
from rich.text import Text

from assistant.cli.sensors.lines import anomaly_line, band, number
from assistant.cli.sensors.options import Config, Json, watched
from assistant.cli.shared.events import every_event
from assistant.cli.shared.output import console, emit
from assistant.control.client import ControlClient
from assistant.control.sensors import SensorsNow
from assistant.core.codec import wire_name
from assistant.core.messages import Anomaly, SensorEvent, SensorReading, SensorsReport
from assistant.core.sensors.described import Sensor, Sensors

NO_VALUE = "no value yet"
OLD_S = 15.0
"""Seconds from which on a report is told to be old; one comes every five."""

app = typer.Typer()


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """How a sensor is, for programs."""

    id: str
    name: str
    unit: str
    value: float | None
    ago_s: float | None
    usual: float | None
    low: float | None
    high: float | None
    state: str
    """ "learning", "well", "no value yet", or what is wrong."""
    since: str
    """When that began; "" where nothing is wrong."""


class Counts(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """What became of the values, and seconds since all this was told."""

    counts: dict[str, int]
    ago_s: float


@app.command("list")
def list_sensors(config: Config = None, json: Json = False) -> None:
    """List every sensor: its value, what is usual, what is wrong, and since when."""
    settings, described = watched(config)
    answer = ControlClient(settings.control_socket).ask("sensors")
    now = msgspec.convert(answer, SensorsNow)
    report = now.report or SensorsReport(readings=())
    rows = list(_rows(described, report))
    if json:
        for row in rows:
            emit(row)
        emit(Counts(counts=report.counts, ago_s=now.ago_s))
    else:
        console.print(_table(rows))
        console.print(_counted(now), markup=False, soft_wrap=True)


@app.command()
def watch(config: Config = None, json: Json = False) -> None:
    """Tell of everything that is wrong with a sensor as it begins and ends, until Ctrl-C."""
    settings, described = watched(config)
    lines = every_event(ControlClient(settings.control_socket))
    with suppress(KeyboardInterrupt):
        for anomaly in _anomalies(lines):
            if json:
                emit(anomaly)
            else:
                told = anomaly_line(anomaly, described)
                console.print(f"{_clock(anomaly)}  {told}", markup=False, soft_wrap=True)


def _anomalies(lines: Iterable[dict[str, Any]]) -> Iterator[Anomaly]:
    """The anomalies that begin and end, each once, though it may be told twice."""
    last: dict[str, Anomaly] = {}
    for line in lines:
        if line.get("type") == wire_name(SensorEvent):
            anomaly = msgspec.convert(line, SensorEvent).anomaly
            before = last.get(anomaly.sensor)
            if before is None or (before.id, before.over) != (anomaly.id, anomaly.over):
                yield anomaly
            last[anomaly.sensor] = anomaly


def _rows(described: Sensors, report: SensorsReport) -> Iterator[Row]:
    readings = {reading.sensor: reading for reading in report.readings}
    wrong = {anomaly.sensor: anomaly for anomaly in report.wrong}
    for sensor in described.sensors:
        yield _row(sensor, readings.get(sensor.id), wrong.get(sensor.id))


def _row(sensor: Sensor, reading: SensorReading | None, wrong: Anomaly | None) -> Row:
    state = wrong.fault if wrong else reading.judged if reading else NO_VALUE
    return Row(
        id=sensor.id,
        name=sensor.spoken,
        unit=sensor.unit,
        value=reading.value if reading else None,
        ago_s=round(reading.ago_s, 1) if reading else None,
        usual=reading.usual if reading else None,
        low=reading.low if reading else None,
        high=reading.high if reading else None,
        state=state,
        since=_local(wrong.began.timestamp()) if wrong else "",
    )


def _table(rows: Iterable[Row]) -> Table:
    table = Table("id", "sensor", "value", "usual", "well", "state", "since")
    for column in table.columns:
        column.overflow = "fold"
    for row in rows:
        wrong = "red" if row.since else "dim" if row.state == NO_VALUE else "green"
        table.add_row(
            *(Text(cell) for cell in (row.id, row.name, number(row.value, row.unit))),
            *(Text(cell) for cell in (number(row.usual), band(row.low, row.high))),
            *(Text(cell, wrong) for cell in (row.state, row.since)),
        )
    return table


def _counted(now: SensorsNow) -> str:
    if now.report is None:
        return "Nothing has been told of the sensors since the daemon was started."
    told = ", ".join(f"{count} {name}" for name, count in now.report.counts.items())
    return told + (f"; as of {now.ago_s:.0f} s ago" if now.ago_s >= OLD_S else "")


def _clock(anomaly: Anomaly) -> str:
    return _local((anomaly.over or anomaly.began).timestamp())


def _local(at_s: float) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(at_s))
