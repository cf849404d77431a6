"""A plot a sensor: its values, between which nothing is wrong, and when something was."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, get_args

from assistant.core.errors import InputError
from assistant.core.messages import Anomaly, SensorEvent, SensorsReport, SensorValues
from assistant.core.sensors.described import Sensor
from assistant.core.sensors.messages import Fault
from assistant.sensors.recorded.replay import Replay, Told
from assistant.sensors.recorded.table import CLOCK_FROM

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MISSING = 'plots need the extra "report"'
INSTALL = (
    "run: make report (for a service: sudo make -C /opt/hark report; elsewhere:"
    " pip install matplotlib)"
)
MOST_STEPS = 2000
"""Most steps of a plot; of each the least and the largest value are drawn."""
SIZE_INCHES = (12.0, 4.0)
COLOURS = {fault: f"C{number}" for number, fault in enumerate(get_args(Fault), 1)}
"""Fault → its colour in matplotlib's cycle, after that of the values."""


def require_matplotlib() -> None:
    """Raise `InputError` where matplotlib is not installed."""
    try:
        import matplotlib  # noqa: F401
    except ImportError as error:
        raise InputError("sensors.report", f"{MISSING}; {INSTALL}") from error


class Event(NamedTuple):
    """When an anomaly began and was over, None for not yet, and what was wrong."""

    began_s: float
    over_s: float | None
    fault: Fault


class Course:
    """What a plot of one sensor is drawn from."""

    def __init__(self) -> None:
        self.least: dict[int, tuple[float, float]] = {}
        """Step → time in seconds and value."""
        self.largest: dict[int, tuple[float, float]] = {}
        self.bands: dict[int, tuple[float, float, float]] = {}
        """Step → time, low and high, NaN for any."""
        self.events: dict[str, Event] = {}

    def add(self, step: int, at_s: float, value: float) -> None:
        """Take a value."""
        if step not in self.least or value < self.least[step][1]:
            self.least[step] = (at_s, value)
        if step not in self.largest or value > self.largest[step][1]:
            self.largest[step] = (at_s, value)


class Courses:
    """Gathers what is told in a replay, and draws it."""

    def __init__(self, replay: Replay) -> None:
        self._replay = replay
        self._rows_a_step = math.ceil(replay.table.rows / MOST_STEPS)
        self._courses = {sensor.id: Course() for sensor in replay.described.sensors}
        self._learnt_at_s: float | None = None
        self._end_s = 0.0

    def see(self, told: Told) -> None:
        """Take the next of what is told."""
        step, self._end_s = told.row // self._rows_a_step, told.at_s
        match told.message:
            case SensorValues(values=values):
                if told.row <= self._replay.learn:
                    self._learnt_at_s = told.at_s
                for value in values:
                    self._courses[value.sensor].add(step, told.at_s, value.value)
            case SensorsReport(readings=readings):
                for reading in readings:
                    low = math.nan if reading.low is None else reading.low
                    high = math.nan if reading.high is None else reading.high
                    self._courses[reading.sensor].bands[step] = (told.at_s, low, high)
            case SensorEvent(anomaly=anomaly):
                for sensor in (anomaly.sensor, *anomaly.others):
                    _note(self._courses[sensor].events, anomaly, told.at_s)

    def draw(self, folder: Path) -> list[Path]:
        """Write a PNG a sensor; raises `InputError` where the folder cannot be written."""
        drawn = []
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for sensor in self._replay.described.sensors:
                drawn.append(folder / f"{sensor.id}.png")
                self._draw(sensor, self._courses[sensor.id], drawn[-1])
        except OSError as error:
            raise InputError("sensors.report", f"{folder}: {error.strerror}") from error
        return drawn

    def _draw(self, sensor: Sensor, course: Course, file: Path) -> None:
        from matplotlib.figure import Figure

        figure = Figure(figsize=SIZE_INCHES, layout="constrained")
        axes = figure.subplots()
        axes.set_title(sensor.spoken)
        axes.set_ylabel(sensor.unit)
        points = sorted({*course.least.values(), *course.largest.values()})
        axes.plot(self._times([at_s for at_s, _ in points]), [value for _, value in points], lw=0.7)
        self._draw_band(axes, course)
        self._draw_events(axes, course)
        if self._learnt_at_s is not None:
            (learnt,) = self._times([self._learnt_at_s])
            axes.axvline(learnt, color="grey", ls="--", lw=0.8, label="learnt until here")
        axes.legend(loc="upper left", bbox_to_anchor=(1, 1), fontsize="small")
        figure.savefig(file)

    def _draw_band(self, axes: Axes, course: Course) -> None:
        times = self._times([at_s for at_s, _, _ in course.bands.values()])
        low = [low for _, low, _ in course.bands.values()]
        high = [high for _, _, high in course.bands.values()]
        axes.fill_between(times, low, high, color="green", alpha=0.15, lw=0, label="well")
        for edge in (low, high):
            axes.plot(times, edge, color="green", alpha=0.5, lw=0.5)

    def _draw_events(self, axes: Axes, course: Course) -> None:
        told = set[str]()
        for began_s, over_s, fault in course.events.values():
            begin, end = self._times([began_s, self._end_s if over_s is None else over_s])
            label = fault if fault not in told else "_"
            told.add(fault)
            axes.axvspan(begin, end, color=COLOURS[fault], alpha=0.3, label=label)
            axes.axvline(begin, color=COLOURS[fault], lw=0.8)

    def _times(self, seconds: Sequence[float]) -> Sequence[Any]:
        """Dates where the file has them, else seconds."""
        if self._replay.table.time is None or self._end_s < CLOCK_FROM:
            return seconds
        return [datetime.fromtimestamp(at_s, UTC) for at_s in seconds]


def _note(events: dict[str, Event], anomaly: Anomaly, at_s: float) -> None:
    began_s = events[anomaly.id].began_s if anomaly.id in events else at_s
    over_s = at_s if anomaly.over is not None else None
    events[anomaly.id] = Event(began_s, over_s, anomaly.fault)
