"""Lines in a folder: bounded, whole, and the newest kept."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from assistant.control.traces.ring import LineRing, files_of, lines_of


def line(number: int, length: int = 90) -> bytes:
    return f"{number:06}".encode().ljust(length, b".")


def test_the_folder_keeps_the_newest_lines_and_does_not_grow(tmp_path: Path) -> None:
    folder = tmp_path / "traces"
    ring = LineRing(folder, files=3, file_bytes=1000)
    for number in range(200):
        ring.add(line(number))
        assert sum(file.stat().st_size for file in files_of(folder)) <= 3000
    kept = list(lines_of(folder))
    assert kept == [line(number) for number in range(200)][-len(kept) :]
    assert len(kept) > 20


def test_another_process_goes_on_where_the_last_one_ended(tmp_path: Path) -> None:
    for number in range(60):
        LineRing(tmp_path, files=3, file_bytes=1000).add(line(number))
    kept = list(lines_of(tmp_path))
    assert kept[-1] == line(59)
    assert len(kept) > 20
    assert len(files_of(tmp_path)) == 3


def test_a_line_that_was_cut_short_is_passed_over_and_spoils_no_other(tmp_path: Path) -> None:
    LineRing(tmp_path).add(line(1))
    (file,) = files_of(tmp_path)
    with file.open("ab") as opened:
        opened.write(b"half a li")
    LineRing(tmp_path).add(line(2))
    assert list(lines_of(tmp_path)) == [line(1), line(2)]


def test_a_line_longer_than_a_file_is_kept_alone(tmp_path: Path) -> None:
    ring = LineRing(tmp_path, files=3, file_bytes=1000)
    long = line(2, 5000)
    for one in (line(1), long, line(3)):
        ring.add(one)
    assert list(lines_of(tmp_path)) == [line(1), long, line(3)]
    assert len(files_of(tmp_path)) == 3


def test_only_its_user_can_read_them(tmp_path: Path) -> None:
    folder = tmp_path / "traces"
    LineRing(folder).add(line(1))
    (file,) = files_of(folder)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700


def test_after_a_fault_it_goes_on(tmp_path: Path) -> None:
    folder = tmp_path / "traces"
    ring = LineRing(folder)
    ring.add(line(1))
    (file,) = files_of(folder)
    file.unlink()
    folder.rmdir()
    folder.write_text("in the way")
    with pytest.raises(OSError, match="directory"):
        ring.add(line(2))
    folder.unlink()
    ring.add(line(3))
    assert list(lines_of(folder)) == [line(3)]


def test_other_files_in_the_folder_are_left_alone(tmp_path: Path) -> None:
    other = tmp_path / "notes.jsonl"
    other.write_text("mine\n")
    ring = LineRing(tmp_path, files=2, file_bytes=100)
    for number in range(10):
        ring.add(line(number))
    assert other.read_text() == "mine\n"
    assert list(lines_of(tmp_path)) == [line(8), line(9)]
