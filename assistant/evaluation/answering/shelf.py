"""A data set's passages as the assistant would store them, with nothing else beside them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from assistant.answer.knowledge.knowledge import Knowledge
from assistant.answer.knowledge.passages import Passage
from assistant.answer.knowledge.query import Filter
from assistant.answer.knowledge.vector_index import VectorIndex
from assistant.answer.retrieval.encoder import PassageEncoder
from assistant.answer.retrieval.reader import Reader
from assistant.answer.retrieval.retriever import PassageCandidate, Retriever
from assistant.answer.retrieval.search import Searcher, SearchResult

_ENCODED_AT_ONCE = 32
Progress = Callable[[int, int], None]


class Shelf:
    """Passages in memory, encoded by `encoder`; titles are documents."""

    def __init__(
        self,
        passages: Sequence[Passage],
        encoder: PassageEncoder,
        progress: Progress = lambda done, total: None,
    ) -> None:
        self.knowledge = Knowledge(None)
        for title in dict.fromkeys(passage.title for passage in passages):
            own = [passage for passage in passages if passage.title == title]
            self.knowledge.sources.add(Path("/") / title, title, title, "document", own)
        done = 0
        while waiting := self.knowledge.vectors.unencoded(encoder.version, _ENCODED_AT_ONCE):
            vectors = encoder.encode([text for _, text in waiting])
            self.knowledge.vectors.keep(encoder.version, [i for i, _ in waiting], vectors)
            done += len(waiting)
            progress(done, len(passages))
        self.index = VectorIndex(self.knowledge.vectors, encoder.version)
        self._retriever = Retriever(self.knowledge, self.index, encoder)
        self._reader = Reader(encoder)
        self._finder = Searcher(self._retriever, self._reader)

    def find(self, question: str, without: str = "") -> SearchResult:
        """What is found, or what would be if the document `without` were missing."""
        if not without:
            return self._finder.find(question)
        passages = {s.title: s.passages for s in self.knowledge.sources.all()}
        others = _Others(self._retriever, without, passages[without])
        return Searcher(others, self._reader).find(question)

    def close(self) -> None:
        """Forget the passages."""
        self.knowledge.close()


class _Others:
    """The retriever as if one document were missing."""

    def __init__(self, retriever: Retriever, without: str, further: int) -> None:
        self._retriever, self._without, self._further = retriever, without, further

    def find_all(
        self, questions: Sequence[str], limit: int, within: Filter | None = None
    ) -> list[list[PassageCandidate]]:
        """The passages of the other documents."""
        every = self._retriever.find_all(questions, limit + self._further, within)
        return [[c for c in row if c.passage.title != self._without][:limit] for row in every]
