"""Question → the sentence that answers it, or an honest refusal."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

import msgspec

from assistant.answer.knowledge.people import of_another
from assistant.answer.knowledge.query import Filter, is_about_something, tells
from assistant.answer.retrieval.reader import AnswerSpan, Reader
from assistant.answer.retrieval.retriever import PassageCandidate
from assistant.core.calendar.series import Effort, RuleError, occurrences

READ_FROM = 5
"""Most passages from which the reader chooses."""


class FindsPassages(Protocol):
    """The retriever."""

    def find_all(
        self, questions: Sequence[str], limit: int, within: Filter | None = None
    ) -> list[list[PassageCandidate]]:
        """The passages that may answer each question, the likeliest first."""


class SearchResult(NamedTuple):
    """What was found for a question, the likeliest first: read passages, then the rest."""

    readings: list[AnswerSpan]
    candidates: list[PassageCandidate]

    @classmethod
    def of(cls, readings: list[AnswerSpan], looked_at: Sequence[PassageCandidate]) -> SearchResult:
        """The result with the passages that were not read after those that were."""
        read = {reading.candidate.id for reading in readings}
        rest = [candidate for candidate in looked_at if candidate.id not in read]
        return cls(readings, [*(reading.candidate for reading in readings), *rest])

    @property
    def answer(self) -> AnswerSpan | None:
        """The reading that answers, if one is certain enough."""
        best = self.readings[0] if self.readings else None
        return best if best is not None and best.certain else None


class Searcher:
    """Retrieves and reads; `named` gives the people that a question names."""

    def __init__(
        self,
        retriever: FindsPassages,
        reader: Reader,
        named: Callable[[str], tuple[str, ...]] = lambda question: (),
    ) -> None:
        self._retriever, self._reader, self._named = retriever, reader, named

    def find(self, question: str, within: Filter | None = None) -> SearchResult:
        """The readings and passages for `question`, the best first."""
        (found,) = self.find_all([question], within)
        return found

    def find_all(
        self, questions: Sequence[str], within: Filter | None = None
    ) -> list[SearchResult]:
        """The same for each of several questions, which are encoded together.

        Answers `within` the filter, and those about the people named, come before all others.
        """
        narrowed = [self._narrowed(question, within) for question in questions]
        # What names nothing may go on from what was spoken of, but is not looked for everywhere.
        narrowed = [
            finding if finding is not None or is_about_something(question) else SearchResult([], [])
            for question, finding in zip(questions, narrowed, strict=True)
        ]
        pairs = zip(questions, narrowed, strict=True)
        left = [question for question, finding in pairs if finding is None]
        found = iter(self._retriever.find_all(left, READ_FROM) if left else ())
        return [
            self._read(question, next(found), within) if finding is None else finding
            for question, finding in zip(questions, narrowed, strict=True)
        ]

    def _narrowed(self, question: str, within: Filter | None) -> SearchResult | None:
        """What answers `question` among the passages it seems to be about; None for nothing."""
        people = self._named(question)
        filters = [within] if within is not None and within.narrows else []
        if people:
            about = within or Filter()
            filters.insert(0, msgspec.structs.replace(about, people=people, beside=0))
        effort = Effort()
        for narrow in filters:
            (candidates,) = self._retriever.find_all([question], READ_FROM, narrow)
            then = [c for c in candidates if _is_then(c, narrow, effort)]
            finding = self._read(question, then, narrow)
            if finding.answer is not None:
                return finding
        return SearchResult([], []) if within is not None and within.strict else None

    def _read(
        self, question: str, candidates: list[PassageCandidate], within: Filter | None
    ) -> SearchResult:
        persons = within.naming if within is not None else ()
        candidates = [c for c in candidates if not of_another(question, c.passage, persons)]
        if not candidates or not tells(question):
            return SearchResult([], [])
        return SearchResult.of(self._reader.read(question, candidates, within), candidates)


def _is_then(candidate: PassageCandidate, within: Filter, effort: Effort) -> bool:
    """Whether a repeating event takes place in the period of the question."""
    series, since, until = candidate.passage.series, within.since, within.until
    if series is None or since is None or since.tzinfo is None or until is None:
        return True
    try:
        return any(occurrences(series, since, until, since.tzinfo, effort))
    except RuleError:  # it cannot be told when it takes place
        return False
