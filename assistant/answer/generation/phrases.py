"""What words that which was found: the generator here, or one of another process."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from assistant.answer.generation.token_scheduler import Steps
from assistant.core.messages import Fact


class Phrases(Protocol):
    """Makes sentences, in steps of a token each."""

    def phrasing(self, question: str, text: str, title: str, answer: str = "") -> Steps[str]:
        """One sentence that answers `question`, or is shorter if that is "", with what `text` says.

        `answer` are the words of the text that answer. Raises `AnswerError`.
        """

    def wording(self, facts: Sequence[Fact], question: str, intent: str) -> Steps[str]:
        """All facts in one sentence; "" where there is no such sentence."""
