"""How the models of answering answer their canaries."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from assistant.answer.encoder import Encoder
from assistant.answer.passages import Passage
from assistant.answer.reader import Reader
from assistant.answer.retriever import Candidate
from assistant.core.canary import Answer


def of_reader(encoder: Encoder) -> Answer:
    """A question and a passage → the sentence that answers."""
    reader = Reader(encoder)

    def sentence(asked: Mapping[str, str]) -> str:
        passage = Passage(text=asked["passage"], title="")
        readings = reader.read(asked["question"], [Candidate(1, passage, Path(), 1.0)])
        return readings[0].sentence if readings else ""

    return sentence
