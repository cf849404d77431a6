"""Noise under speech, mixed as in the speech-to-intent benchmark.

https://github.com/Picovoice/speech-to-intent-benchmark: the noise is scaled so that the largest
energy of a 2048-sample frame of the speech, compared with that of the noise, gives the SNR.
"""

from __future__ import annotations

import numpy as np

from assistant.core.errors import InputError
from audio.frames import Samples

ENERGY_FRAME_SAMPLES = 2048
LOUDEST = np.iinfo(np.int16).max


class Noise:
    """A noise recording; `seed` chooses the part of it under a clip."""

    def __init__(self, samples: Samples, seed: int = 0) -> None:
        self._samples = samples
        self._random = np.random.default_rng(seed)

    def under(self, speech: Samples, snr_db: float) -> Samples:
        """`speech` with the next part of the noise under it, made quieter if it would clip.

        Raises `InputError` when the noise is shorter than the speech, or silent.
        """
        room = len(self._samples) - len(speech)
        if room < 0:
            raise InputError("noise.short", "the noise is shorter than a clip; give a longer one")
        start = int(self._random.integers(room + 1))
        part = self._samples[start : start + len(speech)]
        if not part.any():
            raise InputError("noise.silent", "the noise is silent where a clip lies over it")
        ratio = largest_energy(speech) / largest_energy(part)
        mixed = speech + part * np.sqrt(ratio / 10 ** (snr_db / 10))
        fitted: Samples = (mixed * min(1.0, LOUDEST / np.abs(mixed).max(initial=1))).astype(
            np.int16
        )
        return fitted


def largest_energy(samples: Samples) -> float:
    """The largest sum of squares of a frame of 2048 samples; the last is padded with zeros."""
    padded = np.pad(samples.astype(np.float64), (0, -len(samples) % ENERGY_FRAME_SAMPLES))
    return float((padded.reshape(-1, ENERGY_FRAME_SAMPLES) ** 2).sum(axis=1).max())
