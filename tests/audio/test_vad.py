"""Speech is speech, silence is none, and steady noise is none for long."""

from __future__ import annotations

import numpy as np
import pytest

from audio.frames import FRAME_S, FRAME_SAMPLES, SILENCE
from audio.vad import FLOOR_WINDOW_S, NoiseFloor, Vad, dbfs
from tests.support.voices import speech

RNG = np.random.default_rng(1)


def noise(seconds: float, level: float) -> list[bytes]:
    return [
        RNG.normal(0, level, FRAME_SAMPLES).astype(np.int16).tobytes()
        for _ in range(round(seconds / FRAME_S))
    ]


def share_of_speech(vad: Vad, frames: list[bytes]) -> float:
    return sum(vad.hear(frame).speech for frame in frames) / len(frames)


def test_levels_are_decibels_below_full_scale() -> None:
    assert dbfs(SILENCE) == -90.0
    assert dbfs(np.full(512, 32767, np.int16).tobytes()) == pytest.approx(0.0, abs=0.01)
    assert dbfs(np.full(512, 3277, np.int16).tobytes()) == pytest.approx(-20.0, abs=0.01)


def test_silence_is_no_speech() -> None:
    assert share_of_speech(Vad(2), [SILENCE] * 100) == 0.0


def test_a_sentence_is_speech_also_as_the_very_first_sound() -> None:
    sentence = speech("set a timer for five minutes")
    assert share_of_speech(Vad(2), sentence) > 0.6


def test_steady_noise_is_no_speech_once_it_is_known_and_speech_above_it_is() -> None:
    vad = Vad(2)
    fan = noise(FLOOR_WINDOW_S + 0.5, level=600)
    share_of_speech(vad, fan)
    assert share_of_speech(vad, noise(2.0, level=600)) < 0.02
    loud = [
        (np.frombuffer(f, np.int16) + np.frombuffer(n, np.int16)).astype(np.int16).tobytes()
        for f, n in zip(speech("turn on the light"), noise(10.0, level=300), strict=False)
    ]
    assert share_of_speech(vad, loud) > 0.3


def test_webrtcvad_alone_takes_steady_noise_for_speech() -> None:
    """The control: without the floor's margin the same noise counts."""
    vad = Vad(2)
    vad._floor = type("NoFloor", (), {"hear": lambda self, level_dbfs: -90.0})()  # type: ignore[assignment]
    hum = [
        (2000 * np.sign(np.sin(2 * np.pi * 120 * (np.arange(512) + 512 * n) / 16_000)))
        .astype(np.int16)
        .tobytes()
        for n in range(100)
    ]
    assert share_of_speech(vad, hum) > 0.5
    floored = Vad(2)
    share_of_speech(floored, hum)
    assert share_of_speech(floored, hum) == 0.0


def test_the_floor_follows_noise_up_in_three_seconds_and_down_at_once() -> None:
    floor = NoiseFloor()
    levels = [floor.hear(-30.0) for _ in range(round(FLOOR_WINDOW_S / FRAME_S) + 5)]
    assert levels[10] == -60.0
    assert levels[-1] == pytest.approx(-30.0, abs=1.0)
    assert [floor.hear(-70.0) for _ in range(10)][-1] == pytest.approx(-70.0, abs=1.0)
