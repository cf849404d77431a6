"""Sentences → embeddings: the int8 sentence encoder, by which intents are distinguished."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from assistant.core.models.calibration import read_calibration
from assistant.core.models.manifest import Library
from assistant.core.models.session import Session, run, session_of
from assistant.core.models.tokens import as_inputs, batches_by_length, load_tokenizer
from nlu.classifier.calibration import IntentCalibration

Embeddings = NDArray[np.float32]

MODEL = "intent"
_LONGEST = 64
"""Most word pieces of a text that are read; a command has far fewer."""


class SentenceEncoder:
    """Embeds texts; `version` changes with the model, `calibration` is for the head on top."""

    name = MODEL

    def __init__(
        self,
        session: Session,
        tokenizer: Tokenizer,
        version: str,
        calibration: IntentCalibration,
    ) -> None:
        self._session = session
        self._tokenizer = tokenizer
        self.version = version
        self.calibration = calibration

    @classmethod
    def load(cls, library: Library, threads: int = 1) -> SentenceEncoder:
        """The encoder that ships; raises `ModelError` when it is missing or corrupt."""
        content = library.read(MODEL)
        session = session_of(library, MODEL, "model.onnx", content, threads)
        version = library.expected(MODEL)["model.onnx"]
        calibration = read_calibration(library, MODEL, IntentCalibration)
        tokenizer = load_tokenizer(content["tokenizer.json"], _LONGEST)
        return cls(session, tokenizer, version, calibration)

    def encode(self, texts: Sequence[str]) -> Embeddings:
        """The texts' embeddings, float32[texts, dimensions], each of length 1."""
        encoded = self._tokenizer.encode_batch(list(texts))
        made: list[Any] = [None] * len(encoded)
        for batch in batches_by_length([len(e.ids) for e in encoded]):
            inputs = as_inputs([encoded[i].ids for i in batch])
            for place, row in zip(batch, run(self._session, inputs), strict=True):
                made[place] = row
        return np.stack(made) if made else np.zeros((0, 0), np.float32)
