"""An encoder that needs no model."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from nlu.classifier.encoder import Embeddings

WIDTH = 64


class WordBag:
    """An encoder that gives every word a random direction."""

    def __init__(self) -> None:
        self._known: dict[str, Embeddings] = {}

    def encode(self, texts: Sequence[str]) -> Embeddings:
        made = np.stack([sum(map(self._word, text.split()), np.zeros(WIDTH)) for text in texts])
        lengths = np.linalg.norm(made, axis=1, keepdims=True)
        return np.asarray(made / np.maximum(lengths, 1e-9), np.float32)

    def _word(self, word: str) -> Embeddings:
        if word not in self._known:
            draw = np.random.default_rng(list(word.encode()))
            self._known[word] = draw.normal(size=WIDTH).astype(np.float32)
        return self._known[word]
