"""The file that tells how loud the assistant speaks."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from assistant.skill.device import LOUDEST, QUIETEST, USUAL
from audio.tts.volume import RANGE, UNITY_PERCENT, VolumeFile


def test_what_is_written_is_read_by_another(tmp_path: Path) -> None:
    VolumeFile(tmp_path / "volume").write(75)
    other = VolumeFile(tmp_path / "volume")
    assert (other.percent, other.factor) == (75, 1.5)
    assert (tmp_path / "volume").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize("content", [b"", b"loud", b"\xff\xfe", b"0", b"101", b"-50", b"9" * 100])
def test_a_damaged_file_leaves_the_voice_as_it_was_made(tmp_path: Path, content: bytes) -> None:
    file = tmp_path / "volume"
    assert VolumeFile(file).percent == UNITY_PERCENT  # a missing one, too
    file.write_bytes(content)
    assert VolumeFile(file).factor == 1.0


def test_a_disk_that_refuses_it_is_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        VolumeFile(tmp_path / "missing" / "volume").write(75)
    assert "audio.volume" in caplog.text


def test_skills_and_player_mean_the_same() -> None:
    assert (RANGE[0], RANGE[-1], UNITY_PERCENT) == (QUIETEST, LOUDEST, USUAL)
