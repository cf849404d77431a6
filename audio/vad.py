"""Voice activity detection: webrtcvad together with an adaptive noise floor.

webrtcvad takes steady noise (a fan, a tap) for speech. The floor follows such noise within three
seconds by minimum statistics (Martin, 2001: speech dips to the noise between syllables). Sound that
does not rise clearly above the floor is no speech.
"""

from __future__ import annotations

import math
from collections import deque
from typing import NamedTuple

import numpy as np
import webrtcvad

from assistant.core.messages import SAMPLE_RATE_HZ
from audio.frames import FRAME_S, Reblock

BLOCK_BYTES = SAMPLE_RATE_HZ * 30 // 1000 * 2
QUIETEST_DBFS = -90.0
QUIET_ROOM_DBFS = -60.0
FLOOR_WINDOW_S = 3.0
# Measured on commands in kitchen noise: with 8 dB, 13 % of the noise alone counts as speech, with
# 11 dB 5 %; with 12 dB, a command at 6 dB SNR is sometimes split (3 of 40).
MARGIN_DB = 11.0
SMOOTHING = 0.5


class Sound(NamedTuple):
    """What one frame sounds like; levels in dB below full scale."""

    speech: bool
    rms_dbfs: float
    noise_floor_dbfs: float


def dbfs(samples: bytes) -> float:
    """The level of int16 `samples`, at least `QUIETEST_DBFS`."""
    block = np.frombuffer(samples, np.int16).astype(np.float64)
    # Not numpy's mean and logarithm: 30 times a second they cost more than the wake word.
    power = float(block.dot(block)) / len(block) if len(block) else 0.0
    return max(QUIETEST_DBFS, 10 * math.log10(power / 32768**2 + 1e-12))


class NoiseFloor:
    """The lowest smoothed level of the last three seconds; a quiet room until then."""

    def __init__(self) -> None:
        size = round(FLOOR_WINDOW_S / FRAME_S)
        self._levels = deque([QUIET_ROOM_DBFS] * size, maxlen=size)
        self._smoothed_dbfs = QUIET_ROOM_DBFS

    def hear(self, level_dbfs: float) -> float:
        """Take the next frame's level and return the floor."""
        self._smoothed_dbfs += SMOOTHING * (level_dbfs - self._smoothed_dbfs)
        self._levels.append(self._smoothed_dbfs)
        return min(self._levels)


class Vad:
    """Decides for each frame whether it is speech; `aggressiveness` is webrtcvad's mode, 0 to 3."""

    def __init__(self, aggressiveness: int) -> None:
        self._vad = webrtcvad.Vad(aggressiveness)
        self._blocks = Reblock(BLOCK_BYTES)
        self._floor = NoiseFloor()
        self._voiced = False

    def hear(self, samples: bytes) -> Sound:
        """Take the next frame."""
        for block in self._blocks.push(samples):
            self._voiced = self._vad.is_speech(block, SAMPLE_RATE_HZ)
        level_dbfs = dbfs(samples)
        floor_dbfs = self._floor.hear(level_dbfs)
        loud = level_dbfs > floor_dbfs + MARGIN_DB
        return Sound(self._voiced and loud, level_dbfs, floor_dbfs)
