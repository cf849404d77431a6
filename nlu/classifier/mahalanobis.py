"""How much nearer an embedding is to the known intents than to sentences in general.

This is the relative Mahalanobis distance (Ren et al. 2021, arXiv:2106.09022). Its fit has a closed
form: 15,000 sentences take one product of matrices.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.floating[Any]]

SHRINKAGE = 0.3
"""Share of the mean of the covariance's diagonal that is added to the diagonal."""


@dataclass(frozen=True)
class Mahalanobis:
    """One Gaussian for each intent, all with one covariance, and one Gaussian of all sentences."""

    directions: Array
    """Each intent's mean times `within`, float32[labels, width]."""
    offsets: Array
    centres: Array
    """The intents' mean directions, of length 1."""
    within: Array
    """Inverse of the covariance about the intents' means."""
    around: Array
    """Inverse of the covariance about the mean of all sentences."""
    mean: Array

    @classmethod
    def fit(cls, embeddings: Array, numbers: NDArray[np.intp]) -> Mahalanobis:
        """Fit to embeddings float32[n, width] and each one's intent 0..labels-1, none missing."""
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
        """Features float32[n, 2]: how much nearer the nearest intent is than all, and a cosine.

        The cosine is the greatest with any intent's mean.
        """
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
