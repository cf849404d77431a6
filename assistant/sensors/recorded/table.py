"""A CSV file of readings: a header, a column of times if there is one, and a column a sensor.

It is read twice, once for what its columns are, and row by row for the readings, so that it may be
larger than the memory.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import islice, pairwise
from pathlib import Path
from typing import NamedTuple

from assistant.core.errors import InputError
from assistant.core.sensors.described import MOST_SENSORS

SEPARATORS = ",;\t|"
TIMES = ("time", "timestamp", "datetime", "date", "ts")
"""Names of columns of times."""
LABELS = ("anomaly", "changepoint", "label", "is_anomaly")
"""Names of columns that say what is wrong, and are no sensor's."""
MISSING = frozenset(("", "nan", "null", "none", "na", "n/a"))
"""What stands in a cell, in small letters, where there is no value."""
SAMPLE = 1000
"""Rows that show what a column is."""
ROW_S = 1.0
"""Seconds from one row to the next where no column has times."""
MILLISECONDS_FROM = 1e11
"""Least number that is a time in milliseconds; in seconds it were the year 5138."""
CLOCK_FROM = 1e8
"""Least number that is a time since 1970, and no count of seconds from anywhere."""
_EARLIEST, _LATEST = (datetime(year, 1, 1, tzinfo=UTC).timestamp() for year in (1000, 9000))


class Row(NamedTuple):
    """A row: its number from 1 on, its time, and its numbers by the column's name.

    `at_s` is None where the cell of the time holds none; `unusable` are cells with no number.
    """

    number: int
    at_s: float | None
    values: dict[str, float]
    missing: int
    unusable: tuple[str, ...]


class Table(NamedTuple):
    """What a file's columns are, and how many rows it has."""

    path: Path
    separator: str
    time: int | None
    """The column of times; None for rows that are a second apart."""
    time_name: str
    sensors: tuple[tuple[int, str], ...]
    """Columns of sensors, and their names."""
    rows: int

    def read(self) -> Iterator[Row]:
        """The rows in their order; raises `InputError` where the file can be read no further."""
        for number, cells in enumerate(_rows(self.path, self.separator), 1):
            values, missing, unusable = dict[str, float](), 0, list[str]()
            for column, name in self.sensors:
                cell = cells[column].strip() if column < len(cells) else ""
                if cell.lower() in MISSING:
                    missing += 1
                elif (value := number_in(cell)) is None:
                    unusable.append(name)
                else:
                    values[name] = value
            yield Row(number, self._at_s(number, cells), values, missing, tuple(unusable))

    def _at_s(self, number: int, cells: Sequence[str]) -> float | None:
        if self.time is None:
            return (number - 1) * ROW_S
        return time_in(cells[self.time]) if self.time < len(cells) else None


def look_at(path: Path) -> Table:
    """Find out what a file holds; raises `InputError` where that are no readings."""
    with _refusing(path), path.open(encoding="utf-8-sig", newline="") as lines:
        first = lines.readline()
    separator = max(SEPARATORS, key=first.count)
    rows = _rows(path, separator, with_header=True)
    names = [name.strip() for name in next(rows, [])]
    sample = list(islice(rows, SAMPLE))
    time = _time(names, sample)
    sensors = tuple(
        (column, name)
        for column, name in enumerate(names)
        if column != time and name.lower() not in LABELS and _is_numeric(sample, column)
    )
    if not sensors:
        raise InputError("sensors.csv", f"{path}: it has no header with a column of numbers below")
    if len(sensors) > MOST_SENSORS or len({name for _, name in sensors}) < len(sensors):
        message = f"{path}: at most {MOST_SENSORS} sensors, each with a name of its own, are taken"
        raise InputError("sensors.csv", message)
    count = len(sample) + sum(1 for _ in rows)
    return Table(path, separator, time, "" if time is None else names[time], sensors, count)


def number_in(cell: str) -> float | None:
    """The number that a cell holds; None for none, and for one that is not finite."""
    try:
        number = float(cell)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def time_in(cell: str) -> float | None:
    """The seconds since 1970, or from wherever they count; None for a cell that holds no time.

    A time without a zone counts as UTC.
    """
    number = number_in(cell)
    if number is not None:
        seconds: float | None = number / 1000 if number >= MILLISECONDS_FROM else number
    else:
        seconds = _of_iso(cell)
    return seconds if seconds is not None and _EARLIEST <= seconds < _LATEST else None


def _of_iso(cell: str) -> float | None:
    try:
        at = datetime.fromisoformat(cell.strip())
        return (at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return None


def _time(names: Sequence[str], sample: Sequence[Sequence[str]]) -> int | None:
    """The column of times: one that is named so, one of ISO times, or a first one that counts."""
    columns = {
        column: [row[column] for row in sample if column < len(row)] for column in range(len(names))
    }
    for column, cells in columns.items():
        if names[column].lower() in TIMES and any(time_in(cell) is not None for cell in cells):
            return column
    for column, cells in columns.items():
        if any(number_in(cell) is None and _of_iso(cell) is not None for cell in cells):
            return column
    counted = [time_in(cell) for cell in columns.get(0, ())]
    rising = [after > before for before, after in _pairs(counted)]
    return 0 if len(rising) > 1 and len(names) > 1 and all(rising) else None


def _pairs(numbers: Sequence[float | None]) -> Iterator[tuple[float, float]]:
    for before, after in pairwise(numbers):
        yield (math.inf if before is None else before, -math.inf if after is None else after)


def _is_numeric(sample: Sequence[Sequence[str]], column: int) -> bool:
    cells = [row[column].strip() for row in sample if column < len(row)]
    there = [cell for cell in cells if cell.lower() not in MISSING]
    return 2 * sum(number_in(cell) is not None for cell in there) > len(there)


@contextmanager
def _refusing(path: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise InputError("sensors.csv", f"{path}: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise InputError("sensors.csv", f"{path}: it is no text in UTF-8") from error
    except csv.Error as error:
        raise InputError("sensors.csv", f"{path}: {error}") from error


def _rows(path: Path, separator: str, with_header: bool = False) -> Iterator[list[str]]:
    with _refusing(path), path.open(encoding="utf-8-sig", newline="") as lines:
        rows = csv.reader(lines, delimiter=separator)
        if not with_header:
            next(rows, None)
        yield from (row for row in rows if row)
