"""Fits the small network of a phrase in numpy: cross entropy by Adam (Kingma and Ba, 2015)."""

from __future__ import annotations

import numpy as np

from audio.wake.own.detector import Network
from audio.wake.own.embedding import Vectors

UNITS = 32
STEPS = 200
RATE = 2e-3
PENALTY = 3e-4
"""Factor on the squared weights, added to the mean cross entropy."""
_MEANS, _SQUARES, _TINY = 0.9, 0.999, 1e-8


def fit_network(positive: Vectors, negative: Vectors, seed: int = 0) -> Network:
    """A network that tells rows of `positive` from rows of `negative`; both weigh the same."""
    x = np.concatenate([positive, negative]).astype(np.float32)
    target = np.repeat([1.0, 0.0], [len(positive), len(negative)]).astype(np.float32)
    weight = np.where(target > 0, 1 / len(positive), 1 / len(negative)).astype(np.float32)
    random = np.random.default_rng(seed)
    bounds = x.shape[1] ** -0.5, UNITS**-0.5
    weights = [
        random.uniform(-bounds[0], bounds[0], (x.shape[1], UNITS)).astype(np.float32),
        random.uniform(-bounds[0], bounds[0], UNITS).astype(np.float32),
        random.uniform(-bounds[1], bounds[1], UNITS).astype(np.float32),
        np.zeros(1, np.float32),
    ]
    means, squares = [[np.zeros_like(w) for w in weights] for _ in range(2)]
    for step in range(1, STEPS + 1):
        slopes = _slopes(weights, x, target, weight)
        for w, mean, square, slope in zip(weights, means, squares, slopes, strict=True):
            mean += (1 - _MEANS) * (slope - mean)
            square += (1 - _SQUARES) * (slope**2 - square)
            even = np.sqrt(square / (1 - _SQUARES**step)) + _TINY
            w -= RATE * (mean / (1 - _MEANS**step)) / even
    return Network(*weights)


def _slopes(weights: list[Vectors], x: Vectors, target: Vectors, weight: Vectors) -> list[Vectors]:
    hidden, hidden_bias, output, output_bias = weights
    units = np.maximum(x @ hidden + hidden_bias, 0)
    chance = 1 / (1 + np.exp(-np.clip(units @ output + output_bias, -60, 60)))
    wrong = weight * (chance - target)
    back = np.outer(wrong, output) * (units > 0)
    return [
        x.T @ back + 2 * PENALTY * hidden,
        back.sum(axis=0),
        units.T @ wrong + 2 * PENALTY * output,
        wrong.sum(keepdims=True),
    ]
