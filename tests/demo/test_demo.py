"""The demo's lines can always be said: by flite, or from the recordings that are shipped."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.demo.story import STORY, StoryLine, sound
from audio.frames import FRAME_BYTES


@pytest.mark.parametrize("line", STORY, ids=lambda line: line.text)
def test_every_line_has_a_recording(line: StoryLine) -> None:
    assert line.recording.is_file()


def test_without_flite_the_recording_is_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    spoken = list(sound(STORY[0], tmp_path))
    assert (tmp_path / STORY[0].recording.name).is_file()
    monkeypatch.setenv("PATH", "")
    shipped = list(sound(STORY[0], tmp_path / "nowhere"))
    assert len(shipped) > 20
    assert abs(len(shipped) - len(spoken)) <= 2
    assert {len(frame) for frame in shipped} == {FRAME_BYTES}


def test_only_answers_go_without_the_wake_word() -> None:
    assert [line.text for line in STORY if not line.spoken.startswith("computer, ")] == [
        line.text for line in STORY if line.answer
    ]
    assert len(STORY) >= 8
