"""The features of microWakeWord: 40 numbers each 10 ms, of the last 30 ms of sound.

They are energies of mel bands without steady noise and with an automatic gain for each band (PCEN,
Wang et al., 2017, "Trainable Frontend for Robust and Far-Field Keyword Spotting"), so that rooms
and microphones differ less. The package `pymicro-wakeword` computes them.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from pymicro_wakeword import MicroWakeWordFeatures

BANDS = 40
FRAME_S, WINDOW_S = 0.01, 0.03
STEPS_A_UNIT = 10
"""Steps of the features that training keeps for one; none exceeds 25.6."""


class Features:
    """Features of a stream of sound."""

    def __init__(self) -> None:
        self._features = MicroWakeWordFeatures()

    def push(self, samples: bytes) -> Iterator[NDArray[np.float32]]:
        """The features, float32[40], that these int16 samples complete."""
        for found in self._features.process_streaming(samples):
            yield np.asarray(found, np.float32).reshape(BANDS)

    def forget(self) -> None:
        """Begin anew, as if nothing had been heard."""
        self._features.reset()
