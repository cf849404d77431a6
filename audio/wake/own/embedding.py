"""Our speech embedding: 96 numbers each 80 ms for the last 0.79 s of sound.

A small convolutional network tells from them the phones at six moments of these 0.79 s, whoever
says them, so that the same word of two speakers lies near; cepstra do not. It was trained on
synthetic voices alone (`models/training/embedding.py`).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from assistant.core.errors import ModelError, WakeWordError
from assistant.core.models.manifest import Library
from assistant.core.models.session import open_session, run
from audio.frames import FRAME_BYTES, Reblock
from audio.wake.own.features import FRAME_S, WINDOW_S, Features

Vectors = NDArray[np.float32]

MODEL, FILE = "wake", "embedding.onnx"
WIDTH = 96
FRAMES, STEP_FRAMES = 77, 8
"""Frames of features that a vector covers, and from one vector to the next."""
STEP_S = STEP_FRAMES * FRAME_S
"""Seconds between two vectors."""
SPAN_S = (FRAMES - 1) * FRAME_S + WINDOW_S
"""Seconds of sound that one vector covers."""


class SpeechEmbedding:
    """Vectors of a stream of sound; raises `WakeWordError` where its model cannot run."""

    def __init__(self, library: Library) -> None:
        try:
            self._session = open_session(library, MODEL, FILE)
        except ModelError as error:
            message = f"enrolled wake words cannot be heard: {error.message}"
            raise WakeWordError("wake.embedding", message) from error
        self._features = Features()
        self._frames: deque[NDArray[np.float32]] = deque(maxlen=FRAMES)
        self._missing = FRAMES

    def forget(self) -> None:
        """Begin anew, as if nothing had been heard."""
        self._features.forget()
        self._frames.clear()
        self._missing = FRAMES

    def push(self, samples: bytes) -> Iterator[Vectors]:
        """The vectors, float32[96], that these int16 samples complete."""
        for frame in self._features.push(samples):
            self._frames.append(frame)
            self._missing -= 1
            if not self._missing:
                self._missing = STEP_FRAMES
                yield run(self._session, {"features": np.array(self._frames)[None]})[0, 0]

    def of(self, sound: NDArray[np.int16]) -> Vectors:
        """All vectors of `sound` as float32[n, 96]; number i ends at i · 0.08 + 0.79 s."""
        self.forget()
        blocks = Reblock(FRAME_BYTES)
        found = [v for block in blocks.push(sound.tobytes()) for v in self.push(block)]
        return np.array(found, np.float32).reshape(-1, WIDTH)


def windows(vectors: Vectors, length: int) -> Vectors:
    """Every run of `length` vectors as one row: float32[n, length · 96]."""
    if len(vectors) < length:
        return np.zeros((0, length * WIDTH), np.float32)
    runs = np.lib.stride_tricks.sliding_window_view(vectors, (length, WIDTH))
    return runs.reshape(-1, length * WIDTH)
