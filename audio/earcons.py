"""Short sounds instead of words: heard, done, failed, muted. All are made here, from sine waves."""

from __future__ import annotations

import numpy as np

from assistant.core.messages import SAMPLE_RATE_HZ
from audio.frames import Samples

LOUDNESS = 0.18
FADE_S = 0.012

# Each tone is (Hz, seconds).
HEARD = ((880.0, 0.045), (1318.5, 0.06))
DONE = ((1046.5, 0.06), (1568.0, 0.09))
FAILED = ((392.0, 0.11), (311.1, 0.16))
MUTED = ((880.0, 0.08), (659.3, 0.08), (440.0, 0.14))
UNMUTED = ((440.0, 0.08), (659.3, 0.08), (880.0, 0.14))


def earcon(tones: tuple[tuple[float, float], ...]) -> Samples:
    """The tones one after another, 16 kHz mono, each faded in and out so that it does not click."""
    return np.concatenate([_tone(hz, seconds) for hz, seconds in tones])


def _tone(hz: float, seconds: float) -> Samples:
    times_s = np.arange(round(seconds * SAMPLE_RATE_HZ)) / SAMPLE_RATE_HZ
    edges = np.minimum(times_s, times_s[::-1]) / FADE_S
    wave = np.sin(2 * np.pi * hz * times_s) * np.clip(edges, 0.0, 1.0)
    return (wave * LOUDNESS * 32767).astype(np.int16)
