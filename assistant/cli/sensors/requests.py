"""`assistant sensors learn` and `rollback`: what a running daemon is to take for usual."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Annotated

import msgspec
import typer

from assistant.cli.sensors.options import Config, Json, watched
from assistant.cli.shared.output import console, emit
from assistant.control.client import ControlClient
from assistant.control.sensors import LONGEST_S, SensorsAsked
from assistant.core.did_you_mean import did_you_mean
from assistant.core.errors import InputError
from assistant.core.sensors.described import Sensors

Names = Annotated[
    list[str] | None,
    typer.Argument(metavar="NAME…", help='Ids, groups, machines ("motor three").'),
]
Minutes = Annotated[float, typer.Option(min=0.1, max=LONGEST_S / 60, help="For how long.")]

app = typer.Typer()


class Asked(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """What was asked for, and until when something is learnt; "" for a rollback."""

    what: str
    names: tuple[str, ...]
    until: str = ""


@app.command()
def learn(
    names: Names = None,
    minutes: Minutes = 10.0,
    every: Annotated[bool, typer.Option("--all", help="Every sensor.")] = False,
    config: Config = None,
    json: Json = False,
) -> None:
    """Learn from now on what is usual: all must be well with these sensors meanwhile."""
    settings, described = watched(config)
    wanted = tuple(described.by_id) if every else sensors_of(described, names or ())
    client = ControlClient(settings.control_socket)
    answer = client.ask("sensors_request", "learn", f"{60 * minutes:g}", *wanted)
    asked = msgspec.convert(answer, SensorsAsked)
    until = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(time.time() + asked.for_s))
    if json:
        emit(Asked(what=asked.what, names=asked.sensors, until=until))
    else:
        spoken = ", ".join(described.by_id[name].spoken for name in asked.sensors)
        told = f"Learning {len(asked.sensors)} sensors until {until}: {spoken}"
        console.print(told, markup=False, soft_wrap=True)


@app.command()
def rollback(
    name: Annotated[str, typer.Argument(help='An id, a group, a machine ("motor three").')],
    config: Config = None,
    json: Json = False,
) -> None:
    """Forget what was learnt last of a sensor, or of a group and its sensors."""
    settings, described = watched(config)
    wanted = sensors_of(described, (name,))
    groups = (group for group in described.groups if group.casefold() == name.casefold())
    both = tuple(dict.fromkeys((*groups, *wanted)))
    answer = ControlClient(settings.control_socket).ask("sensors_request", "roll_back", *both)
    asked = msgspec.convert(answer, SensorsAsked)
    if json:
        emit(Asked(what=asked.what, names=asked.sensors))
    else:
        told = f"Going back to what was learnt before, where that is kept: {', '.join(both)}"
        console.print(told, markup=False, soft_wrap=True)


def sensors_of(described: Sensors, names: Sequence[str]) -> tuple[str, ...]:
    """The ids of what these names mean, each once; raises `InputError` for an unknown one."""
    meant: dict[str, list[str]] = {}
    for sensor in described.sensors:
        called = dict.fromkeys(
            (sensor.id, sensor.spoken, sensor.group, sensor.of, sensor.judged_with)
        )
        for name in filter(None, called):
            meant.setdefault(name.casefold(), []).append(sensor.id)
    if not names or not meant:
        raise InputError("sensors.unknown", "name sensors, groups or machines, or all by --all")
    for name in names:
        if name.casefold() not in meant:
            message = f'no sensor, group or machine is called "{name}"; {did_you_mean(name, meant)}'
            raise InputError("sensors.unknown", message)
    return tuple(dict.fromkeys(one for name in names for one in meant[name.casefold()]))
