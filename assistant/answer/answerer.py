"""Question → one short spoken sentence that says only what its source says.

Three tiers, each with a budget and a breaker: the generator's own words where they are grounded,
else the sentence that was found, else a fixed phrase. Answers are kept until a document changes.
"""

from __future__ import annotations

import re
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from enum import StrEnum
from pathlib import Path
from typing import Protocol

import msgspec

from assistant.answer.documents import Filter
from assistant.answer.finding import Finding
from assistant.answer.grounding import ungrounded
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
    source: Path | None = None
    passage: int = 0
    certainty: float = 0.0


class Finds(Protocol):
    """Retrieval and reading."""

    def find(self, question: str, within: Filter | None = None) -> Finding:
        """What is found for `question`."""


class Phrases(Protocol):
    """The generator."""

    def phrase(self, question: str, text: str, title: str) -> str:
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
        key = (" ".join(question.lower().split()), self._generation())
        if key in self._kept:
            self._kept.move_to_end(key)
            self.outcomes["kept"] += 1
            return self._kept[key]
        made = self._made(question)
        self.outcomes[made.tier] += 1
        self._kept[key] = made
        if len(self._kept) > KEPT:
            self._kept.popitem(last=False)
        return made

    def _made(self, question: str) -> Answer:
        found = self._finder.find(question).answer
        if found is None:
            return Answer(text=NOTHING_FOUND, tier=Tier.DECLINED)
        for tier, text in self._tiers(question, found):
            if text:
                return _answer(text, tier, found)
        return Answer(text=NOTHING_FOUND, tier=Tier.DECLINED)

    def _tiers(self, question: str, found: Reading) -> Iterator[tuple[Tier, str]]:
        yield Tier.GENERATOR, self._phrased(question, found)
        yield Tier.EXTRACTED, spoken(found)

    def _phrased(self, question: str, found: Reading) -> str:
        if self._phraser is None:
            return ""
        title = found.candidate.passage.title
        try:
            text = self._phraser.phrase(question, found.sentence, title)
        except AnswerError as error:
            self.outcomes[error.code] += 1
            return ""
        if not text or not holds(text, found.answer):
            self.outcomes["empty"] += 1
            return ""
        if ungrounded(text, (found.sentence, found.candidate.passage.text, title)):
            self.outcomes["ungrounded"] += 1
            return ""
        return text


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
        source=candidate.source,
        passage=candidate.id,
        certainty=found.certainty,
    )
