"""What the documents of a hub say, where those of this device say nothing."""

from __future__ import annotations

from contextlib import closing

from assistant.answer.answerer import Answer, AnswerTier
from assistant.answer.generation.token_scheduler import Outlook, Steps
from assistant.core.messages import Question
from assistant.core.network.hub import Answered, Awaited, Hub
from assistant.core.traces.ids import spoken

LOOK_S = 0.005
"""Seconds that one step waits."""
WAITING = Outlook(tokens=24)
"""A step that makes nothing; whoever waits takes turns with those who make as many tokens."""


class HubAnswers:
    """Asks a `hub`, if there is one, in steps between which others are answered.

    There may be no answer in time.
    """

    def __init__(self, hub: Hub | None = None) -> None:
        self._hub = hub

    @property
    def asked(self) -> bool:
        """Whether there is a hub to ask."""
        return self._hub is not None

    def answering(self, question: Question) -> Steps[Answer | None]:
        """The steps to its answer."""
        if self._hub is None or question.secret:
            return None
        with spoken(_own_id(question)):
            awaited = self._hub.answer(question.text)
        return (yield from _awaited(awaited))

    def summarising(self, question: Question, name: str, words: int | None) -> Steps[Answer | None]:
        """The steps to its summary of what has a name there."""
        if self._hub is None or question.secret:
            return None
        with spoken(_own_id(question)):
            awaited = self._hub.summarise(name, words)
        return (yield from _awaited(awaited))


def _awaited(awaited: Awaited[Answered]) -> Steps[Answer | None]:
    with closing(awaited):
        while not awaited.is_over:
            there = awaited.reply(LOOK_S)
            if there is not None:
                return _answer(there)
            if (yield WAITING) is not None:  # what came by now counts
                there = awaited.reply(0.0)
                return _answer(there) if there is not None else None
    return None


def _own_id(question: Question) -> str:
    """The utterance's id, without what a pool of workers has added."""
    return question.utterance_id.partition("#")[0]


def _answer(there: Answered) -> Answer | None:
    """What the hub says; None where its documents say nothing either."""
    if not (there.done and there.text):
        return None
    return Answer(text=there.text, tier=AnswerTier.HUB, title=there.title, place=there.place)
