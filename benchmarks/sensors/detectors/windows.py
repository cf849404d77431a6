"""The windows of each sensor, and what is known of all together, whatever their number."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from assistant.evaluation.sensors.machines import LEARNT
from assistant.sensors.detection.group import Array

WINDOW = 60
"""Rows of a window: a minute of a row a second."""
MOST = 50.0
"""Most deviations that count."""
_STILL = 1e-9
"""Least deviation of a sensor, in its unit."""

Vectors = NDArray[np.float32]
Embed = Callable[[Vectors], Vectors]
"""float32[n, WINDOW] → float32[n, width]."""


def standardised(readings: Array) -> Vectors:
    """Readings float64[rows, sensors] in deviations of the learnt rows, the large ones as logs."""
    learnt = readings[:LEARNT]
    off = (readings - learnt.mean(0)) / (learnt.std(0) + _STILL)
    off = off.clip(-MOST, MOST)
    return np.asarray(np.sign(off) * np.log1p(np.abs(off)), np.float32)


def windows(standard: Vectors, rows: range) -> Vectors:
    """The windows that end with each of the rows, float32[rows, sensors, WINDOW]."""
    views = np.lib.stride_tricks.sliding_window_view(standard, WINDOW, axis=0)
    chosen: Vectors = views[rows.start - WINDOW + 1 : rows.stop - WINDOW + 1 : rows.step]
    return chosen


def embedded(embed: Embed, given: Vectors) -> Vectors:
    """The vector of each window, float32[rows, sensors, width]."""
    rows, sensors, _ = given.shape
    vectors = embed(np.ascontiguousarray(given).reshape(rows * sensors, WINDOW))
    return vectors.reshape(rows, sensors, -1)


def pooled(vectors: Vectors) -> Vectors:
    """Mean, largest and spread of float32[rows, sensors, width] over the sensors."""
    return np.concatenate([vectors.mean(1), vectors.max(1), vectors.std(1)], axis=1)
