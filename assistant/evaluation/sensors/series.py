"""How well faults are noticed in single series whose windows are labelled.

The layout is that of NAB (Ahmad and others, Neurocomputing 262, 2017): CSV files with `timestamp`
and `value`, and `windows.json`, which names the windows of each file. As with its authors, the
first 15 % of each file are learnt, and the others judged.
"""

from __future__ import annotations

import csv
import itertools
import statistics
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

import msgspec

from assistant.core.errors import InputError
from assistant.core.sensors.described import Sensor
from assistant.sensors.detection.single import SingleDetector, SingleLearner

WINDOWS = "windows.json"
LEARNT = 0.15
"""Share of a file that is learnt."""
APART = 5
"""Values that must be well until what is wrong is another alarm."""
DAY_S = 86_400.0
HOUR_S = 3600.0

Window = tuple[float, float]


class SeriesFigures(msgspec.Struct, frozen=True, kw_only=True):
    """How well the windows of all series together were found.

    A window is found by an alarm that begins or goes on in it; an alarm that begins in none is
    false.
    """

    files: int
    windows: int
    windows_found: int
    false_alarms_per_day: float
    delay_h_p50: float | None
    """From a window's begin to the first alarm in it; None where none was found."""


class Series(NamedTuple):
    """A file's values: (seconds, value) each, and the windows in which something is wrong."""

    name: str
    values: list[tuple[float, float]]
    windows: list[Window]

    @property
    def learnt(self) -> int:
        """How many values are learnt."""
        return int(LEARNT * len(self.values))


def all_series(folder: Path) -> list[Series]:
    """The series that `windows.json` names; raises `InputError` for what cannot be read."""
    file = folder / WINDOWS
    try:
        named = msgspec.json.decode(file.read_bytes(), type=dict[str, list[tuple[str, str]]])
        return [
            Series(name, list(_values(folder / name)), [(_at(a), _at(b)) for a, b in windows])
            for name, windows in named.items()
        ]
    except (OSError, ValueError, KeyError, csv.Error, msgspec.MsgspecError) as error:
        raise InputError("eval.sensors", f"{file}: {error}") from error


def _values(file: Path) -> Iterator[tuple[float, float]]:
    with file.open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            yield _at(row["timestamp"]), float(row["value"])


def _at(text: str) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()


def evaluate_series(
    judged: Sequence[Series],
    wrong_in: Callable[[Series], Iterable[float]] | None = None,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> SeriesFigures:
    """Judge each series by `wrong_in`, which gives the seconds of the values that are wrong."""
    found, false, seconds, windows = list[float](), 0, 0.0, 0
    for number, series in enumerate(judged):
        begin_s = series.values[series.learnt][0]
        there = [window for window in series.windows if window[1] > begin_s]
        wrong = list((wrong_in or noticed)(series))
        firsts = (next((at for at in wrong if a <= at <= b), None) for a, b in there)
        found += [
            (at - a) / HOUR_S for at, (a, _) in zip(firsts, there, strict=True) if at is not None
        ]
        begins = _begins(wrong, APART * _interval_s(series))
        false += sum(not any(a <= at <= b for a, b in there) for at in begins)
        seconds += series.values[-1][0] - begin_s
        windows += len(there)
        progress(number + 1, len(judged))
    return SeriesFigures(
        files=len(judged),
        windows=windows,
        windows_found=len(found),
        false_alarms_per_day=round(false / (seconds / DAY_S), 3),
        delay_h_p50=round(statistics.median(found), 1) if found else None,
    )


def noticed(series: Series) -> Iterator[float]:
    """When the sensors' detector calls something wrong, after what it has learnt."""
    learner = SingleLearner()
    last_s = -1.0
    for at_s, value in series.values[: series.learnt]:
        if at_s > last_s:  # as the stage of the sensors drops what is late
            learner.feed(value, at_s)
            last_s = at_s
    detector = SingleDetector(Sensor(id="s", name="s", topic="t"), learner.learnt())
    detector.trace = learner.trace
    for at_s, value in series.values[series.learnt :]:
        if at_s <= last_s:
            continue
        last_s = at_s
        silent = detector.silent(at_s) >= 1
        if detector.feed(value, at_s) is not None or silent:
            yield at_s


def _begins(wrong: Iterable[float], apart_s: float) -> Iterator[float]:
    last_s = float("-inf")
    for at_s in wrong:
        if at_s - last_s > apart_s:
            yield at_s
        last_s = at_s


def _interval_s(series: Series) -> float:
    seconds = [at_s for at_s, _ in series.values]
    return statistics.median(b - a for a, b in itertools.pairwise(seconds))
