"""Question → one short spoken sentence that says only what its source says.

Three tiers, each with a budget and a breaker: the generator's wording of the found sentence, if it
is grounded and quotes that sentence; else the sentence itself; else a fixed phrase. Answers are
kept until a document changes.
"""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Callable, Sequence
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import Protocol

import msgspec

from assistant.answer.generation.grounding import ungrounded
from assistant.answer.generation.phrases import Phrases
from assistant.answer.generation.quotation import quoted
from assistant.answer.generation.token_scheduler import Steps, finished
from assistant.answer.knowledge.query import Filter
from assistant.answer.retrieval.mentions import holds as named_in
from assistant.answer.retrieval.reader import AnswerSpan
from assistant.answer.retrieval.search import SearchResult
from assistant.core.errors import AnswerError
from assistant.english.asking.mentions import named
from assistant.english.words import words

NOTHING_FOUND = "I don't know; I found no answer in your documents."
LONGEST_SPOKEN = 45
"""Most words of a found sentence that is spoken whole."""
KEPT = 256
"""Most answers that are kept."""
TIME_FAULTS = frozenset(("answer.late", "answer.overloaded"))
"""Codes of answers for whose wording there was no time."""
TRANSIENT_FAULTS = TIME_FAULTS | {"answer.resting"}
"""Passing faults, which say nothing about the question: answers given despite them are not kept."""

Key = tuple[str, int, Filter | None]
"""What an answer is kept by: the question's words, the documents' generation, and the filter."""


class AnswerTier(StrEnum):
    """The tier that gave the answer."""

    GENERATOR = "generator"
    EXTRACTED = "extracted"
    HUB = "hub"
    DECLINED = "declined"


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What is said to a question, and what it rests on."""

    text: str
    tier: AnswerTier
    sentence: str = ""
    """The sentence that was found."""
    words: str = ""
    """The words in it that answer."""
    title: str = ""
    place: str = ""
    kind: str = ""
    source: Path | None = None
    passage: int = 0
    """The id of the passage that was found."""
    certainty: float = 0.0
    """How sure it is that there is an answer, in logits."""
    moment: datetime | None = None
    """When the event takes place that is told, where it is one."""


class FindsAnswers(Protocol):
    """Retrieval and reading."""

    def find_all(
        self, questions: Sequence[str], within: Filter | None = None
    ) -> list[SearchResult]:
        """What is found for each question; what is `within` the filter comes before all else."""


class Answerer:
    """Answers from what `finder` finds; `generation` rises with every change of the documents.

    Without `phraser` the found sentence is spoken. `outcomes` counts tiers and faults by name.
    """

    def __init__(
        self, finder: FindsAnswers, phraser: Phrases | None, generation: Callable[[], int]
    ) -> None:
        self._finder, self._phraser, self._generation = finder, phraser, generation
        self._kept: OrderedDict[Key, Answer] = OrderedDict()
        self.outcomes: Counter[str] = Counter()

    def beside(
        self, finder: FindsAnswers | None = None, phraser: Phrases | None = None
    ) -> Answerer:
        """One that finds, or words, in another way."""
        return Answerer(finder or self._finder, phraser or self._phraser, self._generation)

    def answer(self, question: str) -> Answer:
        """The answer, or an honest refusal."""
        return finished(self.answering(question))

    def answering(
        self,
        question: str,
        outcomes: Counter[str] | None = None,
        within: Filter | None = None,
    ) -> Steps[Answer]:
        """The same in steps, a token of the generator each; `outcomes` counts how it went too."""
        ((key, found),) = self._found([question], within)
        return (yield from self._answering(key, question, found, outcomes))

    def answering_all(self, questions: Sequence[str]) -> list[Steps[Answer]]:
        """The steps to each question's answer, in their order; they are encoded together."""
        pairs = zip(questions, self._found(questions), strict=True)
        return [self._answering(key, question, found) for question, (key, found) in pairs]

    def _found(
        self, questions: Sequence[str], within: Filter | None = None
    ) -> list[tuple[Key, SearchResult | Answer]]:
        """For each question its key, and what is found for it, or its answer if that is kept."""
        generation = self._generation()
        keys = [(" ".join(question.lower().split()), generation, within) for question in questions]
        new = {key: q for key, q in zip(keys, questions, strict=True) if key not in self._kept}
        findings = self._finder.find_all(list(new.values()), within) if new else []
        found = dict(zip(new, findings, strict=True))
        return [(key, found[key] if key in found else self._kept[key]) for key in keys]

    def _answering(
        self,
        key: Key,
        question: str,
        found: SearchResult | Answer,
        outcomes: Counter[str] | None = None,
    ) -> Steps[Answer]:
        counts: Counter[str] = Counter()
        if isinstance(found, SearchResult):
            made = yield from self._made(question, found, counts)
            counts[made.tier] += 1
            if not TRANSIENT_FAULTS & counts.keys():
                self._keep(key, made)
        else:
            made = found
            counts["kept"] += 1
        for counted in (self.outcomes, outcomes):
            if counted is not None:
                counted.update(counts)
        return made

    def _keep(self, key: Key, made: Answer) -> None:
        self._kept[key] = made
        while len(self._kept) > KEPT:
            self._kept.popitem(last=False)

    def _made(self, question: str, finding: SearchResult, counts: Counter[str]) -> Steps[Answer]:
        found = finding.answer
        if found is None:
            return Answer(text=NOTHING_FOUND, tier=AnswerTier.DECLINED)
        if found.said:
            return _answer(found.said, AnswerTier.EXTRACTED, found)
        if text := (yield from self._phrased(question, found, counts)):
            return _answer(text, AnswerTier.GENERATOR, found)
        return _answer(spoken(found), AnswerTier.EXTRACTED, found)

    def _phrased(self, question: str, found: AnswerSpan, counts: Counter[str]) -> Steps[str]:
        if self._phraser is None:
            return ""
        title = found.candidate.passage.title
        try:
            text = yield from self._phraser.phrasing(question, found.sentence, title, found.answer)
        except AnswerError as error:
            counts[error.code] += 1
            return ""
        if not text or not holds(text, found.answer) or _leaves_out(text, question, found.sentence):
            counts["empty"] += 1
            return ""
        if ungrounded(text, (found.sentence, found.candidate.passage.text, title)):
            counts["ungrounded"] += 1
            return ""
        quotation = quoted(text, found.sentence, found.answer)
        counts["recombined"] += not quotation
        return quotation


def holds(text: str, answer: str) -> bool:
    """Whether any word of the answer is spoken; if none is, the text answers something else."""
    return not set(words(answer)).isdisjoint(words(text))


def _leaves_out(text: str, question: str, sentence: str) -> bool:
    """Whether `text` says less than the sentence does of what the question names."""
    said, told = frozenset(words(text)), frozenset(words(sentence))
    return any(named_in(told, word) and not named_in(said, word) for word in named(question))


def spoken(found: AnswerSpan) -> str:
    """The found sentence, or the words around the answer if the sentence is very long."""
    said = found.sentence.split()
    if len(said) <= LONGEST_SPOKEN:
        return found.sentence
    before = found.sentence.find(found.answer)
    at = len(found.sentence[: max(before, 0)].split())
    start = max(0, min(at - LONGEST_SPOKEN // 2, len(said) - LONGEST_SPOKEN))
    return " ".join(said[start : start + LONGEST_SPOKEN])


def _answer(text: str, tier: AnswerTier, found: AnswerSpan) -> Answer:
    candidate = found.candidate
    return Answer(
        text=text,
        tier=tier,
        sentence=found.sentence,
        words=found.answer,
        title=candidate.passage.title,
        place=candidate.passage.place,
        kind=candidate.passage.kind,
        source=candidate.source,
        passage=candidate.id,
        certainty=found.certainty,
    )
