"""Question → the sentence that answers it, or the honest nothing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from assistant.answer.documents import Filter
from assistant.answer.matching import tells
from assistant.answer.reader import Reader, Reading
from assistant.answer.retriever import Candidate

READ_FROM = 5
"""Passages of which the reader may look at the likeliest."""
CERTAIN = 7.9
"""Certainty from which a reading is an answer. Chosen on XQuAD, of whose questions it declines 8 %,
and 82 % once their article is gone; of spoken questions about our own held-out passages 31 %, most
of them such as name nothing, and 76 % of those that sound as if the passage told."""


class Finds(Protocol):
    """The retriever."""

    def find_all(
        self, questions: Sequence[str], limit: int, within: Filter | None = None
    ) -> list[list[Candidate]]:
        """The passages that may answer each question, the likeliest first."""


class Finding(NamedTuple):
    """What was found for a question, the likeliest first: what was read, then the rest."""

    readings: list[Reading]
    candidates: list[Candidate]

    @property
    def answer(self) -> Reading | None:
        """The reading that answers, if one is certain enough."""
        best = self.readings[0] if self.readings else None
        return best if best is not None and best.certainty >= CERTAIN else None


class Searcher:
    """Retrieves and reads."""

    def __init__(self, retriever: Finds, reader: Reader) -> None:
        self._retriever, self._reader = retriever, reader

    def find(self, question: str, within: Filter | None = None) -> Finding:
        """The readings and passages for `question`, in the order of merit."""
        (found,) = self.find_all([question], within)
        return found

    def find_all(self, questions: Sequence[str], within: Filter | None = None) -> list[Finding]:
        """The same for each of several questions, which are encoded together."""
        found = self._retriever.find_all(questions, READ_FROM, within)
        return [self._read(*pair) for pair in zip(questions, found, strict=True)]

    def _read(self, question: str, candidates: list[Candidate]) -> Finding:
        if not candidates or not tells(question):
            return Finding([], [])
        readings = self._reader.read(question, candidates)
        read = {reading.candidate.id for reading in readings}
        rest = [candidate for candidate in candidates if candidate.id not in read]
        return Finding(readings, [*(r.candidate for r in readings), *rest])
