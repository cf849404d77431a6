"""Sounds of situations: a whisper, a voice from across the room, one that breaks off."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

RATE = 16_000
_ORDER, _WINDOW, _STEP = 18, 400, 200

Sound = NDArray[np.float64]


def whispered(voice: Sound) -> Sound:
    """The voice without its tone: linear prediction, excited by noise (Makhoul 1975)."""
    draw, shape = np.random.default_rng(0), np.hanning(_WINDOW)
    out = np.zeros(len(voice) + _WINDOW)
    for at in range(0, len(voice) - _WINDOW, _STEP):
        frame = voice[at : at + _WINDOW] * shape
        likeness = np.correlate(frame, frame, "full")[_WINDOW - 1 : _WINDOW + _ORDER]
        if likeness[0] < 1e3:
            continue
        left_out = [[likeness[abs(a - b)] for b in range(_ORDER)] for a in range(_ORDER)]
        matrix = np.array(left_out) + np.eye(_ORDER) * likeness[0] * 1e-4
        weights = np.linalg.solve(matrix, likeness[1 : _ORDER + 1])
        left = max(likeness[0] - weights @ likeness[1 : _ORDER + 1], 0.0) / _WINDOW
        spoken = np.zeros(_ORDER + _WINDOW)
        for place, noise in enumerate(draw.normal(0.0, np.sqrt(left), _WINDOW), start=_ORDER):
            spoken[place] = noise + weights @ spoken[place - _ORDER : place][::-1]
        out[at : at + _WINDOW] += spoken[_ORDER:] * shape
    return out


def across_the_room(voice: Sound) -> Sound:
    """The voice at a quarter of its level, with the echoes of a room of 0.4 s."""
    draw, seconds = np.random.default_rng(0), np.arange(int(0.4 * RATE)) / RATE
    echoes = 0.05 * draw.normal(0.0, 1.0, len(seconds)) * np.exp(-6.9 * seconds / 0.4)
    echoes[0] = 0.3
    return np.convolve(voice, echoes) * 0.25
