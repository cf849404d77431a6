"""Words → named spans: the int8 token classifier for what an assistant needs to know.

Labels are BIO (Ramshaw & Marcus 1995): "B-x" begins a span of x, "I-x" goes on with it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from assistant.core.inference import Session, run, session_of
from assistant.core.manifest import Library
from assistant.core.pieces import as_inputs, load_tokenizer

MODEL = "ner"
_LONGEST = 128


class Span(NamedTuple):
    """The words `start` to `end` (half-open) are a `label`."""

    label: str
    start: int
    end: int
    confidence: float


class Tagger:
    """Finds persons, rooms, devices, titles, dates, numbers and the like among words."""

    def __init__(self, session: Session, tokenizer: Tokenizer, labels: Sequence[str]) -> None:
        self._session = session
        self._tokenizer = tokenizer
        self._labels = labels

    @classmethod
    def load(cls, library: Library, threads: int = 1) -> Tagger:
        """The tagger that ships; raises `ModelError` when it is missing or corrupt."""
        content = library.read(MODEL)
        session = session_of(library, MODEL, "model.onnx", content, threads)
        labels = msgspec.json.decode(content["labels.json"], type=list[str])
        return cls(session, load_tokenizer(content["tokenizer.json"], _LONGEST), labels)

    def tag(self, words: Sequence[str]) -> tuple[Span, ...]:
        """The spans among `words` in their order; none overlap."""
        if not words:
            return ()
        encoded = self._tokenizer.encode(list(words), is_pretokenized=True)
        logits = run(self._session, as_inputs([encoded.ids]))[0]
        firsts: dict[int, int] = {}
        for place, word in enumerate(encoded.word_ids):
            if word is not None:
                firsts.setdefault(word, place)
        return tuple(decode(_probabilities(logits[list(firsts.values())]), self._labels))


def decode(probabilities: NDArray[np.float32], labels: Sequence[str]) -> Iterator[Span]:
    """The spans of float32[words, labels]; an "I-" that continues nothing begins a span."""
    label, start, sure = "", 0, 1.0
    for at, row in enumerate([*probabilities, None]):
        best = labels[int(row.argmax())] if row is not None else "O"
        kind = best.partition("-")[2]
        if label and not (best.startswith("I-") and kind == label):
            yield Span(label, start, at, sure)
            label = ""
        if row is not None and kind:
            confidence = float(row.max())
            if not label:
                label, start, sure = kind, at, confidence
            sure = min(sure, confidence)


def _probabilities(logits: NDArray[np.float32]) -> NDArray[np.float32]:
    powers = np.exp(logits - logits.max(axis=-1, keepdims=True))
    shares: NDArray[np.float32] = powers / powers.sum(axis=-1, keepdims=True)
    return shares
