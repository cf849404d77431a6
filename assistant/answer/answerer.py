"""Question → one short spoken sentence that says only what its source says.

Three tiers, each with a budget and a breaker: what the generator makes of the sentence that was
found, where it is grounded and quotes it, else that sentence, else a fixed phrase. Answers are
kept until a document changes.
"""

from __future__ import annotations

import re
from collections import Counter, OrderedDict
from collections.abc import Callable, Collection, Mapping, Sequence
from enum import StrEnum
from pathlib import Path
from typing import Protocol

import msgspec

from assistant.answer.finding import Finding
from assistant.answer.grounding import ungrounded
from assistant.answer.quoting import quoted
from assistant.answer.reader import Reading
from assistant.core.errors import AnswerError

NOTHING_FOUND = "I found nothing about that."
LONGEST_SPOKEN = 45
"""Words of a found sentence that is spoken whole."""
KEPT = 256
"""Answers that are kept."""
_WORD = re.compile(r"\w+")


class Tier(StrEnum):
    """What spoke."""

    GENERATOR = "generator"
    EXTRACTED = "extracted"
    DECLINED = "declined"


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What is said to a question, and what it rests on.

    `sentence` and `words` are what was found, `passage` is its id; `certainty` is in logits.
    """

    text: str
    tier: Tier
    sentence: str = ""
    words: str = ""
    title: str = ""
    place: str = ""
    kind: str = ""
    source: Path | None = None
    passage: int = 0
    certainty: float = 0.0


class Finds(Protocol):
    """Retrieval and reading."""

    def find_all(self, questions: Sequence[str]) -> list[Finding]:
        """What is found for each question."""


class Phrases(Protocol):
    """The generator."""

    def phrase(self, question: str, text: str, title: str, answer: str = "") -> str:
        """One sentence that answers `question` with what `text` says; raises `AnswerError`."""


class Answerer:
    """Answers from what `finder` finds; `generation` rises with every change of the documents.

    Without `phraser` the found sentence is spoken. `outcomes` counts tiers and faults by name.
    """

    def __init__(
        self, finder: Finds, phraser: Phrases | None, generation: Callable[[], int]
    ) -> None:
        self._finder, self._phraser, self._generation = finder, phraser, generation
        self._kept: OrderedDict[tuple[str, int], Answer] = OrderedDict()
        self.outcomes: Counter[str] = Counter()

    def answer(self, question: str) -> Answer:
        """The answer, or an honest nothing."""
        (answer,) = self.answer_all([question])
        return answer

    def answer_all(self, questions: Sequence[str]) -> list[Answer]:
        """The answers in the order of the questions, which are encoded together."""
        generation = self._generation()
        keys = [(" ".join(question.lower().split()), generation) for question in questions]
        new = {key: q for key, q in zip(keys, questions, strict=True) if key not in self._kept}
        made = dict(zip(new, map(self._made, new.values(), self._found(new.values())), strict=True))
        self.outcomes["kept"] += len(keys) - len(new)
        self._keep(made)
        return [made[key] if key in made else self._kept[key] for key in keys]

    def _found(self, questions: Collection[str]) -> list[Finding]:
        return self._finder.find_all(list(questions)) if questions else []

    def _keep(self, made: Mapping[tuple[str, int], Answer]) -> None:
        self.outcomes.update(answer.tier for answer in made.values())
        self._kept.update(made)
        while len(self._kept) > KEPT:
            self._kept.popitem(last=False)

    def _made(self, question: str, finding: Finding) -> Answer:
        found = finding.answer
        if found is None:
            return Answer(text=NOTHING_FOUND, tier=Tier.DECLINED)
        if text := self._phrased(question, found):
            return _answer(text, Tier.GENERATOR, found)
        return _answer(spoken(found), Tier.EXTRACTED, found)

    def _phrased(self, question: str, found: Reading) -> str:
        if self._phraser is None:
            return ""
        title = found.candidate.passage.title
        try:
            text = self._phraser.phrase(question, found.sentence, title, found.answer)
        except AnswerError as error:
            self.outcomes[error.code] += 1
            return ""
        if not text or not holds(text, found.answer):
            self.outcomes["empty"] += 1
            return ""
        if ungrounded(text, (found.sentence, found.candidate.passage.text, title)):
            self.outcomes["ungrounded"] += 1
            return ""
        quotation = quoted(text, found.sentence, found.answer)
        self.outcomes["recombined"] += not quotation
        return quotation


def holds(text: str, answer: str) -> bool:
    """Whether any word of the answer is spoken: else the text answers something else."""
    return bool(set(_WORD.findall(answer.lower())) & set(_WORD.findall(text.lower())))


def spoken(found: Reading) -> str:
    """The found sentence, or of a very long one the words around the answer."""
    words = found.sentence.split()
    if len(words) <= LONGEST_SPOKEN:
        return found.sentence
    before = found.sentence.find(found.answer)
    at = len(found.sentence[: max(before, 0)].split())
    start = max(0, min(at - LONGEST_SPOKEN // 2, len(words) - LONGEST_SPOKEN))
    return " ".join(words[start : start + LONGEST_SPOKEN])


def _answer(text: str, tier: Tier, found: Reading) -> Answer:
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
