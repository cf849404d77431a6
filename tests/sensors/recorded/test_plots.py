"""Plots of files: one a sensor, or an error that says what to install."""

from __future__ import annotations

import sys
from contextlib import closing
from pathlib import Path

import pytest

from assistant.core.errors import InputError
from assistant.core.sensors.described import Sensors
from assistant.sensors.recorded.plots import Courses, require_matplotlib
from assistant.sensors.recorded.replay import Replay
from assistant.sensors.recorded.table import look_at
from tests.support.recorded_sensors import recording, spiking

PNG = b"\x89PNG\r\n"


def courses_of(file: Path) -> Courses:
    with closing(Replay(look_at(file), Sensors(), learn=300)) as replay:
        courses = Courses(replay)
        for told in replay.play():
            courses.see(told)
    return courses


def test_each_sensor_has_a_plot(tmp_path: Path) -> None:
    courses = courses_of(recording(tmp_path / "pump.csv", spiking))
    drawn = courses.draw(tmp_path / "out" / "plots")
    assert [file.name for file in drawn] == ["hum_rms.png", "heat.png"]
    assert all(file.read_bytes().startswith(PNG) for file in drawn)


def test_what_is_wrong_is_drawn(tmp_path: Path) -> None:
    (tmp_path / "well").mkdir()
    well = courses_of(recording(tmp_path / "well" / "pump.csv")).draw(tmp_path / "a")[0]
    wrong = courses_of(recording(tmp_path / "pump.csv", spiking)).draw(tmp_path / "b")[0]
    assert well.read_bytes() != wrong.read_bytes()


def test_a_folder_that_cannot_be_made_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match="file") as refused:
        courses_of(recording(tmp_path / "pump.csv")).draw(tmp_path / "file" / "out")
    assert refused.value.code == "sensors.report"


def test_without_matplotlib_it_says_what_to_run(monkeypatch: pytest.MonkeyPatch) -> None:
    require_matplotlib()
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(InputError, match="make report") as refused:
        require_matplotlib()
    assert refused.value.code == "sensors.report"
