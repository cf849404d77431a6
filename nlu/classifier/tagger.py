"""Words → named spans and the addressee: the int8 model that labels a text word by word.

Labels are BIO (Ramshaw & Marcus 1995): "B-x" begins a span of x, "I-x" continues it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from assistant.core.errors import ModelError
from assistant.core.models.calibration import read_calibration
from assistant.core.models.manifest import Library
from assistant.core.models.session import Session, run_all, session_of
from assistant.core.models.tokens import as_inputs, load_tokenizer
from assistant.core.models.versions import MALFORMED
from nlu.classifier.calibration import SlotCalibration

MODEL = "ner"
_LONGEST = 128


class TaggedSpan(NamedTuple):
    """The words from `start` up to `end`, not including it, are a `label`."""

    label: str
    start: int
    end: int
    confidence: float


class Tagging(NamedTuple):
    """The spans among words, in their order, and how likely an assistant is addressed."""

    spans: tuple[TaggedSpan, ...] = ()
    meant: float = 0.0
    """Log odds that an assistant is addressed, weighed by the calibration; 0 for a command as
    people usually say it."""


class Labels(msgspec.Struct, frozen=True):
    """The labels of the model's outputs, from the `labels.json` beside it."""

    tags: tuple[str, ...]
    addressees: tuple[str, ...]


class Tagger:
    """Finds persons, rooms, devices, titles, dates, numbers and similar spans among words."""

    def __init__(
        self,
        session: Session,
        tokenizer: Tokenizer,
        labels: Labels,
        calibration: SlotCalibration,
    ) -> None:
        self._session = session
        self._tokenizer = tokenizer
        self._labels = labels
        self.calibration = calibration

    @classmethod
    def load(cls, library: Library, threads: int = 1) -> Tagger:
        """The tagger that ships; raises `ModelError` when it is missing or corrupt."""
        content = library.read(MODEL)
        session = session_of(library, MODEL, "model.onnx", content, threads)
        labels = _labels(content["labels.json"], library.artefact(MODEL).outputs)
        calibration = read_calibration(library, MODEL, SlotCalibration)
        return cls(
            session, load_tokenizer(content["tokenizer.json"], _LONGEST), labels, calibration
        )

    def tag(self, words: Sequence[str]) -> Tagging:
        """The spans among `words`, none overlapping, and how likely an assistant is addressed."""
        if not words:
            return Tagging((), self._weighed(0.0))
        encoded = self._tokenizer.encode(list(words), is_pretokenized=True)
        outputs = run_all(self._session, as_inputs([encoded.ids]), ["logits", "addressee"])
        logits, addressee = (rows[0] for rows in outputs)
        firsts: dict[int, int] = {}
        for place, word in enumerate(encoded.word_ids):
            if word is not None:
                firsts.setdefault(word, place)
        tags = _probabilities(logits[list(firsts.values())])
        said_to = dict(zip(self._labels.addressees, addressee, strict=True))
        meant = self._weighed(float(said_to["assistant"] - said_to["other"]))
        return Tagging(tuple(decode(tags, self._labels.tags)), meant)

    def _weighed(self, log_odds: float) -> float:
        known = self.calibration
        within = min(max(log_odds, -known.surest_log_odds), known.surest_log_odds)
        return known.addressed_weight * (within - known.usual_log_odds)


def _labels(content: bytes, outputs: Mapping[str, str]) -> Labels:
    """Read the labels; they must be as many as the manifest's `outputs` are wide."""
    try:
        labels = msgspec.json.decode(content, type=Labels)
    except MALFORMED as error:
        raise ModelError("model.unusable", f"{MODEL}: labels.json: {error}") from error
    for output, names in (("logits", labels.tags), ("addressee", labels.addressees)):
        if not outputs[output].endswith(f" {len(names)}]"):
            message = f"{MODEL}: labels.json names {len(names)} labels for {outputs[output]}"
            raise ModelError("model.unusable", message)
    return labels


def decode(probabilities: NDArray[np.float32], labels: Sequence[str]) -> Iterator[TaggedSpan]:
    """The spans of float32[words, labels]; an "I-" that continues nothing begins a span."""
    label, start, sure = "", 0, 1.0
    for at, row in enumerate([*probabilities, None]):
        best = labels[int(row.argmax())] if row is not None else "O"
        kind = best.partition("-")[2]
        if label and not (best.startswith("I-") and kind == label):
            yield TaggedSpan(label, start, at, sure)
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
