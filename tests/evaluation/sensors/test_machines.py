"""Labelled files of readings: faults planted in them are counted."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from assistant.core.errors import InputError
from assistant.evaluation.sensors.machines import LEARNT, Recording, evaluate_sensors, recordings
from tests.sensors.detection.test_group import HEAT, machine
from tests.support.commands import run_assistant

ROWS = LEARNT + 200


def written(file: Path, faults: tuple[range, ...], off: float = 6.0) -> None:
    """A file in SKAB's layout, in which one sensor is off in the faults."""
    readings, wrong = machine(ROWS), np.zeros(ROWS)
    for fault in faults:
        readings[fault, HEAT] += off
        wrong[fault] = 1
    lines = ["datetime;pump;flow;heat;hum;anomaly;changepoint"]
    for reading, label in zip(readings, wrong, strict=True):
        lines.append(f"2026-01-01 00:00:00;{';'.join(map(str, reading))};{label};0.0")
    file.parent.mkdir(exist_ok=True, parents=True)
    file.write_text("\n".join(lines) + "\n", "utf-8")


FAULT = range(LEARNT + 100, LEARNT + 150)


def test_a_fault_is_found_and_its_rows_are_counted(tmp_path: Path) -> None:
    written(tmp_path / "valve" / "1.csv", (FAULT,))
    written(tmp_path / "2.csv", ())
    figures = evaluate_sensors(recordings(tmp_path))
    assert (figures.files, figures.events, figures.events_found) == (2, 1, 1)
    assert figures.f1 > 0.7
    assert figures.missed_alarm_rate < 0.2
    assert figures.false_alarm_rate < 0.1  # it takes some rows to be over
    assert figures.delay_s_p50 is not None
    assert figures.delay_s_p50 <= 5


def test_what_is_not_found_is_missed(tmp_path: Path) -> None:
    written(tmp_path / "1.csv", (FAULT,), off=0.0)
    figures = evaluate_sensors(recordings(tmp_path))
    assert (figures.events, figures.events_found, figures.delay_s_p50) == (1, 0, None)
    assert (figures.f1, figures.missed_alarm_rate, figures.false_alarm_rate) == (0, 1, 0)


def test_each_run_of_rows_is_an_event(tmp_path: Path) -> None:
    written(tmp_path / "1.csv", (range(LEARNT + 20, LEARNT + 60), range(ROWS - 30, ROWS)))
    (recording,) = recordings(tmp_path)
    assert isinstance(recording, Recording)
    assert (recording.name, recording.readings.shape) == ("1.csv", (ROWS, 4))
    assert evaluate_sensors([recording]).events == 2


def test_files_without_labels_are_passed_over(tmp_path: Path) -> None:
    written(tmp_path / "1.csv", (FAULT,))
    (tmp_path / "free.csv").write_text("datetime;pump\n2026-01-01;1\n", "utf-8")
    assert [one.name for one in recordings(tmp_path)] == ["1.csv"]


def test_the_command(tmp_path: Path) -> None:
    written(tmp_path / "1.csv", (FAULT,))
    shown = run_assistant("eval", "sensors", tmp_path, "--json")
    assert shown.returncode == 0, shown.stderr
    (line,) = shown.stdout.splitlines()
    assert (json.loads(line)["files"], json.loads(line)["events_found"]) == (1, 1)


@pytest.mark.parametrize("text", [None, "a;anomaly\n1;0\n", "a;anomaly\nx;0\n", "a;anomaly\n1\n"])
def test_what_cannot_be_judged_is_named(tmp_path: Path, text: str | None) -> None:
    if text is not None:
        (tmp_path / "1.csv").write_text(text, "utf-8")
    with pytest.raises(InputError) as refused:
        recordings(tmp_path)
    assert refused.value.code == "eval.sensors"
