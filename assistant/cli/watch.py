"""`assistant watch`: what a running daemon hears, understands and does, as it happens."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any, Union

import msgspec
import typer
from rich.console import Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from assistant.cli.shared.events import every_event
from assistant.cli.shared.output import console, emit
from assistant.control.client import ControlClient
from assistant.control.describe import describe
from assistant.control.metrics import Stopwatch, Times, figures, restarted_stage
from assistant.control.model_metrics import ModelCounts
from assistant.core.codec import wire_name
from assistant.core.config import config_files, load_config
from assistant.core.layout import MUTED
from assistant.core.messages import (
    Control,
    Level,
    Message,
    ModelsUsed,
    MuteChanged,
    QualityAlert,
    SensorsReport,
    Simplify,
    Work,
    concrete,
)
from assistant.supervision.channel import ProcessStatus, Status

SHOWN_EVENTS = 18
SHOWN_TIMES = 1000
LEVEL_CELLS = 40
QUIETEST_DBFS = -80.0
STATE_STYLES = {"ready": "green", "degraded": "yellow", MUTED: "yellow", "safe mode": "red"}

SIMPLER = "simpler"
"""What a stage's alert is kept by whose simpler path it takes."""
UNTOLD = (Level, SensorsReport, ModelsUsed)
"""Events that come every few seconds, whatever happens, and get no line."""

Event = Message | Status
_EVENTS: Any = Union[(Status, *concrete(Work), *concrete(Control))]


def watch(
    config: Annotated[Path | None, typer.Option(help="Settings, in place of the usual.")] = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON object a line.")] = False,
) -> None:
    """Show a running daemon's messages, stage times and levels until Ctrl-C."""
    settings, _ = load_config(config_files(config))
    lines = every_event(ControlClient(settings.control_socket))
    with suppress(KeyboardInterrupt):
        if json:
            for line in lines:
                emit(line)
        elif console.is_terminal:
            _show_live(map(_event, lines))
        else:
            _print(map(_event, lines))


def _event(line: dict[str, Any]) -> Event:
    event: Event = msgspec.convert(line, _EVENTS)
    return event


def _print(events: Iterator[Event]) -> None:
    for event in events:
        if not isinstance(event, UNTOLD):
            console.print(_row(event), markup=False, soft_wrap=True)


def _show_live(events: Iterator[Event]) -> None:
    view = View()
    with Live(view.render(), console=console, auto_refresh=False, screen=True) as live:
        for event in events:
            view.observe(event)
            live.update(view.render(), refresh=True)


class View:
    """The screen: processes, level, models, alerts, the last events, and stage times."""

    def __init__(self) -> None:
        self._status = Status()
        self._level: Level | None = None
        self._alerts: dict[tuple[str, str], str] = {}
        self._rows: deque[str] = deque(maxlen=SHOWN_EVENTS)
        self._stopwatch = Stopwatch()
        self._times: deque[Times] = deque(maxlen=SHOWN_TIMES)
        self._models = ModelCounts()

    def observe(self, event: Event) -> None:
        """Process one event."""
        match event:
            case Status():
                self._status = event
            case Level():
                self._level = event
            case SensorsReport():
                pass
            case ModelsUsed():
                self._models.observe(event)
            case MuteChanged(muted=True):
                self._level = None
                self._rows.append(_row(event))
            case _:
                self._rows.append(_row(event))
                self._alert(event)
                if (times := self._stopwatch.observe(event)) is not None:
                    self._times.append(times)

    def render(self) -> Group:
        """The whole screen."""
        return Group(
            self._processes(),
            self._meter(),
            *self._processor_times(),
            *(Text(alert, "red") for alert in self._alerts.values()),
            Text("\n".join(self._rows)),
            *self._latencies(),
        )

    def _alert(self, event: Message) -> None:
        """Show alerts until they are over; a stage that is restarted or rebuilt forgets its own."""
        if isinstance(event, QualityAlert):
            self._alerts.pop((event.stage, event.what), None)
            if not event.over:
                self._alerts[event.stage, event.what] = describe(event)
        if isinstance(event, Simplify):
            self._alerts.pop((event.stage, SIMPLER), None)
            if event.for_s:
                self._alerts[event.stage, SIMPLER] = describe(event)
        anew = restarted_stage(event)
        self._alerts = {k: t for k, t in self._alerts.items() if k[0] != anew or k[1] == SIMPLER}

    def _processes(self) -> Text:
        text = Text()
        for process in self._status.processes:
            again = f" ×{process.restarts}" if process.restarts else ""
            style = STATE_STYLES.get(_state(process), "dim")
            text.append(f"{process.name} {_state(process)}{again}   ", style)
        return text

    def _meter(self) -> Text:
        if self._level is None:
            return Text("no level yet", "dim")
        share = 1 - max(QUIETEST_DBFS, self._level.rms_dbfs) / QUIETEST_DBFS
        bar = "█" * round(share * LEVEL_CELLS)
        style = "green" if self._level.speech else "dim"
        return Text(f"{bar:<{LEVEL_CELLS}} {describe(self._level)}", style)

    def _processor_times(self) -> Iterator[Text]:
        if used := sorted(self._models.cpu_s.items()):
            told = ", ".join(f"{name} {version} {cpu_s:.1f} s" for (name, version), cpu_s in used)
            yield Text(f"processor time: {told}", "dim")

    def _latencies(self) -> Iterator[Table]:
        if self._times:
            table = Table("stage", "last ms", "p50 ms", "p95 ms", title="Where the time went")
            for row in figures(self._times):
                last = self._times[-1].get(row.stage)
                shown = "" if last is None else f"{last * 1000:.0f}"
                table.add_row(row.stage, shown, f"{row.p50_ms:.0f}", f"{row.p95_ms:.0f}")
            yield table


def _row(event: Event) -> str:
    said = _of_status(event) if isinstance(event, Status) else describe(event)
    return f"{time.strftime('%H:%M:%S')}  {wire_name(type(event)):<16} {said}".rstrip()


def _of_status(status: Status) -> str:
    return ", ".join(f"{p.name} {_state(p)}" for p in status.processes)


def _state(process: ProcessStatus) -> str:
    """The state of a process; a muted one is ready, and still nobody is heard."""
    return MUTED if process.detail == MUTED else process.state
