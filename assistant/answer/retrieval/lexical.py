"""Answers by words alone, for when the reading network is missing or damaged.

BM25 finds passages. Of their sentences the one with most of the question's significant words is the
answer, if it has enough of them. That is right less often than reading, and declines more.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from assistant.answer.answerer import FindsAnswers
from assistant.answer.knowledge.passage_store import PassageStore
from assistant.answer.knowledge.people import of_another
from assistant.answer.knowledge.query import Filter, telling, tells
from assistant.answer.retrieval.reader import AnswerSpan, Rarity, heading_of
from assistant.answer.retrieval.retriever import PassageCandidate
from assistant.answer.retrieval.search import READ_FROM, SearchResult
from assistant.core.degraded import Degraded
from assistant.core.errors import ModelError
from assistant.english.sentences import sentences

ENOUGH = 0.4
"""Share of the question's words, weighted by rarity, from which a sentence is an answer. Chosen on
XQuAD: 14 % of its questions are declined, and 94 % once their article is gone; of two passages
alone, 19 % and 99 %."""
CERTAINTY = 7.9
"""Certainty of an answer on the scale of the shipped network: just enough there."""
UNSEEN = 1
"""Number of sentences that an unseen word counts as being in. Among few sentences unseen words
otherwise outweigh the others, and of two passages 26 % are declined."""
BM25_SHARE = 0.2
"""Weight of BM25, as a share of the best passage's, beside the words of the sentence."""


class FallbackFinder:
    """Finds answers with `finder`, and with `words` once the network of `finder` fails to load."""

    def __init__(self, finder: FindsAnswers, words: FindsAnswers, faults: Degraded) -> None:
        self._finder, self._words, self._faults = finder, words, faults
        self._reads = True

    def find_all(
        self, questions: Sequence[str], within: Filter | None = None
    ) -> list[SearchResult]:
        """What is found for each question; what is `within` the filter comes before all else."""
        try:
            if self._reads:
                return self._finder.find_all(questions, within)
        except ModelError as error:
            self._faults.note("reader", error)
            self._reads = False
        return self._words.find_all(questions, within)


class LexicalSearcher:
    """Finds sentences in `passages`."""

    def __init__(self, passages: PassageStore) -> None:
        self._passages = passages

    def find_all(
        self, questions: Sequence[str], within: Filter | None = None
    ) -> list[SearchResult]:
        """The best sentence of each passage that has one, the likeliest first."""
        return [self._find(question, within) for question in questions]

    def _find(self, question: str, within: Filter | None) -> SearchResult:
        if not tells(question):
            return SearchResult([], [])
        found = by_words(question, self._candidates(question, within))
        if within is not None and within.narrows and not within.strict and found.answer is None:
            return self._find(question, Filter(naming=within.naming))
        return found

    def _candidates(self, question: str, within: Filter | None) -> list[PassageCandidate]:
        scores = dict(self._passages.matching(question, READ_FROM, within))
        most = max(scores.values(), default=1.0)
        persons = within.naming if within is not None else ()
        return [
            PassageCandidate(stored.id, stored.passage, stored.source, scores[stored.id] / most)
            for stored in self._passages.read(list(scores))
            if not of_another(question, stored.passage, persons)
        ]


def by_words(question: str, candidates: Sequence[PassageCandidate]) -> SearchResult:
    """The sentences of `candidates` that have most of the question's words."""
    texts = [candidate.passage.text for candidate in candidates]
    rarity = Rarity(" ".join(telling(question)), texts, UNSEEN)
    best = [max(_readings(c, rarity), key=lambda r: r.score, default=None) for c in candidates]
    readings = sorted((r for r in best if r is not None), key=lambda r: r.score, reverse=True)
    return SearchResult.of(readings, candidates)


def _readings(candidate: PassageCandidate, rarity: Rarity) -> Iterator[AnswerSpan]:
    for sentence in sentences(candidate.passage.text):
        shared = rarity.share(f"{heading_of(candidate)} {sentence}")
        yield AnswerSpan(
            candidate=candidate,
            sentence=sentence,
            answer=sentence,
            score=shared + BM25_SHARE * candidate.score,
            certainty=CERTAINTY if shared >= ENOUGH else 0.0,
            certain=shared >= ENOUGH,
        )
