"""The int8 network that retrieval and reading share: MiniLM-L6 in one session.

A text alone becomes an embedding. When a passage follows a question, each of its pieces gets scores
for being the first and the last of the answer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from tokenizers import Tokenizer

from assistant.answer.retrieval.calibration import ReaderCalibration
from assistant.core.models.calibration import read_calibration
from assistant.core.models.manifest import Library
from assistant.core.models.session import Session, run, session_of
from assistant.core.models.tokens import as_inputs, batches_by_length, load_tokenizer, padded

Embeddings = NDArray[np.float32]

MODEL = "reader"
WIDTH = 384
LONGEST = 256
"""Most pieces of a text that are read: some 190 words."""
LONGEST_PAIR = 320
"""Most pieces of a question and a passage; the rest of the longer one, usually the passage, is not
read."""


class Scored(NamedTuple):
    """The network's scores for a question and one passage."""

    spans: NDArray[np.float32]
    """float32[pieces, 2]: scores of each piece of the passage as the answer's first and last."""
    places: Sequence[tuple[int, int]]
    """Positions of the pieces' first and last character in the passage."""
    none: float
    """Score that the passage has no answer."""


class PassageEncoder:
    """Embeds texts and scores the pieces of passages; `version` changes with the model.

    `calibration` says what its scores are worth. `open_network` gives session and tokenizer at the
    first use, so that users without documents do not pay for them; its errors are raised then.
    """

    name = MODEL

    def __init__(
        self,
        open_network: Callable[[], tuple[Session, bytes]],
        version: str,
        calibration: ReaderCalibration,
    ) -> None:
        self._open_network = open_network
        self.version = version
        self.calibration = calibration

    @classmethod
    def load(cls, library: Library, threads: int = 1) -> PassageEncoder:
        """The network in use; raises `ModelError` when it is missing or, at first use, corrupt."""

        def open_network() -> tuple[Session, bytes]:
            content = library.read(MODEL)
            session = session_of(library, MODEL, "model.onnx", content, threads)
            return session, content["tokenizer.json"]

        calibration = read_calibration(library, MODEL, ReaderCalibration)
        return cls(open_network, library.expected(MODEL)["model.onnx"], calibration)

    @cached_property
    def _network(self) -> tuple[Session, Tokenizer, Tokenizer]:
        """Session, and the tokenizers of texts alone and of pairs."""
        session, tokenizer = self._open_network()
        single = load_tokenizer(tokenizer, LONGEST)
        return session, single, load_tokenizer(tokenizer, LONGEST_PAIR)

    def encode(self, texts: Sequence[str]) -> Embeddings:
        """The texts' embeddings, float32[texts, 384], each of length 1."""
        session, tokenizer, _ = self._network
        encoded = tokenizer.encode_batch(list(texts))
        made: Any = np.zeros((len(encoded), WIDTH), np.float32)
        for batch in batches_by_length([len(e.ids) for e in encoded]):
            inputs = as_inputs([encoded[i].ids for i in batch])
            inputs["token_type_ids"] = np.zeros_like(inputs["input_ids"])
            made[batch] = run(session, inputs, "embedding")
        return made  # type: ignore[no-any-return]

    def score(self, question: str, passages: Sequence[str]) -> list[Scored]:
        """The scores of each passage's pieces to answer `question`."""
        if not passages:
            return []
        session, _, tokenizer = self._network
        encoded = tokenizer.encode_batch([(question, passage) for passage in passages])
        inputs = as_inputs([e.ids for e in encoded])
        inputs["token_type_ids"] = padded([e.type_ids for e in encoded])
        spans = run(session, inputs, "spans")
        return [_of_passage(e, row) for e, row in zip(encoded, spans, strict=True)]


def _of_passage(encoded: Any, spans: NDArray[np.float32]) -> Scored:
    own = [i for i, sequence in enumerate(encoded.sequence_ids) if sequence == 1]
    places = [encoded.offsets[i] for i in own]
    return Scored(spans[own], places, float(spans[0].sum()))
