"""The demo's lines can always be said: they are shipped as recordings."""

from __future__ import annotations

import pytest

from assistant.demo.story import STORY, StoryLine
from audio.frames import FRAME_BYTES, frames_of


@pytest.mark.parametrize("line", STORY, ids=lambda line: line.text)
def test_every_line_has_a_recording(line: StoryLine) -> None:
    frames = list(frames_of(line.recording))
    assert len(frames) > 20
    assert {len(frame) for frame in frames} == {FRAME_BYTES}


def test_only_answers_go_without_the_wake_word() -> None:
    assert [line.text for line in STORY if not line.spoken.startswith("computer, ")] == [
        line.text for line in STORY if line.answer
    ]
    assert len(STORY) >= 8
