"""The intent head: multinomial logistic regression with a class for what is out of scope."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


class Head:
    """A linear head with a class for what is out of scope."""

    def __init__(self, weights: NDArray[np.float32]) -> None:
        self._weights = weights

    @classmethod
    def fit(
        cls, embeddings: NDArray[np.float32], labels: Sequence[str], negatives: NDArray[np.float32]
    ) -> Head:
        """Fit to labelled embeddings and to those out of scope."""
        names = sorted(set(labels))
        y = np.array([names.index(x) for x in labels] + [len(names)] * len(negatives))
        x = np.concatenate([embeddings, negatives])
        x = np.hstack([x, np.ones((len(x), 1), np.float32)])
        w = np.zeros((x.shape[1], len(names) + 1), np.float32)
        m, v, t = np.zeros_like(w), np.zeros_like(w), 0
        rng = np.random.default_rng(0)
        for epoch in range(40):
            order = rng.permutation(len(x))
            for at in range(0, len(x), 256):
                b = order[at : at + 256]
                z = x[b] @ w * 10
                p = np.exp(z - z.max(1, keepdims=True))
                p /= p.sum(1, keepdims=True)
                p[np.arange(len(b)), y[b]] -= 1
                g = x[b].T @ p / len(b) * 10 + 1e-4 * w
                t += 1
                m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
                step = (m / (1 - 0.9**t)) / (np.sqrt(v / (1 - 0.999**t)) + 1e-8)
                w -= (0.02 * (1 - epoch / 40) * step).astype(np.float32)
        return cls(w)

    def scores(self, embedding: NDArray[np.float32]) -> tuple[NDArray[np.float32], float]:
        """Probabilities of the labels, and that of being in scope."""
        z = np.append(embedding, 1) @ self._weights * 10
        p = np.exp(z - z.max())
        p /= p.sum()
        inside = 1 - float(p[-1])
        return p[:-1] / max(inside, 1e-9), inside
