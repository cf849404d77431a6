"""Files that are judged: what is wrong in them, and what became of their cells."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from assistant.core.errors import InputError
from assistant.core.messages import SensorEvent
from assistant.core.sensors.described import Sensor, Sensors
from assistant.sensors.recorded.replay import Replay, ReplaySummary, Told
from assistant.sensors.recorded.table import look_at
from tests.support.recorded_sensors import ROWS, Cells, recording, spiking


def played(
    file: Path, described: Sensors | None = None, learn: int | None = None
) -> tuple[list[tuple[Told, SensorEvent]], ReplaySummary]:
    with closing(Replay(look_at(file), described or Sensors(), learn)) as replay:
        told = list(replay.play())
        events = [(one, one.message) for one in told if isinstance(one.message, SensorEvent)]
        return events, replay.summary()


def test_a_fault_is_found_in_its_row_and_over_after_it(tmp_path: Path) -> None:
    events, summary = played(recording(tmp_path / "pump.csv", spiking), learn=300)
    (begin, begun), (end, over) = events
    assert (begun.anomaly.sensor, begun.anomaly.fault) == ("hum_rms", "spike")
    assert begin.row == 400
    assert begun.anomaly.value == 5.0
    assert f"{begun.anomaly.began:%H:%M:%S}" == "13:06:40"
    assert end.row > 403
    assert over.anomaly.id == begun.anomaly.id
    assert (summary.anomalies, summary.going_on, summary.faults) == (1, 0, {"spike": 1})
    assert (summary.learnt_rows, summary.learnt_sensors, summary.learnt_groups) == (300, 2, 1)


def test_nothing_is_wrong_where_nothing_is(tmp_path: Path) -> None:
    events, summary = played(recording(tmp_path / "pump.csv"), learn=300)
    assert events == []
    assert summary.values == 2 * ROWS


def test_a_silence_is_found_before_the_row_that_ends_it(tmp_path: Path) -> None:
    def gap(row: int, cells: Cells) -> Cells:
        return ["2020-02-08 14" + cells[0][13:], *cells[1:]] if row > 400 else cells

    events, _ = played(recording(tmp_path / "pump.csv", gap), learn=300)
    begun = [one for one, event in events if event.anomaly.over is None]
    assert {event.anomaly.fault for _, event in events} == {"silent"}
    assert {one.row for one in begun} == {400}


def test_limits_of_the_file_of_sensors_count_and_its_names(tmp_path: Path) -> None:
    sensor = Sensor(id="hum_rms", name="hum", of="pump", high=4.0, topic="t")
    absent = Sensor(id="flow", name="flow", of="pump", topic="t")
    file = recording(tmp_path / "pump.csv", spiking)
    events, summary = played(file, Sensors(sensors=(sensor, absent)), learn=500)
    assert [event.anomaly.fault for _, event in events] == ["high", "high"]
    assert summary.sensors == 2


def test_late_doubled_missing_and_unusable_cells_are_counted(tmp_path: Path) -> None:
    def faulty(row: int, cells: Cells) -> Cells:
        changed = {
            350: ["2020-02-08 13:00:01", "1.0", "40"],  # late
            360: [cells[0], "", "NaN"],
            370: [cells[0], "broken", cells[2]],
            380: ["whenever", *cells[1:]],
        }
        return changed.get(row, cells)

    file = recording(tmp_path / "pump.csv", faulty)
    lines = file.read_text("utf-8").splitlines()
    file.write_text("\n".join([*lines[:330], lines[329], *lines[330:]]), "utf-8")  # doubled
    _, summary = played(file, learn=300)
    assert (summary.rows, summary.late, summary.doubled) == (ROWS + 1, 2, 2)
    assert (summary.missing, summary.unusable, summary.untimed) == (2, 1, 1)
    assert summary.values == 2 * (ROWS + 1) - 2 - 2 - 2 - 1 - 2


def test_what_is_learnt_by_itself_is_a_share_of_the_rows(tmp_path: Path) -> None:
    with closing(Replay(look_at(recording(tmp_path / "pump.csv")), Sensors())) as replay:
        assert replay.learn == 100


def test_there_must_be_rows_to_judge(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="--learn") as refused:
        Replay(look_at(recording(tmp_path / "pump.csv")), Sensors(), learn=ROWS)
    assert refused.value.code == "sensors.rows"


def test_it_waits_for_each_moment_of_the_file_in_its_order(tmp_path: Path) -> None:
    waited = list[float]()
    table = look_at(recording(tmp_path / "pump.csv"))
    with closing(Replay(table, Sensors(), wait=waited.append)) as replay:
        list(replay.play())
    assert waited == sorted(waited)
    assert waited[-1] == ROWS - 1
