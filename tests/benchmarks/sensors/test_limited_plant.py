"""The plant of the benchmarks is one that can be described in a file."""

from __future__ import annotations

from pathlib import Path

from assistant.core.sensors.described import load_sensors
from benchmarks.sensors.limited_plant import COUNT, HIGH, as_file, limited, plant


def test_its_file_reads_back_and_each_limit_has_an_alarm_of_its_own(tmp_path: Path) -> None:
    file = tmp_path / "sensors.yaml"
    file.write_text(as_file(plant()), "utf-8")
    assert load_sensors(file) == plant()
    stops = [sensor.alarm.topic for sensor in limited(plant()) if sensor.alarm is not None]
    assert len(set(stops)) == len(stops) == COUNT // 4
    assert {sensor.high for sensor in limited(plant())} == {HIGH}
