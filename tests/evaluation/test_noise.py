"""Noise lies under speech at the SNR that is asked for."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.core.errors import InputError
from assistant.evaluation.noise import ENERGY_FRAME_SAMPLES, Noise, largest_energy
from audio.frames import Samples


def hiss(samples: int, level: float, seed: int = 1) -> Samples:
    return (np.random.default_rng(seed).normal(size=samples) * level).astype(np.int16)


@pytest.mark.parametrize("snr_db", [24.0, 12.0, 6.0, 0.0])
def test_the_largest_frames_stand_at_the_snr(snr_db: float) -> None:
    speech = hiss(40_000, 3000)
    mixed = Noise(hiss(100_000, 700, seed=2)).under(speech, snr_db)
    laid_under = mixed.astype(np.int32) - speech
    measured_db = 10 * np.log10(largest_energy(speech) / largest_energy(laid_under))
    assert measured_db == pytest.approx(snr_db, abs=0.1)


def test_every_snr_has_the_same_parts_of_the_noise() -> None:
    speech, noise = hiss(5_000, 3000), hiss(100_000, 700, seed=2)
    first, second = Noise(noise), Noise(noise)
    quiet = [first.under(speech, 20.0).astype(float) - speech for _ in range(3)]
    loud = [second.under(speech, 0.0).astype(float) - speech for _ in range(3)]
    for one, other in zip(quiet, loud, strict=True):
        assert np.corrcoef(one, other)[0, 1] > 0.99
    assert abs(np.corrcoef(quiet[0], quiet[1])[0, 1]) < 0.5


@given(st.floats(-40, 60), st.integers(1, 32767))
def test_the_mix_never_wraps_around(snr_db: float, level: int) -> None:
    speech = np.full(4096, level, np.int16)
    mixed = Noise(np.full(5000, 32767, np.int16)).under(speech, snr_db)
    assert (mixed >= 0).all()


def test_a_sine_has_the_energy_of_one_frame() -> None:
    loud = np.zeros(10 * ENERGY_FRAME_SAMPLES, np.int16)
    loud[ENERGY_FRAME_SAMPLES : 2 * ENERGY_FRAME_SAMPLES] = 100
    assert largest_energy(loud) == 100**2 * ENERGY_FRAME_SAMPLES


@pytest.mark.parametrize("noise", [np.ones(10, np.int16), np.zeros(9000, np.int16)])
def test_unusable_noise_is_told(noise: Samples) -> None:
    with pytest.raises(InputError, match="noise"):
        Noise(noise).under(hiss(5_000, 3000), 6.0)
