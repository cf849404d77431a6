"""How much an embedding is like those of the known intents, beyond being like any sentence.

The relative Mahalanobis distance (Ren et al. 2021, arXiv:2106.09022): closed forms that a fit of
15,000 sentences gets from one product of matrices.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.floating[Any]]

SHRINKAGE = 0.3
"""Added to the covariance's diagonal, as a share of its mean."""


@dataclass(frozen=True)
class Mahalanobis:
    """Gaussians of all intents with one covariance, beside one Gaussian of all sentences."""

    directions: Array
    """Per intent, float32[labels, width]."""
    offsets: Array
    centres: Array
    """The intents' mean directions, of length 1."""
    within: Array
    """Inverse covariance about the intents' means."""
    around: Array
    """Inverse covariance about the mean of all."""
    mean: Array

    @classmethod
    def fit(cls, embeddings: Array, numbers: NDArray[np.intp]) -> Mahalanobis:
        """From embeddings float32[n, width] and each one's intent 0..labels-1, none missing."""
        counts = np.bincount(numbers).astype(np.float32)
        total = np.zeros((len(counts), embeddings.shape[1]), np.float32)
        np.add.at(total, numbers, embeddings)
        means = total / counts[:, None]
        size = len(embeddings)
        between = (total.T @ means) / size
        mean = embeddings.mean(axis=0)
        square = (embeddings.T @ embeddings) / size
        within = _inverse(square - between)
        directions = means @ within
        return cls(
            directions=directions,
            offsets=-0.5 * (directions * means).sum(axis=1),
            centres=means / np.linalg.norm(means, axis=1, keepdims=True),
            within=within,
            around=_inverse(square - np.outer(mean, mean)),
            mean=mean,
        )

    def features(self, embeddings: Array) -> Array:
        """Nearness to the nearest intent beyond that to all, and its cosine: float32[n, 2]."""
        near = 2 * (embeddings @ self.directions.T + self.offsets).max(axis=1)
        near -= ((embeddings @ self.within) * embeddings).sum(axis=1)
        away = embeddings - self.mean
        near += ((away @ self.around) * away).sum(axis=1)
        return np.stack([near, (embeddings @ self.centres.T).max(axis=1)], axis=1)


def _inverse(covariance: Array) -> Array:
    wide = covariance.astype(np.float64)
    size = len(wide)
    wide[np.diag_indices(size)] += SHRINKAGE * np.trace(wide) / size + 1e-6
    return np.linalg.inv(wide).astype(np.float32)
