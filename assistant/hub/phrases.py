"""Words that a generator elsewhere makes of what the answers here have found."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from itertools import count

from assistant.answer.generation.stage import likely_tokens, prompt_tokens
from assistant.answer.generation.token_scheduler import Outlook, Steps
from assistant.core.documents.messages import Phrase, Phrased
from assistant.core.errors import AnswerError
from assistant.core.messages import Fact, StageFailed
from assistant.pool.pool import Pool, PoolError
from assistant.pool.requests import PoolRequest
from assistant.pool.routing import RequestShape

GENERATOR = "generator"
LOOK_S = 0.005
"""Time for which a step waits; the others who ask here are looked after in between."""

_NUMBERS = count(1)


class PhrasesElsewhere:
    """Has the generator of a `pool` word what was found, as `Phraser` does with one of its own."""

    def __init__(self, pool: Pool) -> None:
        self._pool = pool

    def phrasing(self, question: str, text: str, title: str, answer: str = "") -> Steps[str]:
        """One sentence that answers `question`, or is shorter if that is "", with what `text` says.

        Raises `AnswerError`, also where no worker gives one, and the one that is sent into it.
        """
        asked = Phrase(
            utterance_id=_new_id(), question=question, text=text, title=title, answer=answer
        )
        return self._worded(asked)

    def wording(self, facts: Sequence[Fact], question: str, intent: str) -> Steps[str]:
        """All facts in one sentence; "" where there is no such sentence."""
        about = Phrase(utterance_id=_new_id(), question=question, facts=tuple(facts), intent=intent)
        try:
            return (yield from self._worded(about))
        except AnswerError:
            return ""

    def _worded(self, asked: Phrase) -> Steps[str]:
        shape = RequestShape(tokens=likely_tokens(asked), prompt_tokens=prompt_tokens(asked))
        refused = yield Outlook(shape.tokens)
        if refused is not None:
            raise refused
        request = PoolRequest(messages=(asked,), shape=shape)
        try:
            with closing(self._pool.run(GENERATOR, request)) as told:
                while not told.wait(LOOK_S):
                    refused = yield Outlook(shape.tokens)
                    if refused is not None:
                        raise refused
                return _words(next(told, None))
        except PoolError as error:
            raise AnswerError("answer.resting", f"{GENERATOR}: {error.message}") from error


def _words(told: object) -> str:
    """The sentence of a reply; raises `AnswerError` where it is none."""
    match told:
        case Phrased(text=text, code=""):
            return text
        case Phrased(code=code):
            raise AnswerError(code, "the generator gave no words")
        case StageFailed(code=code, message=message):
            raise AnswerError("answer.resting", f"{GENERATOR}: {message} ({code})")
    raise AnswerError("answer.resting", f"{GENERATOR}: it replied with no sentence")


def _new_id() -> str:
    return f"words-{next(_NUMBERS)}"
