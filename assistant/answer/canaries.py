"""How the models of answering run their canaries."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from assistant.answer.generation.generator import GenerationBudget, Generator
from assistant.answer.generation.phraser import Phraser
from assistant.answer.knowledge.passages import Passage
from assistant.answer.retrieval.encoder import PassageEncoder
from assistant.answer.retrieval.reader import Reader
from assistant.answer.retrieval.retriever import PassageCandidate
from assistant.core.errors import AnswerError
from assistant.core.models.canary import Answer

_PATIENT = GenerationBudget(tokens=60, seconds=60.0)
"""A long budget: no canary may fail because the machine is busy."""


def of_reader(encoder: PassageEncoder) -> Answer:
    """A question and a passage → the sentence that answers."""
    reader = Reader(encoder)

    def sentence(asked: Mapping[str, str]) -> str:
        passage = Passage(text=asked["passage"], title="")
        readings = reader.read(asked["question"], [PassageCandidate(1, passage, Path(), 1.0)])
        return readings[0].sentence if readings else ""

    return sentence


def of_generator(generator: Generator) -> Answer:
    """A question, the text that answers and its words → what the generator says, "" for nothing."""
    phraser = Phraser(lambda: generator, _PATIENT)

    def said(asked: Mapping[str, str]) -> str:
        try:
            return phraser.phrase(asked["question"], asked["text"], "", asked["answer"])
        except AnswerError:
            return ""

    return said
