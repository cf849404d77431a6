"""Half-space trees of river (Tan, Ting and Liu, IJCAI 2011)."""

from __future__ import annotations

import numpy as np
from river.anomaly import HalfSpaceTrees

from assistant.evaluation.sensors.machines import LEARNT
from assistant.sensors.detection.group import Array
from benchmarks.sensors.detectors.thresholds import smoothed

WINDOW = LEARNT // 2
"""Rows of which the trees learn at a time: those before the half of the learnt ones, first."""
USUAL = 0.99
"""Quantile of the scores of the learnt rows' second half to which a score is relative."""
_STILL = 1e-9


def scores(readings: Array) -> Array:
    """The score of each row after those that are learnt, by these alone.

    Trees that learn on take a fault of some minutes for normal: of made-up recordings, F1 0.52 in
    place of 0.58.
    """
    learnt = readings[:LEARNT]
    low, high = learnt.min(0), learnt.max(0)
    # What is learnt lies in the middle half, so that there is room for what is beyond it.
    scaled = ((readings - low) / (high - low + _STILL) / 2 + 0.25).clip(0, 1)
    model = HalfSpaceTrees(n_trees=25, height=8, window_size=WINDOW, seed=1)
    made = []
    for number, row in enumerate(scaled.tolist()):
        named = dict(enumerate(row))
        if number >= WINDOW:
            made.append(model.score_one(named))  # type: ignore[no-untyped-call]
        if number < LEARNT:
            model.learn_one(named)  # type: ignore[no-untyped-call]
    means = smoothed(np.array(made))
    judged = len(readings) - LEARNT
    return np.asarray(means[-judged:] - np.quantile(means[:-judged], USUAL))
