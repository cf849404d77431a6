"""Recordings are kept with consent alone, readable by nobody else, and for a while."""

from __future__ import annotations

import os
import stat
from datetime import UTC, datetime
from pathlib import Path

import pytest
import soundfile

from assistant.core.errors import InputError, StorageError
from assistant.core.settings.history import RecordingsSettings
from assistant.recordings.folder import Recordings, Usage, recorded
from assistant.recordings.trace import Trace
from tests.support.utterances import utterance

NOON = datetime(2026, 11, 24, 12, tzinfo=UTC)
SOUND = bytes(32_000)


def trace(name: str, said_at: datetime = NOON) -> Trace:
    return Trace(said_at=said_at, utterance=utterance(name), heard="lamp on", replies=("Okay.",))


def keep(recordings: Recordings, name: str, said_at: datetime = NOON) -> None:
    recordings.keep_sound(name, SOUND)
    recordings.keep_trace(trace(name, said_at))


@pytest.fixture
def recordings(tmp_path: Path) -> Recordings:
    return Recordings(tmp_path / "recordings")


def test_nothing_is_kept_without_consent(recordings: Recordings) -> None:
    keep(recordings, "a")
    assert not recordings.on
    assert not recordings.folder.exists()
    recordings.agree()
    recordings.withdraw()
    keep(recordings, "a")
    assert recordings.usage() == Usage(0, 0)


def test_sound_and_trace_are_kept_for_this_user_alone(recordings: Recordings) -> None:
    recordings.agree()
    keep(recordings, "b", NOON.replace(minute=1))
    keep(recordings, "a")
    first, second = recorded(recordings.folder)
    assert (first.trace, second.trace.id) == (trace("a"), "b")
    samples, rate_hz = soundfile.read(first.sound, dtype="int16")
    assert (samples.tobytes(), rate_hz) == (SOUND, 16_000)
    modes = {stat.S_IMODE(file.stat().st_mode) for file in recordings.folder.iterdir()}
    assert modes == {0o600}
    assert stat.S_IMODE(recordings.folder.stat().st_mode) == 0o700
    assert recordings.usage().utterances == 2


def test_what_was_kept_stays_or_goes_as_it_is_wished(recordings: Recordings) -> None:
    recordings.agree()
    keep(recordings, "a")
    recordings.withdraw()
    assert (recordings.on, recordings.usage().utterances) == (False, 1)
    recordings.withdraw(remove=True)
    assert list(recordings.folder.iterdir()) == []


def test_a_mistake_is_marked_with_what_was_said(recordings: Recordings) -> None:
    recordings.agree()
    keep(recordings, "a")
    assert recordings.mark("a")
    assert recordings.mark("a", "lamp off")
    assert recordings.mark("a")
    marked = recordings.trace("a")
    assert marked is not None
    assert (marked.wrong, marked.expect) == (True, "lamp off")
    assert not recordings.mark("b")


def test_the_oldest_go_first(tmp_path: Path) -> None:
    limits = RecordingsSettings(most_days=2, most_megabytes=1)
    now_s = NOON.timestamp()
    recordings = Recordings(tmp_path, limits, clock=lambda: now_s)
    recordings.agree()
    for age_days, name in enumerate(("now", "yesterday", "before", "last")):
        keep(recordings, name)
        for file in tmp_path.glob(f"{name}.*"):
            os.utime(file, (now_s, now_s - age_days * 86_400))
    recordings.keep_trace(trace("now"))
    assert {one.trace.id for one in recorded(tmp_path)} == {"now", "yesterday", "before"}
    recordings.keep_sound("long", bytes(990_000))
    recordings.keep_trace(trace("long"))
    assert {one.trace.id for one in recorded(tmp_path)} == {"long"}
    assert recordings.on


def test_a_full_disk_loses_the_recording_and_says_so(
    recordings: Recordings, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    recordings.agree()
    recordings.folder.chmod(0o500)
    if os.access(recordings.folder, os.W_OK):  # root may write anywhere
        recordings.folder.chmod(0o700)
        for file in ("a.wav", "a.json"):
            (recordings.folder / file).mkdir()
    keep(recordings, "a")
    assert caplog.text.count("recordings.unwritable") == 2


@pytest.mark.parametrize("content", [b"", b"{}", b'{"type": "Trace"}', b"\xff", b" " * (2 << 20)])
def test_what_is_no_trace_is_refused_by_name(recordings: Recordings, content: bytes) -> None:
    recordings.agree()
    (recordings.folder / "a.json").write_bytes(content)
    with pytest.raises(InputError, match=r"a\.json"):
        recorded(recordings.folder)
    assert not recordings.mark("a")


def test_a_folder_that_cannot_be_made_or_is_not_there(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StorageError, match="file"):
        Recordings(tmp_path / "file").agree()
    with pytest.raises(InputError, match="no such folder"):
        recorded(tmp_path / "nowhere")
