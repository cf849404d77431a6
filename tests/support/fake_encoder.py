"""An encoder in the place of the real one: texts that share words are near each other."""

from __future__ import annotations

import re
import zlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tests.support.calibrations import READER

WIDTH = 64


class FakeEncoder:
    """Adds up a fixed random direction for each word; counts what it is given."""

    calibration = READER

    def __init__(self, version: str = "fake-1") -> None:
        self.version = version
        self.encoded: list[str] = []

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The texts' embeddings, float32[texts, 64], each of length 1."""
        self.encoded += texts
        made = np.zeros((len(texts), WIDTH), np.float32)
        for row, text in zip(made, texts, strict=True):
            for word in re.findall(r"\w+", text.casefold()):
                direction = np.random.default_rng(zlib.crc32(word.encode())).normal(size=WIDTH)
                row += direction.astype(np.float32)
        lengths = np.linalg.norm(made, axis=1, keepdims=True)
        unit: NDArray[np.float32] = made / np.maximum(lengths, 1e-9)
        return unit
