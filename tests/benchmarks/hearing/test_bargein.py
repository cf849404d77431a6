"""The rooms and the card in which talking over replies is measured."""

from __future__ import annotations

import random

import numpy as np
import pytest

from assistant.core.messages import SAMPLE_RATE_HZ
from audio.frames import FRAME_SAMPLES
from benchmarks.hearing.rooms import (
    SOUND_M_S,
    Loudspeaker,
    Room,
    active_rms,
    compressed,
    spoken_part,
    within,
)

ROOM = Room((5.0, 4.0, 2.5), 0.4, (1.0, 1.0, 1.0), (1.2, 1.0, 1.0), (4.0, 3.0, 1.6))


def test_the_direct_sound_comes_first_and_of_what_is_near_it_is_the_loudest() -> None:
    for source in (ROOM.loudspeaker, ROOM.person):
        metres = float(np.linalg.norm(np.subtract(source, ROOM.microphone)))
        arrives = round(metres / SOUND_M_S * SAMPLE_RATE_HZ)
        assert np.flatnonzero(ROOM.response(source))[0] == arrives
    near = np.abs(ROOM.response(ROOM.loudspeaker))
    assert np.argmax(near) == np.flatnonzero(near)[0]


@pytest.mark.parametrize("t60_s", [0.25, 0.5])
def test_a_room_falls_silent_by_60_db_in_its_time(t60_s: float) -> None:
    response = ROOM._replace(t60_s=t60_s).response(ROOM.person)
    left = np.cumsum(response[::-1] ** 2)[::-1]
    fallen_db = 10 * np.log10(left / left[0])
    # Measured from -5 to -25 dB, as of real rooms (ISO 3382).
    begins, ends = (int(np.argmax(fallen_db < db)) for db in (-5.0, -25.0))
    assert (ends - begins) / SAMPLE_RATE_HZ * 3 == pytest.approx(t60_s, rel=0.35)


def test_frame_by_frame_it_sounds_as_in_one_piece_and_as_late_as_the_card_makes_it() -> None:
    response = ROOM.response(ROOM.loudspeaker)
    samples = np.random.default_rng(0).normal(0, 5000, 20 * FRAME_SAMPLES).astype(np.int16)
    loudspeaker = Loudspeaker(response, drive=1.0, delay_s=0.02)
    heard = np.concatenate([loudspeaker.play(s) for s in np.split(samples, 20)])
    whole = within(compressed(samples.astype(np.float64), 1.0), response)
    late = round(0.02 * SAMPLE_RATE_HZ)
    np.testing.assert_allclose(heard[late:], whole[: len(heard) - late], atol=1e-6)


def test_what_waits_in_an_aborted_loudspeaker_is_never_heard() -> None:
    loudspeaker = Loudspeaker(np.ones(1), drive=1.0, delay_s=0.1)
    loudspeaker.play(np.full(FRAME_SAMPLES, 9000, np.int16))
    loudspeaker.abort()
    assert not any(loudspeaker.play(np.zeros(FRAME_SAMPLES, np.int16)).any() for _ in range(10))


def test_the_level_of_speech_is_that_of_its_loud_parts() -> None:
    tone = 1000 * np.sqrt(2) * np.sin(np.arange(SAMPLE_RATE_HZ) * 0.3)
    sound = np.concatenate([np.zeros(SAMPLE_RATE_HZ), tone, np.zeros(SAMPLE_RATE_HZ)])
    assert active_rms(sound) == pytest.approx(1000, rel=0.01)
    assert len(spoken_part(sound)) == pytest.approx(SAMPLE_RATE_HZ, rel=0.2)


def test_rooms_are_the_same_for_the_same_seed() -> None:
    assert Room.drawn(random.Random(5)) == Room.drawn(random.Random(5))
    assert Room.drawn(random.Random(5)) != Room.drawn(random.Random(6))
