"""The ring keeps the newest frames, in order, and knows where the last speech began."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from audio.frames import FRAME_S
from audio.preroll import Heard, PreRoll


def ring(pattern: str, seconds: float = 2.0) -> PreRoll:
    """One frame a letter, "#" is speech and "~" the assistant; the n-th ends at n frames."""
    preroll = PreRoll(seconds)
    for number, letter in enumerate(pattern, 1):
        preroll.push(Heard(number * FRAME_S, bytes([number % 256]), letter == "#", letter == "~"))
    return preroll


@given(frames=st.integers(0, 200), kept=st.integers(1, 80))
def test_the_ring_holds_the_newest_frames_in_order(frames: int, kept: int) -> None:
    preroll = ring("." * frames, seconds=kept * FRAME_S)
    newest = [number * FRAME_S for number in range(1, frames + 1)][-kept:]
    assert [heard.at_s for heard in preroll] == newest


@given(frames=st.integers(1, 60), from_frame=st.floats(-1, 70))
def test_since_gives_what_ends_later(frames: int, from_frame: float) -> None:
    given_frames = ring("." * frames).since(from_frame * FRAME_S)
    assert [heard.at_s for heard in given_frames] == [
        n * FRAME_S for n in range(1, frames + 1) if n * FRAME_S > from_frame * FRAME_S
    ]


@pytest.mark.parametrize(
    ("pattern", "begins_at_frame"),
    [
        ("....................", 0),  # no speech is known, so nothing is cut off
        ("............########", 12),
        ("............########........", 12),  # the engine noticed the word after its end
        ("####............####", 16),  # an earlier sentence does not belong to it
        ("####...#####...#####", 0),  # short pauses part no words
        ("####################", 0),
    ],
)
def test_a_burst_begins_after_the_last_pause(pattern: str, begins_at_frame: int) -> None:
    assert ring(pattern).burst_starts_s(0.3, 0.0) == pytest.approx(begins_at_frame * FRAME_S)


@pytest.mark.parametrize(
    ("pattern", "begins_at_frame"),
    [
        ("............~~~~~~~~#####", 12),  # it may have begun while the assistant spoke
        ("............########~~~~", 12),
        ("####............####~~~~", 16),
        ("~~~~............####....", 16),  # the assistant had ended long before
        ("~~~~~~~~~~~~~~~~~~~~~~~~", 0),
    ],
)
def test_a_burst_may_have_begun_under_the_assistants_own_voice(
    pattern: str, begins_at_frame: int
) -> None:
    began_s = ring(pattern).burst_starts_s(0.3, 0.0, through_masked=True)
    assert began_s == pytest.approx(begins_at_frame * FRAME_S)


def test_the_assistants_own_voice_is_otherwise_a_pause() -> None:
    assert ring("....~~~~~~~~~~~~~~~#####").burst_starts_s(0.3, 0.0) == pytest.approx(19 * FRAME_S)
