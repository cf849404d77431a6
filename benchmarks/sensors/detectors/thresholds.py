"""Scores that can be compared, and the threshold that is best where it is chosen."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from assistant.sensors.detection.group import Array

SMOOTHED = 10
"""Scores whose mean counts, as T² takes the mean of as many rows."""

Wrong = NDArray[np.bool_]


def smoothed(scores: Array) -> Array:
    """The mean of each score and those before it, from the first on that has enough of them."""
    return np.convolve(scores, np.full(SMOOTHED, 1 / SMOOTHED), "valid")


class Rarity:
    """How rare a score is while all is well: 2 is one row in a hundred, 3 one in a thousand.

    `well` are the scores of rows in which all is well, float64[n].
    """

    def __init__(self, well: Array) -> None:
        self._well = np.sort(well)

    def __call__(self, scores: Array) -> Array:
        """The rarity of each score, at most log10 of how many scores are known."""
        as_large = len(self._well) - np.searchsorted(self._well, scores, side="left")
        return np.asarray(np.log10(len(self._well) + 1) - np.log10(as_large + 1))


def best_threshold(wrong: Wrong, scores: Array) -> tuple[float, float]:
    """The threshold from which on a row is called wrong with the largest F1, and that F1."""
    order = np.argsort(-scores, kind="stable")
    falling = scores[order]
    hits, called = np.cumsum(wrong[order]), np.arange(1, len(scores) + 1)
    f1 = 2 * hits / (called + max(int(wrong.sum()), 1))
    whole = np.append(falling[1:] != falling[:-1], True)  # equal scores are called together
    best = int(np.argmax(np.where(whole, f1, -1.0)))
    return float(falling[best]), float(f1[best])
