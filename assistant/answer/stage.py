"""What no skill claims: an answer from the user's documents, or an honest no.

| question                          | reply                                                     |
|-----------------------------------|-----------------------------------------------------------|
| of a skill, with facts            | the facts in the generator's words, or the skill's own    |
| where an answer is from           | title and place of the last answer's document             |
| a summary of a document           | two or three sentences                                    |
| anything else, found in documents | one sentence that says only what the document says        |
| … that asks, and was not found    | "I found nothing about that."                             |
| … that asks nothing               | what the assistant can do instead                         |
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import ClassVar, Protocol

from assistant.answer.answerer import Answer, Tier
from assistant.core.messages import BargeIn, Fact, Message, Question, Reply
from assistant.skill.spoken import joined

SOURCE_INTENT, SUMMARY_INTENT = "DocumentSource", "DocumentSummary"
_ASKS = re.compile(
    r"(hey |so |and |okay |ok |please )*"
    r"(tell me|do you know|who|whose|whom|what|which|when|where|why|how|"
    r"is|are|was|were|do|does|did|can|could|has|have|had|will|would|should|may|must)\b"
)


class Answers(Protocol):
    """Answers from documents."""

    def answer(self, question: str) -> Answer:
        """The answer, or an honest nothing."""

    def word(self, facts: Sequence[Fact], question: str, intent: str) -> str:
        """All facts in one sentence; "" where that cannot be had."""

    def summarise(self, name: str) -> Iterator[str]:
        """The sentences of a summary; none where there is no such document."""


class AnswerStage:
    """Answers each question; `answers` is None where there are no documents to answer from.

    `abilities` are the skills' own words, fit for "I can …", for a text that nothing is near.
    """

    consumes: ClassVar[tuple[type[Message], ...]] = (Question, BargeIn)

    def __init__(self, abilities: Sequence[str] = (), answers: Answers | None = None) -> None:
        self._abilities, self._answers = joined(abilities), answers
        self._last: Answer | None = None

    def feed(self, message: Message) -> Iterator[Reply]:
        """The replies to a `Question`, a sentence each."""
        if not isinstance(message, Question):
            return
        if message.intent == SOURCE_INTENT:
            yield _reply(message, _named(self._last) or message.fallback)
        elif message.intent == SUMMARY_INTENT:
            yield from self._summary(message)
        elif message.facts:
            yield _reply(message, self._worded(message) or message.fallback)
        else:
            yield self._answered(message)

    def deadline_s(self) -> None:
        """Nothing here waits."""

    def _worded(self, question: Question) -> str:
        if self._answers is None:
            return ""
        return self._answers.word(question.facts, question.text, question.intent or "")

    def _summary(self, question: Question) -> Iterator[Reply]:
        if self._answers is None:
            yield _reply(question, question.fallback, done=False)
            return
        name = " ".join(fact.value for fact in question.facts)
        waiting = ""
        for sentence in self._answers.summarise(name):
            if waiting:
                yield _reply(question, waiting, more=True)
            waiting = sentence
        yield _reply(question, waiting or f"I have no document called {name}.", done=bool(waiting))

    def _answered(self, question: Question) -> Reply:
        if self._answers is not None:
            answer = self._answers.answer(question.text)
            if answer.tier is not Tier.DECLINED:
                self._last = answer
                return _reply(question, answer.text)
            if _ASKS.match(question.text.lower()):
                return _reply(question, answer.text, done=False)
        return _reply(question, self._declined(question.nearest), done=False)

    def _declined(self, nearest: str) -> str:
        if nearest:
            return f'I can\'t do that yet. You could say "{nearest}".'
        if self._abilities:
            return f"I can't do that yet. I can {self._abilities}."
        return "I can't do that yet."


def _reply(question: Question, text: str, *, done: bool = True, more: bool = False) -> Reply:
    return Reply(
        utterance_id=question.utterance_id,
        text=text,
        intent=question.intent,
        done=done,
        acted=question.acted,
        more=more,
    )


def _named(answer: Answer | None) -> str:
    if answer is None:
        return ""
    where = f", {answer.place.replace(' > ', ', ')}" if answer.place else ""
    return f"From {answer.title}{where}."
