"""A document, or a part of it, in two or three spoken sentences, or in as many words as wished."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, islice
from pathlib import Path
from typing import NamedTuple, Protocol

from assistant.answer.generation.grounding import ungrounded
from assistant.answer.generation.phrases import Phrases
from assistant.answer.generation.token_scheduler import Steps, finished
from assistant.answer.knowledge.passages import Passage
from assistant.answer.knowledge.sources import DocumentSource
from assistant.answer.summary.salience import Encodes, SummaryBudget, central
from assistant.answer.summary.self_contained import SHORTEST_WORDS
from assistant.answer.summary.titles import inside, named
from assistant.core.degraded import Degraded
from assistant.core.errors import AnswerError, ModelError
from assistant.english.clauses import STATEMENT_ENDS, TAKEN_BACK
from assistant.english.sentences import sentences

BUDGET = SummaryBudget()
FEWEST_WORDS, MOST_WORDS = 20, 1000
"""How long a summary may be wished."""
LONG_ENOUGH = 12
"""Fewest words of a sentence that may be shortened."""


class SpokenSentence(NamedTuple):
    """A spoken sentence and the sentence of the document that it rests on."""

    text: str
    source: str


class Summary(NamedTuple):
    """A summary of a document, or of the `place` in it, and where that is."""

    sentences: tuple[SpokenSentence, ...]
    title: str
    place: str
    source: Path

    @property
    def text(self) -> str:
        """All of it as it is spoken."""
        return " ".join(said.text for said in self.sentences)


class HoldsDocuments(Protocol):
    """The documents (`SourceStore`)."""

    def all(self) -> list[DocumentSource]:
        """Every document."""

    def passages(self, source: Path) -> list[Passage]:
        """What a document holds, in order."""


class Summariser:
    """Summarises what `documents` hold; `phraser`, if there is one, shortens sentences.

    Without a sound `encoder`, which is reported to `faults`, the first sentences are the summary.
    """

    def __init__(
        self,
        documents: HoldsDocuments,
        encoder: Encodes | None,
        phraser: Phrases | None = None,
        faults: Degraded | None = None,
    ) -> None:
        self._documents, self._encoder, self._phraser = documents, encoder, phraser
        self._faults = faults or Degraded("answer")

    def summarise(self, name: str, words: int | None = None) -> Summary:
        """The summary of what `name` names, such as "the cleaning chapter of the oven manual".

        It has two or three sentences, or as many as fit into `words`. Raises `AnswerError` with
        one line for people when there is no such thing, no text in it, or no such length.
        """
        return finished(self.summarising(name, words))

    def summarising(self, name: str, words: int | None = None) -> Steps[Summary]:
        """The same in steps, a token of the generator each."""
        budget = BUDGET if words is None else _budget(words)
        held: dict[Path, list[Passage]] = {}

        def places(document: DocumentSource) -> list[str]:
            held[document.path] = self._documents.passages(document.path)
            return [passage.place for passage in held[document.path]]

        known = [source for source in self._documents.all() if source.passages]
        document, place = named(name, known, places)
        passages = held.get(document.path) or self._documents.passages(document.path)
        own = [passage for passage in passages if inside(passage.place, place)]
        said = []
        for text in self._chosen(own, document.title, budget):
            said.append((yield from self._said(text, document.title)))
        return Summary(tuple(said), document.title, place, document.path)

    def _chosen(self, passages: Sequence[Passage], title: str, budget: SummaryBudget) -> list[str]:
        """All sentences if there are no more than are wanted, else the central ones."""
        every = (text for passage in passages for text in sentences(passage.text))
        first = list(islice(every, budget.sentences + 1))
        leading = _leading(first, budget)
        return (
            first
            if len(leading) == len(first)
            else self._central(passages, title, budget) or leading
        )

    def _central(self, passages: Sequence[Passage], title: str, budget: SummaryBudget) -> list[str]:
        if self._encoder is None:
            return []
        try:
            return central(passages, title, self._encoder, budget)
        except ModelError as error:
            self._faults.note("reader", error)
            return []

    def _said(self, sentence: str, title: str) -> Steps[SpokenSentence]:
        text = (yield from self._shorter(sentence, title)) or sentence
        return SpokenSentence(_closed(" ".join(text.split()[: BUDGET.words])), sentence)

    def _shorter(self, sentence: str, title: str) -> Steps[str]:
        """The generator's shorter version; "" if it is not shorter or adds something."""
        if self._phraser is None or len(sentence.split()) < LONG_ENOUGH:
            return ""
        try:
            text = yield from self._phraser.phrasing("", sentence, title)
        except AnswerError:
            return ""
        return text if shortens(text, sentence) else ""


def _budget(words: int) -> SummaryBudget:
    if not FEWEST_WORDS <= words <= MOST_WORDS:
        message = f"A summary has {FEWEST_WORDS} to {MOST_WORDS} words."
        raise AnswerError("documents.words", message)
    return SummaryBudget(words // SHORTEST_WORDS, words, filled=True)


def _leading(texts: Sequence[str], budget: SummaryBudget) -> list[str]:
    """The first sentences that are within the budget; of a usual one, whatever their words."""
    most = budget.words if budget.filled else sum(len(text.split()) for text in texts)
    ends = accumulate(len(text.split()) for text in texts[: budget.sentences])
    return [text for text, end in zip(texts, ends, strict=False) if end <= most] or list(texts[:1])


def shortens(text: str, sentence: str) -> bool:
    """Whether `text` is the first statement of `sentence`, and the rest does not take it back.

    Words of the sentence in another order may say what it does not: "most accidents happen in the
    face" was made of a sentence on a saw that is thrown up towards it.
    """
    said = text.rstrip(" .!")
    rest = sentence[len(said) :]
    begins = bool(said) and sentence.startswith(said) and len(said.split()) >= SHORTEST_WORDS
    whole = begins and STATEMENT_ENDS.match(rest) is not None and TAKEN_BACK.search(rest) is None
    return whole and not ungrounded(text, (sentence,))


def _closed(text: str) -> str:
    return text if text[-1:] in ".!?…\"”'’)" else f"{text.rstrip(',;:')}."
