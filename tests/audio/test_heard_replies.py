"""What was heard is known after a kill, a torn write and a full disk."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from audio.heard_replies import KEPT, READ_BYTES, HeardReplies


def test_names_are_there_for_the_next_process(tmp_path: Path) -> None:
    first = HeardReplies(tmp_path / "heard")
    assert first.names == ()
    first.add("timer-1")
    first.add("timer-2")
    assert first.names == HeardReplies(tmp_path / "heard").names == ("timer-1", "timer-2")
    assert stat.S_IMODE((tmp_path / "heard").stat().st_mode) == 0o600


def test_a_line_that_was_torn_is_cut_off_and_nothing_is_joined_to_it(tmp_path: Path) -> None:
    (tmp_path / "heard").write_bytes(b"timer-1\ntim")
    HeardReplies(tmp_path / "heard").add("timer-2")
    assert HeardReplies(tmp_path / "heard").names == ("timer-1", "timer-2")


def test_only_the_last_are_kept(tmp_path: Path) -> None:
    (tmp_path / "heard").write_text("".join(f"timer-{n}\n" for n in range(10_000)))
    assert len(HeardReplies(tmp_path / "heard").names) == KEPT
    assert (tmp_path / "heard").stat().st_size < READ_BYTES
    assert HeardReplies(tmp_path / "heard").names[-1] == "timer-9999"


@pytest.mark.parametrize("content", [b"\xff\xfe\x00" * 100_000, b"\n" * 100_000, b""])
def test_what_is_no_name_is_no_fault(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "heard").write_bytes(content)
    HeardReplies(tmp_path / "heard").add("timer-1")
    assert HeardReplies(tmp_path / "heard").names[-1] == "timer-1"


def test_where_the_disk_refuses_it_is_logged_and_known_for_now(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").write_text("")
    for path in (tmp_path, tmp_path / "file" / "heard"):
        caplog.clear()
        heard_replies = HeardReplies(path)
        heard_replies.add("timer-1")
        assert heard_replies.names == ("timer-1",)
        assert "(audio.tally)" in caplog.text


def test_a_name_is_on_the_disk_when_add_returns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    synced: list[bytes] = []

    def fsync(descriptor: int) -> None:
        synced.append(Path(f"/proc/self/fd/{descriptor}").read_bytes())

    monkeypatch.setattr(os, "fsync", fsync)
    HeardReplies(tmp_path / "heard").add("timer-1")
    assert synced == [b"timer-1\n"]
