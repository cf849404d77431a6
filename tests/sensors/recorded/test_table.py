"""Files of readings: what their columns are, and what is in their cells."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.core.errors import InputError
from assistant.sensors.recorded.table import ROW_S, look_at, number_in, time_in


def file_of(folder: Path, text: str) -> Path:
    file = folder / "pump.csv"
    file.write_text(text, "utf-8")
    return file


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_the_separator_and_the_kinds_of_columns_are_found(tmp_path: Path, separator: str) -> None:
    lines = (
        "\ufeffnote;datetime;hum;heat;anomaly;changepoint",
        "ok;2020-02-08 13:30:47;0.2;26;0;0",
        "ok;2020-02-08 13:30:48;0.3;27;1;1",
    )
    table = look_at(file_of(tmp_path, "\n".join(lines).replace(";", separator)))
    assert (table.separator, table.time_name, table.rows) == (separator, "datetime", 2)
    assert table.sensors == ((2, "hum"), (3, "heat"))
    first, second = table.read()
    assert first.values == {"hum": 0.2, "heat": 26.0}
    assert first.at_s is not None
    assert second.at_s == first.at_s + 1


@pytest.mark.parametrize(
    ("header", "rows", "time"),
    [
        ("hum,Timestamp", ("1,5.5", "2,6.5", "2,7"), "Timestamp"),
        ("hum,when", ("1,2020-02-08T13:30:47Z", "2,2020-02-08T13:30:48Z"), "when"),
        ("seconds,hum", ("0,5", "1,4", "2,6"), "seconds"),
        ("hum,heat", ("1,5", "1,6", "1,7"), ""),
        ("level", ("1", "2", "3"), ""),
        ("time,level", ("noon,2", "one,3"), ""),
    ],
)
def test_times_are_found_by_name_by_their_look_or_as_a_first_column_that_counts(
    tmp_path: Path, header: str, rows: tuple[str, ...], time: str
) -> None:
    table = look_at(file_of(tmp_path, "\n".join((header, *rows))))
    assert table.time_name == time
    assert time not in {name for _, name in table.sensors}


def test_without_times_rows_are_a_second_apart(tmp_path: Path) -> None:
    table = look_at(file_of(tmp_path, "hum,heat\n1,5\n1,6\n1,7\n"))
    assert [row.at_s for row in table.read()] == [0.0, ROW_S, 2 * ROW_S]


def test_what_is_missing_or_no_number_is_told_of_each_row(tmp_path: Path) -> None:
    text = "time,hum,heat\n1,0.1,20\n2,,NaN\n3,broken,inf\nx,0.2,21\n5\n"
    rows = list(look_at(file_of(tmp_path, text)).read())
    assert [row.values for row in rows] == [
        {"hum": 0.1, "heat": 20.0},
        *({}, {}),
        {"hum": 0.2, "heat": 21.0},
        {},
    ]
    assert [row.missing for row in rows] == [0, 2, 0, 0, 2]
    assert [row.unusable for row in rows] == [(), (), ("hum", "heat"), (), ()]
    assert [row.at_s for row in rows] == [1.0, 2.0, 3.0, None, 5.0]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"\n",
        b"word\nno\n",
        b"1,2,3",
        b"\xff\xfe\x00",
        b"hum,hum\n1,2\n",
        b"a\n" + b"1" * 200_000,
    ],
)
def test_what_holds_no_readings_is_refused_in_one_error(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "bad.csv").write_bytes(content)
    with pytest.raises(InputError, match=r"bad\.csv") as refused:
        look_at(tmp_path / "bad.csv")
    assert refused.value.code == "sensors.csv"


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No such file"):
        look_at(tmp_path / "none.csv")


def test_cells() -> None:
    assert number_in(" 1.5 ") == 1.5
    assert number_in("1e999") is None
    assert time_in("1970-01-01 00:00:10") == 10.0
    assert time_in("1970-01-01T01:00:10+01:00") == 10.0
    assert time_in("1581168647000") == 1581168647.0
    assert time_in("1e30") is None
    assert time_in("-1e30") is None
    assert time_in("-2e11") is None
    assert time_in("0001-01-01") is None
    assert time_in("9999-12-31") is None
    assert time_in("noon") is None
