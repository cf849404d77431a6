"""Sentences → embeddings: the int8 sentence encoder that intents are told apart with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from assistant.core.inference import Session, run, session_of
from assistant.core.manifest import Library

Embeddings = NDArray[np.float32]

MODEL = "intent"
_BATCH = 32
_LONGEST = 64
"""Word pieces that are looked at; a command has far fewer."""


class Encoder:
    """Embeds texts; `version` changes with the model."""

    name = MODEL

    def __init__(self, session: Session, tokenizer: Tokenizer, version: str) -> None:
        self._session = session
        self._tokenizer = tokenizer
        self.version = version

    @classmethod
    def load(cls, library: Library, threads: int = 1) -> Encoder:
        """The encoder that ships; raises `ModelError` when it is missing or corrupt."""
        content = library.read(MODEL)
        session = session_of(library, MODEL, "model.onnx", content, threads)
        version = library.expected(MODEL)["model.onnx"]
        return cls(session, load_tokenizer(content["tokenizer.json"], _LONGEST), version)

    def encode(self, texts: Sequence[str]) -> Embeddings:
        """The texts' embeddings, float32[texts, dimensions], each of length 1."""
        encoded = self._tokenizer.encode_batch(list(texts))
        order = sorted(range(len(encoded)), key=lambda i: len(encoded[i].ids))
        made: list[Any] = [None] * len(encoded)
        for at in range(0, len(order), _BATCH):
            batch = order[at : at + _BATCH]  # of like length, so that little is padding
            inputs = as_inputs([encoded[i].ids for i in batch])
            for place, row in zip(batch, run(self._session, inputs), strict=True):
                made[place] = row
        return np.stack(made) if made else np.zeros((0, 0), np.float32)


def load_tokenizer(content: bytes, longest: int) -> Tokenizer:
    """A tokenizer that cuts texts at `longest` pieces and leaves padding to its caller."""
    tokenizer = Tokenizer.from_buffer(content)
    tokenizer.no_padding()
    tokenizer.enable_truncation(longest)
    return tokenizer


def as_inputs(rows: Sequence[Sequence[int]]) -> dict[str, NDArray[np.int64]]:
    """The model's inputs for rows of word piece ids, padded to the longest."""
    width = max(map(len, rows))
    ids = np.zeros((len(rows), width), np.int64)
    mask = np.zeros_like(ids)
    for row, pieces in enumerate(rows):
        ids[row, : len(pieces)] = pieces
        mask[row, : len(pieces)] = 1
    return {"input_ids": ids, "attention_mask": mask}
