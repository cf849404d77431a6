"""Chunks as they come over a network become frames with times as they were heard."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from wyoming.audio import AudioChunk

from assistant.core.errors import RoomsError
from assistant.core.messages import Frame
from assistant.rooms.base.sound import LATE_S, SatelliteSound
from assistant.rooms.wire import MALFORMED
from audio.frames import FRAME_BYTES, FRAME_S, SILENCE, Samples

FRAME = AudioChunk(16_000, 2, 1, SILENCE)


def chunk(samples: Samples, rate_hz: int = 16_000, channels: int = 1) -> AudioChunk:
    return AudioChunk(rate_hz, 2, channels, samples.tobytes())


def tone(rate_hz: int, seconds: float = 1.0, hz: float = 440.0) -> Samples:
    at_s = np.arange(round(seconds * rate_hz)) / rate_hz
    return (10_000 * np.sin(2 * np.pi * hz * at_s)).astype(np.int16)


def heard(sound: SatelliteSound, arrivals: list[float]) -> list[float]:
    """The times of frames that arrive one by one."""
    return [frame.at_s for at_s in arrivals for frame in sound.frames(FRAME, at_s)]


@given(
    late_s=st.lists(st.floats(0.0, 1.5), min_size=2, max_size=60),
    begins_s=st.floats(0.0, 1e6),
)
def test_jitter_does_not_move_the_times(late_s: list[float], begins_s: float) -> None:
    sound = SatelliteSound()
    sound.begin(begins_s)
    due_s = [begins_s + (n + 1) * FRAME_S for n in range(len(late_s))]
    arrivals = np.maximum.accumulate(np.add(due_s, late_s)) + 1e-6
    assert heard(sound, list(arrivals)) == pytest.approx(due_s)


@given(
    steps_s=st.lists(st.floats(0.0, 5.0), min_size=1, max_size=60),
    begins_s=st.sampled_from([float("-inf"), 0.0, 50.0, 1e9]),
)
def test_no_frame_is_in_the_future_or_before_another(steps_s: list[float], begins_s: float) -> None:
    sound = SatelliteSound()
    sound.begin(begins_s)
    arrivals = list(100.0 + np.cumsum(steps_s))
    times = heard(sound, arrivals)
    assert all(
        come_s - LATE_S <= at_s <= come_s for at_s, come_s in zip(times, arrivals, strict=True)
    )
    assert times == sorted(times)


def test_what_was_heard_before_is_sent_at_once_and_keeps_its_times() -> None:
    sound = SatelliteSound()
    sound.begin(99.0)
    times = [frame.at_s for frame in sound.frames(chunk(np.zeros(512 * 31, np.int16)), 100.0)]
    assert times == pytest.approx([99.0 + (n + 1) * FRAME_S for n in range(31)])
    assert sound.ended_s == times[-1]


def test_what_was_heard_before_may_come_late_as_well() -> None:
    sound = SatelliteSound()
    sound.begin(100.0, 1.7)
    assert heard(sound, [101.0, 101.0]) == pytest.approx([98.3 + FRAME_S, 98.3 + 2 * FRAME_S])
    assert sound.came_at_s == 101.0


def test_after_a_gap_the_times_begin_anew() -> None:
    sound = SatelliteSound()
    assert heard(sound, [10.0, 10.5, 13.0, 13.1]) == pytest.approx(
        [10.0, 10.0 + FRAME_S, 13.0, 13.0 + FRAME_S]
    )


def test_what_another_sound_left_is_not_part_of_the_next() -> None:
    sound = SatelliteSound()
    assert list(sound.frames(chunk(np.ones(500, np.int16)), 1.0)) == []
    sound.begin(1.0)
    (frame,) = sound.frames(FRAME, 2.0)
    assert frame == Frame(at_s=1.0 + FRAME_S, samples=SILENCE)


def pieces(samples: Samples, size: int, rate_hz: int, channels: int) -> Iterator[AudioChunk]:
    for start in range(0, len(samples), size * channels):
        yield chunk(samples[start : start + size * channels], rate_hz, channels)


@pytest.mark.parametrize(
    ("rate_hz", "channels"), [(16_000, 1), (16_000, 2), (48_000, 2), (44_100, 1), (8_000, 1)]
)
def test_sound_of_another_form_is_the_same_sound(rate_hz: int, channels: int) -> None:
    sound = SatelliteSound()
    spoken = np.repeat(tone(rate_hz), channels)
    frames = [
        frame
        for piece in pieces(spoken, 1000, rate_hz, channels)
        for frame in sound.frames(piece, 0.0)
    ]
    assert {len(frame.samples) for frame in frames} == {FRAME_BYTES}
    assert 28 <= len(frames) <= 31
    got = np.frombuffer(b"".join(frame.samples for frame in frames), np.int16).astype(float)
    spectrum = np.abs(np.fft.rfft(got * np.hanning(len(got))))
    assert np.argmax(spectrum) * 16_000 / len(got) == pytest.approx(440, abs=2)
    assert abs(got).max() == pytest.approx(10_000, rel=0.05)


def test_what_16_khz_cannot_hold_is_left_out_and_no_other_tone_instead() -> None:
    sound = SatelliteSound()
    whistle = np.repeat(tone(48_000, hz=15_000.0), 2)
    frames = list(sound.frames(chunk(whistle, 48_000, 2), 0.0))
    got = np.frombuffer(b"".join(frame.samples for frame in frames), np.int16)
    assert abs(got[2000:-2000]).max() < 100


def test_two_loud_channels_are_no_louder_together() -> None:
    sound = SatelliteSound()
    (frame,) = sound.frames(chunk(np.full(1024, 30_000, np.int16), channels=2), 0.0)
    assert set(np.frombuffer(frame.samples, np.int16)) == {30_000}


@pytest.mark.parametrize(
    ("rate", "width", "channels"),
    [(0, 2, 1), (1, 2, 1), (16_000, 4, 1), (16_000, 2, 0), (16_000, 2, 65), ("fast", 2, 1)],
)
def test_a_form_that_is_not_taken_is_told(rate: int, width: int, channels: int) -> None:
    chunk_ = AudioChunk(rate, width, channels, SILENCE)
    with pytest.raises(RoomsError, match=f"its sound cannot be used: {rate} Hz"):
        list(SatelliteSound().frames(chunk_, 0.0))


@pytest.mark.parametrize(
    "wrong", [AudioChunk(16_000, 2, 1, b"abc"), AudioChunk(48_000, 2, 2, b"abcdef")]
)
def test_half_a_sample_is_malformed(wrong: AudioChunk) -> None:
    with pytest.raises(MALFORMED):
        list(SatelliteSound().frames(wrong, 0.0))
