"""The generator for other processes: it words what they have found, several at a time.

It keeps nothing of what it worded, so that one serves all tenants of a hub.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from assistant.answer.generation.phrases import Phrases
from assistant.answer.generation.token_scheduler import GenerationRequest, Steps, TokenScheduler
from assistant.core.documents.messages import Phrase, Phrased
from assistant.core.errors import AnswerError
from assistant.core.failure import report_failure
from assistant.core.messages import BargeIn, Message, Tick

MOST_TOKENS = 60
"""Most tokens of a sentence."""
CHARACTERS_A_TOKEN = 4


class GeneratorStage:
    """Replies to each `Phrase` with a `Phrased`, the shortest first, a few tokens a `Tick`."""

    consumes: ClassVar[tuple[type[Message], ...]] = (Phrase, BargeIn)

    def __init__(self, phrases: Phrases, scheduler: TokenScheduler) -> None:
        self._phrases, self._scheduler = phrases, scheduler
        self._open: dict[str, GenerationRequest] = {}

    def feed(self, message: Message) -> Iterator[Message]:
        """Take on what is to be worded, or give the sentences that are ready."""
        match message:
            case Phrase(utterance_id=name):
                try:
                    steps, tokens = self._steps(message), likely_tokens(message)
                    self._open[name] = self._scheduler.submit(steps, tokens)
                except AnswerError as full:
                    yield Phrased(utterance_id=name, code=full.code)
            case BargeIn(utterance_id=name) if name in self._open:
                self._scheduler.cancel(self._open.pop(name))
            case Tick():
                self._scheduler.work()
                yield from self._ended()

    def deadline_s(self) -> float | None:
        """When a sentence goes on: at once."""
        return 0.0 if self._open else None

    def _steps(self, asked: Phrase) -> Steps[str]:
        if asked.facts:
            return self._phrases.wording(asked.facts, asked.question, asked.intent)
        return self._phrases.phrasing(asked.question, asked.text, asked.title, asked.answer)

    def _ended(self) -> Iterator[Message]:
        ended = [name for name, one in self._open.items() if one.ended_s is not None]
        for name in ended:
            one = self._open.pop(name)
            match one.error:
                case None:
                    yield Phrased(utterance_id=name, text=one.last)
                case AnswerError(code=code):
                    yield Phrased(utterance_id=name, code=code)
                case error:
                    yield report_failure("generator", error, name)


def likely_tokens(asked: Phrase) -> int:
    """How many tokens the sentence may take: it seldom has more than what it is made of."""
    return min(prompt_tokens(asked), MOST_TOKENS)


def prompt_tokens(asked: Phrase) -> int:
    """About how many tokens a prompt has."""
    facts = (f"{fact.name} {fact.value}" for fact in asked.facts)
    length = sum(map(len, (asked.question, asked.title, asked.text, *facts)))
    return length // CHARACTERS_A_TOKEN + 1
