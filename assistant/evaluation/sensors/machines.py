"""How well faults are noticed in recordings of a machine's sensors whose rows are labelled.

The layout is that of SKAB (Katser and Kozitsin, doi:10.34740/KAGGLE/DSV/1693952): files of
readings with a column `anomaly`. As with its authors, each file's first rows are learnt, and the
others judged.
"""

from __future__ import annotations

import csv
import statistics
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from assistant.core.errors import InputError
from assistant.core.messages import SensorValue
from assistant.core.sensors.described import Sensor, Sensors
from assistant.sensors.detection.group import Array
from assistant.sensors.detection.judge import Judge, Learner

LEARNT = 400
"""Rows of a file that are learnt; all is well in them."""
LABEL, OTHERS = "anomaly", ("datetime", "changepoint")
"""Column of the labels, and those that are no sensor's."""
ROW_S = 1.0
"""Seconds from one row to the next."""

Wrong = NDArray[np.bool_]


class SensorsFigures(msgspec.Struct, frozen=True, kw_only=True):
    """How well the rows of all recordings together were judged.

    The rates are the shares of normal rows that were called wrong, and of wrong ones that were not.
    An event is a run of wrong rows, found when any is called so.
    """

    files: int
    f1: float
    false_alarm_rate: float
    missed_alarm_rate: float
    events: int
    events_found: int
    delay_s_p50: float | None
    """From an event's first row to the first that was called wrong; None where none was found."""


class Recording(NamedTuple):
    """The readings of a file, float64[n, sensors], and whether something is wrong in each row."""

    name: str
    readings: Array
    wrong: Wrong


def recordings(folder: Path) -> list[Recording]:
    """The labelled files below a folder; raises `InputError` where there is none, or one is bad."""
    found = [_read(file, folder) for file in sorted(folder.rglob("*.csv"))]
    judged = [one for one in found if one is not None]
    if not judged:
        message = f'{folder} holds no file of readings with a column "{LABEL}"'
        raise InputError("eval.sensors", message)
    return judged


def _read(file: Path, folder: Path) -> Recording | None:
    """A file of readings; None for one without labels, such as one in which all is well."""
    try:
        with file.open(encoding="utf-8", newline="") as lines:
            rows = csv.reader(lines, delimiter=";")
            columns = next(rows, [])
            if LABEL not in columns:
                return None
            sensors = [i for i, name in enumerate(columns) if name not in (LABEL, *OTHERS)]
            label = columns.index(LABEL)
            values = [([float(row[i]) for i in sensors], float(row[label])) for row in rows]
        readings = np.array([reading for reading, _ in values])
    except (OSError, ValueError, IndexError) as error:
        raise InputError("eval.sensors", f"{file}: {error}") from error
    if len(values) <= LEARNT or np.isnan(readings).any():
        message = f"{file}: more than {LEARNT} rows with a number for each sensor are needed"
        raise InputError("eval.sensors", message)
    wrong = np.array([label > 0 for _, label in values])
    return Recording(str(file.relative_to(folder)), readings, wrong)


def evaluate_sensors(
    judged: Sequence[Recording],
    wrong_in: Callable[[Array], Wrong] | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> SensorsFigures:
    """Learn the first rows of each recording, and judge the others, by `wrong_in`."""
    labels, calls, delays = list[Wrong](), list[Wrong](), list[float | None]()
    for number, recording in enumerate(judged):
        called = (wrong_in or called_wrong)(recording.readings)
        wrong = recording.wrong[LEARNT:]
        labels.append(wrong)
        calls.append(called)
        delays += _delays(wrong, called)
        progress(number + 1, len(judged))
    found = [delay for delay in delays if delay is not None]
    return SensorsFigures(
        files=len(judged),
        **_rates(np.concatenate(labels), np.concatenate(calls)),
        events=len(delays),
        events_found=len(found),
        delay_s_p50=statistics.median(found) if found else None,
    )


def called_wrong(readings: Array) -> Wrong:
    """Which of the rows after those that are learnt are called wrong, by any sensor or by all."""
    names = [f"s{number}" for number in range(readings.shape[1])]
    described = Sensors(
        sensors=tuple(Sensor(id=name, name=name, topic=name, group="machine") for name in names)
    )
    learner = Learner(described, names)
    for row in range(LEARNT):
        for value in _values(names, readings, row):
            learner.feed(value)
        learner.pass_time(row * ROW_S)
    judge = Judge(described, learner.learnt())
    wrong = [_is_wrong(judge, _values(names, readings, row)) for row in range(len(readings))]
    return np.array(wrong[LEARNT:])


def _values(names: Sequence[str], readings: Array, row: int) -> list[SensorValue]:
    return [
        SensorValue(name, float(value), row * ROW_S)
        for name, value in zip(names, readings[row], strict=True)
    ]


def _is_wrong(judge: Judge, values: Sequence[SensorValue]) -> bool:
    single = [judge.feed(value) for value in values]
    together = list(judge.pass_time(values[0].at_s))
    return bool(together) or any(found is not None for found in single)


def _rates(wrong: Wrong, called: Wrong) -> dict[str, Any]:
    hit, false = int((wrong & called).sum()), int((~wrong & called).sum())
    missed, right = int((wrong & ~called).sum()), int((~wrong & ~called).sum())
    return {
        "f1": round(2 * hit / max(2 * hit + false + missed, 1), 3),
        "false_alarm_rate": round(false / max(false + right, 1), 3),
        "missed_alarm_rate": round(missed / max(hit + missed, 1), 3),
    }


def _delays(wrong: Wrong, called: Wrong) -> Iterator[float | None]:
    """The seconds until each event was called wrong; None where it never was."""
    edges = np.flatnonzero(np.diff(np.concatenate(([False], wrong, [False])).astype(np.int8)))
    for begin, end in zip(edges[::2], edges[1::2], strict=True):
        at = np.flatnonzero(called[begin:end])
        yield float(at[0]) * ROW_S if len(at) else None
