"""A phrase as it was learnt: how near sound is to the examples, and whether it is that phrase.

    nearness  mean cosine of the last vectors with the examples' vectors
    phrase    a small network's log-odds that it is the phrase, from many synthetic voices
    score     nearness + share · phrase, and the phrase was said where it exceeds the threshold

Neither is enough: examples of a few people take what sounds like these people, and the network has
heard no person.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from audio.wake.own.embedding import Vectors, windows

BOUND = 8.0
"""Most log-odds that count: beyond, the network is only sure."""


class Network(NamedTuple):
    """One hidden layer: x → log-odds."""

    hidden: Vectors
    """float32[width, units]"""
    hidden_bias: Vectors
    output: Vectors
    """float32[units]"""
    output_bias: Vectors

    def __call__(self, x: Vectors) -> Vectors:
        """float32[n, width] → float32[n], within `BOUND`."""
        units = np.maximum(x @ self.hidden + self.hidden_bias, 0)
        odds: Vectors = units @ self.output + self.output_bias
        return odds.clip(-BOUND, BOUND)


class Detector(NamedTuple):
    """A learnt phrase; arrays alone, as they are stored."""

    mean: Vectors
    """float32[96], of other speech"""
    deviation: Vectors
    """float32[96], of other speech"""
    network: Network
    templates: Vectors
    """float32[examples, offsets, width], each row of length 1"""
    share: float
    """Weight of the network's log-odds beside the nearness, from 0 to 1."""
    threshold: float
    """Score that is enough at the usual sensitivity."""
    span: float
    """How much of the score the whole range of sensitivities is."""

    @property
    def length(self) -> int:
        """How many vectors it looks at."""
        return int(self.templates.shape[2]) // len(self.mean)

    def scores(self, vectors: Vectors) -> NDArray[np.float32]:
        """The score of each run of `length` vectors, as the embedding gives them."""
        x = windows((vectors - self.mean) / self.deviation, self.length)
        return nearness(unit(x), self.templates) + self.share * self.network(x)


def unit(rows: Vectors) -> Vectors:
    """Each row divided by its length."""
    sizes = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.maximum(sizes, 1e-6), np.float32)


def nearness(rows: Vectors, templates: Vectors) -> NDArray[np.float32]:
    """Mean over the examples of the best cosine with one of its templates."""
    cosines = np.einsum("nw,eow->neo", rows, templates)
    return np.asarray(cosines.max(axis=2).mean(axis=1), np.float32)
