"""LightGBM on what the encoder tells of the windows of all sensors."""

from __future__ import annotations

from collections.abc import Sequence

import lightgbm
import numpy as np

from assistant.evaluation.sensors.machines import LEARNT, Recording
from assistant.sensors.detection.group import Array
from benchmarks.sensors.detectors.thresholds import SMOOTHED, Wrong, smoothed
from benchmarks.sensors.detectors.windows import (
    WINDOW,
    Embed,
    Vectors,
    embedded,
    pooled,
    standardised,
    windows,
)

EVERY = 9
"""Every so many-th row of what is trained on."""
AT_ONCE = 256
ROUNDS = 300
PARAMETERS = {
    "objective": "binary",
    "learning_rate": 0.05,
    "num_leaves": 31,
    "min_data_in_leaf": 200,
    "feature_fraction": 0.5,
    "bagging_fraction": 0.7,
    "bagging_freq": 1,
    "lambda_l2": 5.0,
    "num_threads": 1,
    "seed": 1,
    "deterministic": True,
    "verbosity": -1,
}


class Features:
    """What is known of the rows of a recording, of which the first were learnt."""

    def __init__(self, embed: Embed, readings: Array) -> None:
        self._embed, self._standard = embed, standardised(readings)
        usual = embedded(embed, windows(self._standard, range(WINDOW, LEARNT, 2)))
        self._mean, self._deviation = usual.mean(0), usual.std(0) + 0.1 * usual.std()

    def of(self, rows: range) -> Vectors:
        """float32[rows, 6 · width]: the vectors, and how far each is from the learnt ones."""
        vectors = embedded(self._embed, windows(self._standard, rows))
        off = np.abs(vectors - self._mean) / self._deviation
        return np.concatenate([pooled(vectors), pooled(off)], axis=1)


def train(embed: Embed, given: Sequence[Recording]) -> lightgbm.Booster:
    """A classifier of rows, from the rows of recordings after those that are learnt."""
    features, labels = list[Vectors](), list[Wrong]()
    for one in given:
        rows = range(LEARNT, len(one.readings), EVERY)
        features.append(Features(embed, one.readings).of(rows))
        labels.append(one.wrong[LEARNT::EVERY])
    data = lightgbm.Dataset(np.concatenate(features), np.concatenate(labels))
    return lightgbm.train(PARAMETERS, data, ROUNDS)


def scores(embed: Embed, model: lightgbm.Booster, readings: Array, at_once: int = AT_ONCE) -> Array:
    """The smoothed logit of each row after those that are learnt, so many rows at once."""
    features = Features(embed, readings)
    made = [
        model.predict(
            features.of(range(row, min(row + at_once, len(readings)))),
            raw_score=True,
            num_threads=1,
        )
        for row in range(LEARNT - SMOOTHED + 1, len(readings), at_once)
    ]
    return smoothed(np.concatenate(made))
