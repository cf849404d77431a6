"""`assistant sensors replay` and `report`, as commands."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.commands import run_assistant
from tests.support.recorded_sensors import recording, spiking


@pytest.fixture
def config(tmp_path: Path) -> Path:
    file = tmp_path / "config.toml"
    file.write_text(f'[storage]\nruntime = "{tmp_path}"\nstate = "{tmp_path}"\n')
    return file


def test_a_file_is_judged_for_people(tmp_path: Path, config: Path) -> None:
    file = recording(tmp_path / "pump.csv", spiking)
    shown = run_assistant("sensors", "replay", file, "--learn", "300", "--config", config)
    assert (shown.returncode, shown.stderr) == (0, "")
    begun, over, rows, learnt, values, anomalies = shown.stdout.splitlines()
    assert begun.startswith("row 400  2020-02-08 13:06:40  Hum RMS (hum_rms): spike, 5, usually ")
    assert over.endswith("Hum RMS (hum_rms): spike is over")
    assert rows == '600 rows of 2 sensors; times are those of "datetime"'
    assert learnt == "learnt from 300 rows: 2 sensors, 1 groups"
    assert values.startswith("1200 values; 0 late, 0 doubled, 0 missing, 0 no number")
    assert anomalies == "1 anomalies (1 spike), 0 not over at the end"


def test_a_file_is_judged_for_programs_by_the_file_of_sensors(tmp_path: Path, config: Path) -> None:
    listed = tmp_path / "sensors.yaml"
    listed.write_text("sensors: [{id: hum_rms, name: hum, of: pump, topic: t, high: 4}]")
    file = recording(tmp_path / "pump.csv", spiking, separator=",")
    given = ("--learn", "500", "--sensors", listed, "--config", config, "--json")
    shown = run_assistant("sensors", "replay", file, *given, check=True)
    begun, over, summary = map(json.loads, shown.stdout.splitlines())
    assert (begun["type"], begun["row"], begun["anomaly"]["fault"]) == ("Noticed", 400, "high")
    assert over["anomaly"]["over"]
    assert (summary["type"], summary["anomalies"]) == ("Summary", 1)


def test_a_pace_is_kept_to(tmp_path: Path, config: Path) -> None:
    """Only that it runs: how long it took is nobody's promise."""
    file = recording(tmp_path / "pump.csv", spiking)
    given = ("--learn", "300", "--speed", "100000", "--config", config, "--json")
    shown = run_assistant("sensors", "replay", file, *given, check=True)
    assert json.loads(shown.stdout.splitlines()[-1])["anomalies"] == 1


def test_a_report_has_a_plot_a_sensor(tmp_path: Path, config: Path) -> None:
    file, out = recording(tmp_path / "pump.csv", spiking), tmp_path / "plots"
    given = ("--learn", "300", "--out", out, "--config", config)
    shown = run_assistant("sensors", "report", file, *given, check=True)
    assert shown.stdout.splitlines()[-1] == f"2 plots are in {out}"
    assert {plot.name for plot in out.iterdir()} == {"hum_rms.png", "heat.png"}


@pytest.mark.parametrize("command", [("replay",), ("report", "--out", "plots")])
def test_bad_input_is_one_line_and_status_2(
    tmp_path: Path, config: Path, command: tuple[str, ...]
) -> None:
    (tmp_path / "words.csv").write_text("a,b\nno,number\n")
    for file in (tmp_path / "words.csv", tmp_path / "none.csv"):
        given = ("sensors", command[0], file, *command[1:], "--config", config)
        refused = run_assistant(*given, cwd=tmp_path)
        assert (refused.returncode, refused.stdout) == (2, "")
        assert refused.stderr.count("\n") == 1
