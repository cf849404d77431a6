"""Sentences → embeddings: the int8 sentence encoder that intents are told apart with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from assistant.core.models.manifest import Library
from assistant.core.models.session import Session, run, session_of
from assistant.core.models.tokens import alike, as_inputs, load_tokenizer

Embeddings = NDArray[np.float32]

MODEL = "intent"
_LONGEST = 64
"""Word pieces that are looked at; a command has far fewer."""


class SentenceEncoder:
    """Embeds texts; `version` changes with the model."""

    name = MODEL

    def __init__(self, session: Session, tokenizer: Tokenizer, version: str) -> None:
        self._session = session
        self._tokenizer = tokenizer
        self.version = version

    @classmethod
    def load(cls, library: Library, threads: int = 1) -> SentenceEncoder:
        """The encoder that ships; raises `ModelError` when it is missing or corrupt."""
        content = library.read(MODEL)
        session = session_of(library, MODEL, "model.onnx", content, threads)
        version = library.expected(MODEL)["model.onnx"]
        return cls(session, load_tokenizer(content["tokenizer.json"], _LONGEST), version)

    def encode(self, texts: Sequence[str]) -> Embeddings:
        """The texts' embeddings, float32[texts, dimensions], each of length 1."""
        encoded = self._tokenizer.encode_batch(list(texts))
        made: list[Any] = [None] * len(encoded)
        for batch in alike([len(e.ids) for e in encoded]):
            inputs = as_inputs([encoded[i].ids for i in batch])
            for place, row in zip(batch, run(self._session, inputs), strict=True):
                made[place] = row
        return np.stack(made) if made else np.zeros((0, 0), np.float32)
