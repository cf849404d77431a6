"""The interface of a voice, and the sound that it gives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

AUDIBLE = 200
"""Amplitude of int16 samples above which a voice speaks; below it there is a pause."""
LEAD_S, TRAIL_S = 0.01, 0.1


@dataclass(frozen=True)
class Samples:
    """Mono int16 samples at `rate_hz`."""

    pcm: NDArray[np.int16]
    rate_hz: int

    @property
    def duration_s(self) -> float:
        """How long it sounds, in seconds."""
        return len(self.pcm) / self.rate_hz


class Voice(Protocol):
    """Makes one sentence audible."""

    name: str

    def synthesise(self, text: str) -> Samples:
        """The sound of `text`, without pauses at its ends; raises `SpeakingError`."""


def trim(samples: Samples) -> Samples:
    """Cut the silence at both ends down to 10 ms before and 100 ms after.

    flite's voices begin with 170 to 240 ms of silence, which the user would wait for.
    """
    loud = np.flatnonzero(np.abs(samples.pcm.astype(np.int32)) > AUDIBLE)
    if not len(loud):
        return Samples(samples.pcm[:0], samples.rate_hz)
    begin = max(0, int(loud[0]) - int(LEAD_S * samples.rate_hz))
    end = int(loud[-1]) + 1 + int(TRAIL_S * samples.rate_hz)
    return Samples(samples.pcm[begin:end], samples.rate_hz)
