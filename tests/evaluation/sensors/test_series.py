"""Series with labelled windows: what is found, what is false, and files that are none."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from assistant.core.errors import InputError
from assistant.evaluation.sensors.series import Series, all_series, evaluate_series, noticed

BEGAN = datetime(2026, 1, 1, tzinfo=UTC)
COUNT, STEP = 2000, timedelta(minutes=5)


def at(number: int) -> str:
    return (BEGAN + number * STEP).strftime("%Y-%m-%d %H:%M:%S")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A machine that is off by ten deviations in one of two windows, and once outside."""
    chance = random.Random(1)
    values = [20 + chance.gauss(0, 1) for _ in range(COUNT)]
    for number in (*range(1000, 1010), 1500):
        values[number] += 10
    (tmp_path / "plant").mkdir()
    rows = [f"{at(number)},{value}\n" for number, value in enumerate(values)]
    (tmp_path / "plant" / "a.csv").write_text("timestamp,value\n" + "".join(rows))
    windows = {"plant/a.csv": [[at(990), at(1050)], [at(1800), at(1850)]]}
    (tmp_path / "windows.json").write_text(json.dumps(windows))
    return tmp_path


def test_windows_that_are_found_and_false_alarms_are_counted(folder: Path) -> None:
    figures = evaluate_series(all_series(folder))
    assert (figures.files, figures.windows, figures.windows_found) == (1, 2, 1)
    days = (COUNT - 1 - int(0.15 * COUNT)) * STEP / timedelta(days=1)
    assert figures.false_alarms_per_day == round(1 / days, 3)
    assert figures.delay_h_p50 == pytest.approx(10 / 12, abs=0.1)


def test_what_goes_on_is_one_alarm(folder: Path) -> None:
    def always(series: Series) -> Iterator[float]:
        yield from (at_s for at_s, _ in series.values[series.learnt :])

    figures = evaluate_series(all_series(folder), always)
    assert figures.windows_found == 2
    assert figures.false_alarms_per_day * 5 < 1


def test_nothing_that_is_learnt_is_judged(folder: Path) -> None:
    (series,) = all_series(folder)
    first_s = series.values[series.learnt][0]
    assert all(at_s >= first_s for at_s in noticed(series))


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("windows.json", "["),
        ("windows.json", '{"none.csv": []}'),
        ("plant/a.csv", "time,value\n1,2\n"),
        ("plant/a.csv", "timestamp,value\n2026-01-01,hot\n"),
    ],
)
def test_what_cannot_be_read_is_named(folder: Path, file: str, text: str) -> None:
    (folder / file).write_text(text)
    with pytest.raises(InputError, match=r"windows\.json") as refused:
        all_series(folder)
    assert refused.value.code == "eval.sensors"
