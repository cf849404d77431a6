"""Files that only save time: a disk that takes none of them costs a line in the log."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from nlu.classifier import cache
from tests.support.full_disk import full_disk


def test_what_was_written_is_read_by_its_user_alone(tmp_path: Path) -> None:
    file = tmp_path / "folder" / "cache.npz"
    cache.write(file, b"vectors")
    assert cache.read(file, bytes.decode) == "vectors"
    assert file.stat().st_mode & 0o777 == 0o600


def test_what_was_read_last_is_kept(tmp_path: Path) -> None:
    files = [tmp_path / f"head-{number}.npz" for number in range(4)]
    for age, file in enumerate(reversed(files), 1):
        cache.write(file, b"head")
        os.utime(file, (1_000_000 - age, 1_000_000 - age))
    assert cache.read(files[0], bytes.decode)
    cache.keep_newest(tmp_path, "head-*.npz", 2)
    assert sorted(tmp_path.iterdir()) == [files[0], files[3]]


def test_a_full_disk_keeps_the_old_file_and_nothing_beside_it(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    file = tmp_path / "cache.npz"
    cache.write(file, b"old")
    with full_disk(1000):
        cache.write(file, b"new" * 1000)
    assert "cannot be written: File too large (nlu.cache)" in caplog.text
    assert file.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [file]
