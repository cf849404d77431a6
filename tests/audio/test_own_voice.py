"""What the loudspeaker says is known before the microphone hears it."""

from __future__ import annotations

import numpy as np
import pytest

from audio.frames import FRAME_S
from audio.own_voice import COINCIDENCE_S, OwnVoice
from tests.audio.test_listener import Scripted

SECOND = np.zeros(16_000, np.int16)


def following(word_at_frame: int) -> OwnVoice:
    own_voice = OwnVoice([Scripted({word_at_frame: "computer"})], grace_s=0.3)
    own_voice.plays(SECOND, start_s=10.0)
    return own_voice


@pytest.mark.parametrize(
    ("after_word_s", "echo"), [(-0.8, False), (-0.6, True), (0.0, True), (0.9, True), (1.1, False)]
)
def test_an_echo_comes_near_the_word(after_word_s: float, echo: bool) -> None:
    own_voice = following(word_at_frame=20)
    for _ in range(10):
        own_voice.step(10.0)
    word_at_s = 10.0 + 20 * FRAME_S
    assert own_voice.said("computer", word_at_s + after_word_s) is echo
    assert not own_voice.said("jarvis", word_at_s)


def test_it_listens_ahead_of_the_echo() -> None:
    own_voice = following(word_at_frame=20)
    for frame in range(3):
        own_voice.step(10.0 + frame * FRAME_S)
    assert own_voice.said("computer", 10.0 + 20 * FRAME_S)


def test_what_is_cut_off_was_not_said() -> None:
    own_voice = following(word_at_frame=30)
    own_voice.stops(10.1)
    for _ in range(10):
        own_voice.step(10.2)
    assert not own_voice.said("computer", 10.0 + 30 * FRAME_S)
    assert own_voice.sounds(10.05)
    assert not own_voice.sounds(10.5)


def test_it_sounds_as_long_as_it_plays_and_a_little_longer() -> None:
    own_voice = following(word_at_frame=1)
    assert [own_voice.sounds(at_s) for at_s in (9.9, 10.0, 10.9, 11.05, 11.2)] == [
        False,
        True,
        True,
        True,
        False,
    ]


def test_words_long_ago_are_forgotten() -> None:
    own_voice = following(word_at_frame=1)
    own_voice.step(10.0)
    own_voice.step(60.0)
    assert not own_voice.said("computer", 10.0 + COINCIDENCE_S)
