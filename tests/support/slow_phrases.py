"""A generator that says the words of its text one by one, for those who ask one elsewhere."""

from __future__ import annotations

import time
from collections.abc import Sequence

from assistant.answer.generation.stage import GeneratorStage
from assistant.answer.generation.token_scheduler import Outlook, Steps, TokenScheduler
from assistant.core.clock import boottime_s
from assistant.core.errors import AnswerError
from assistant.core.messages import Fact

A_WORD_S = 0.02


class SlowPhrases:
    """Says the text itself, upper case; "too long" has no words, and "broken" is a fault."""

    def phrasing(self, question: str, text: str, title: str, answer: str = "") -> Steps[str]:
        if text == "broken":
            raise ZeroDivisionError
        if text == "too long":
            raise AnswerError("answer.too_long", "it is too long")
        yield Outlook(len(text.split()))
        for _ in text.split():
            time.sleep(A_WORD_S)
            yield
        return text.upper()

    def wording(self, facts: Sequence[Fact], question: str, intent: str) -> Steps[str]:
        return (yield from self.phrasing(question, " ".join(f.value for f in facts), intent))


def slow_generator(tenant: str = "") -> GeneratorStage:
    """The stage with that generator."""
    return GeneratorStage(SlowPhrases(), TokenScheduler(clock=boottime_s))
