"""A file of readings, judged row by row as a running assistant would judge them."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from typing import NamedTuple

import msgspec

from assistant.core.errors import InputError
from assistant.core.messages import (
    Message,
    SensorEvent,
    SensorsReport,
    SensorValue,
    SensorValues,
    Tick,
)
from assistant.core.sensors.described import Sensor, Sensors
from assistant.sensors.detection.judge import Learner
from assistant.sensors.recorded.table import CLOCK_FROM, Row, Table
from assistant.sensors.stage import LOOK_EVERY_S, REPORT_EVERY_S, Learning, SensorsStage
from assistant.sensors.store import Store

LEARNT_SHARE, LEARNT_LEAST = 0.15, 100
"""Rows that are learnt where nobody says how many: a share of them, and at least so many."""
MOST_LOOKS = 20
"""Most looks at what time alone shows between two rows: rows may be hours apart."""


class Told(NamedTuple):
    """A message, and the number and time in seconds of the row with which it came."""

    row: int
    at_s: float
    message: SensorValues | SensorEvent | SensorsReport


class ReplaySummary(msgspec.Struct, frozen=True, kw_only=True, tag="Summary"):
    """What became of a file."""

    rows: int
    learnt_rows: int
    time: str
    """The column of times; "" for rows that count as a second apart."""
    sensors: int
    learnt_sensors: int
    learnt_groups: int
    values: int
    late: int
    """Values that were older than one before."""
    doubled: int
    missing: int
    """Cells without a value."""
    unusable: int
    """Cells with something that is no number."""
    untimed: int
    """Rows that were passed over, as their time was none."""
    anomalies: int
    going_on: int
    """Anomalies that were not over at the end."""
    faults: dict[str, int]


class Replay:
    """Judges a file once; its first `learn` rows are learnt, in which all counts as well.

    Sensors that `described` lists by a column's name are judged as it says; the others are one
    group. `wait` is called with the seconds of the file that have passed, before each step. Raises
    `InputError` where nothing would be left to judge.
    """

    def __init__(
        self,
        table: Table,
        described: Sensors,
        learn: int | None = None,
        wait: Callable[[float], None] = lambda passed_s: None,
    ) -> None:
        self.table, self._wait = table, wait
        self.names = sensor_ids(table, described)
        self.described = of_table(table, described, self.names)
        share = int(LEARNT_SHARE * table.rows)
        self.learn = max(LEARNT_LEAST, share) if learn is None else learn
        if table.rows <= self.learn:
            message = f"{table.path}: of its {table.rows} rows {self.learn} are to be learnt"
            raise InputError("sensors.rows", f"{message}; learn fewer with --learn")
        self._first_s: float | None = None
        self._passed_s = 0.0
        self._learner = Learner(self.described, self.described.by_id)
        self._learning = [Learning(self._learner, math.inf)]
        self._store = Store()
        self._stage = SensorsStage(
            self.described, self._store, self._wall, boot_id="", learning=self._learning
        )
        self._row = 0
        self._missing = self._untimed = 0
        self._faults, self._open = Counter[str](), dict[str, str]()

    def close(self) -> None:
        """Close the database in memory."""
        self._store.close()

    def play(self) -> Iterator[Told]:
        """All values, and what is told of them, in their order."""
        for row in self.table.read():
            if row.at_s is None:
                self._untimed += 1
                continue
            if self._first_s is None:
                self._first_s = row.at_s
            yield from self._let_pass(row.at_s - self._first_s)
            self._row = row.number
            yield from self._take(row)
            if self._learning and row.number >= self.learn:
                yield from self._end_learning()

    def summary(self) -> ReplaySummary:
        """What became of all that was played."""
        learnt, counts = self._store.learnt, self._counts()
        return ReplaySummary(
            rows=self.table.rows,
            learnt_rows=self.learn,
            time=self.table.time_name,
            sensors=len(self.described.sensors),
            learnt_sensors=len(learnt.single),
            learnt_groups=len(learnt.groups),
            **{name: counts[name] for name in ("values", "late", "doubled", "unusable")},
            missing=self._missing,
            untimed=self._untimed,
            anomalies=self._faults.total(),
            going_on=len(self._open),
            faults=dict(self._faults),
        )

    def when(self, at_s: float) -> str:
        """A row's time for people; "" where the file has none."""
        if self.table.time is None:
            return ""
        if at_s < CLOCK_FROM:
            return f"{at_s:g} s"
        return f"{datetime.fromtimestamp(at_s, UTC).replace(tzinfo=None)}"

    def _take(self, row: Row) -> Iterator[Told]:
        self._missing += row.missing
        first_s = self._first_s or 0.0
        at_s = 1.0 + (row.at_s or 0.0) - first_s
        values = tuple(
            SensorValue(self.names[name], value, at_s) for name, value in row.values.items()
        )
        unusable = Counter(self.names[name] for name in row.unusable)
        yield from self._feed(
            SensorValues(at_s=1.0 + self._passed_s, values=values, unusable=dict(unusable))
        )

    def _let_pass(self, until_s: float) -> Iterator[Told]:
        """Look at what time alone shows, until a row's time."""
        began_s = self._passed_s
        step_s = max(LOOK_EVERY_S, (until_s - began_s) / MOST_LOOKS)
        for look in range(1, MOST_LOOKS + 1):
            if (at_s := began_s + look * step_s) >= until_s:
                break
            self._passed_s = at_s
            self._wait(at_s)
            yield from self._feed(Tick(at_s=1.0 + at_s))
        self._passed_s = max(self._passed_s, until_s)
        self._wait(self._passed_s)

    def _end_learning(self) -> Iterator[Told]:
        at_s = 1.0 + self._passed_s
        self._learning[:] = [Learning(self._learner, at_s)]
        yield from self._feed(Tick(at_s=max(at_s, self._stage.deadline_s())))

    def _feed(self, message: Message) -> Iterator[Told]:
        at_s = (self._first_s or 0.0) + self._passed_s
        if isinstance(message, SensorValues):
            yield Told(self._row, at_s, message)
        for told in self._stage.feed(message):
            if isinstance(told, SensorEvent):
                self._note(told)
            if isinstance(told, SensorEvent | SensorsReport):
                yield Told(self._row, at_s, told)

    def _note(self, event: SensorEvent) -> None:
        if event.anomaly.over is None:
            self._open[event.anomaly.id] = event.anomaly.sensor
            self._faults[event.anomaly.fault] += 1
        else:
            self._open.pop(event.anomaly.id, None)

    def _counts(self) -> Counter[str]:
        """What the stage has counted; it tells that a while after the last row."""
        end = Tick(at_s=1.0 + self._passed_s + LOOK_EVERY_S + REPORT_EVERY_S)
        reports = [one for one in self._stage.feed(end) if isinstance(one, SensorsReport)]
        return Counter(reports[-1].counts)

    def _wall(self) -> datetime:
        return datetime.fromtimestamp((self._first_s or 0.0) + self._passed_s, UTC)


def sensor_ids(table: Table, described: Sensors) -> dict[str, str]:
    """The sensor of each column: one that is described, or an id that is made of its name."""
    ids = dict[str, str]()
    for column, name in table.sensors:
        plain = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")[:50] or f"column_{column + 1}"
        made = name if name in described.by_id else plain
        ids[name] = made if made not in ids.values() else f"{made}_{column + 1}"
    return ids


def of_table(table: Table, described: Sensors, ids: dict[str, str]) -> Sensors:
    """The sensors of a file, as they are described or made up, and the causes that are of them."""
    group = table.path.stem
    made = (Sensor(id=id_, name=name, group=group) for name, id_ in ids.items())
    sensors = tuple(described.by_id.get(sensor.id, sensor) for sensor in made)
    causes = (cause for cause in described.causes if set(cause.sensors) <= set(ids.values()))
    return Sensors(sensors=sensors, causes=tuple(causes))
