"""What no skill claims: an honest no, and what the assistant can do instead."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

from assistant.core.messages import Message, Question, Reply


class AnswerStage:
    """Declines each question, naming a sentence near it that a skill would understand."""

    consumes: ClassVar[tuple[type[Message], ...]] = (Question,)

    def feed(self, message: Message) -> Iterator[Reply]:
        """Give the reply to a `Question`."""
        if isinstance(message, Question):
            yield Reply(
                utterance_id=message.utterance_id, text=_declined(message.nearest), done=False
            )

    def deadline_s(self) -> None:
        """Nothing here waits."""


def _declined(nearest: str) -> str:
    offer = f'Try "{nearest}".' if nearest else 'Ask me "what can you do" to hear what I can.'
    return f"I can't do that yet. {offer}"
