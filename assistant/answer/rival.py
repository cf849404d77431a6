"""What answers with another version of a model, beside what answers with the versions in use."""

from __future__ import annotations

from dataclasses import dataclass

from assistant.answer.answers import DocumentAnswers
from assistant.answer.ingest.encoding import PassageEncoding, Turn
from assistant.answer.knowledge.knowledge import Knowledge
from assistant.answer.knowledge.trial_vectors import TrialVectors
from assistant.answer.knowledge.vector_index import VectorIndex
from assistant.answer.retrieval.encoder import PassageEncoder
from assistant.answer.retrieval.reader import Reader
from assistant.answer.retrieval.retriever import Retriever
from assistant.answer.retrieval.search import Searcher
from assistant.core.degraded import Degraded


class OtherReader:
    """Another version of the reader, with vectors of its own of all passages in `knowledge`.

    Those are made by `step`, a slice a call; until that is done it is not `ready`.
    """

    def __init__(self, knowledge: Knowledge, encoder: PassageEncoder) -> None:
        self._knowledge, self._encoder = knowledge, encoder
        self._vectors = TrialVectors(knowledge.vectors)
        index = VectorIndex(self._vectors, encoder.version)
        forgotten = self._vectors.forgotten
        self._encoding = PassageEncoding(self._vectors, index, encoder, forgotten)
        self._generation, self.ready = -1, False
        retriever = Retriever(knowledge, index, encoder, self._vectors)
        self.finder = Searcher(retriever, Reader(encoder), knowledge.passages.people_named)

    def step(self) -> None:
        """Encode some passages, where any wait."""
        generation = self._knowledge.generation
        if self.ready and generation == self._generation:
            return
        self._generation = generation
        self._encoding.follow(generation)
        self.ready = self._encoding.encode() is Turn.IDLE and self._encoding.settle() is Turn.IDLE

    def hand_over(self) -> None:
        """Let the reader in use from now on find its vectors made."""
        self._vectors.hand_over(self._encoder.version)


@dataclass
class Rival:
    """Another version's answers, and the faults that it has had; a `reader`, where that is it."""

    answers: DocumentAnswers
    faults: Degraded
    reader: OtherReader | None = None

    @property
    def ready(self) -> bool:
        """Whether it can answer as well as what is in use."""
        return self.reader is None or self.reader.ready
