"""What no skill claims: an honest no, and what the assistant can do instead."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

from assistant.core.messages import Message, Question, Reply
from assistant.skill.spoken import joined


class AnswerStage:
    """Declines each question, naming a sentence near it that a skill would understand.

    `abilities` are the skills' own words, fit for "I can …", for a question that nothing is near.
    """

    consumes: ClassVar[tuple[type[Message], ...]] = (Question,)

    def __init__(self, abilities: Sequence[str] = ()) -> None:
        self._abilities = joined(abilities)

    def feed(self, message: Message) -> Iterator[Reply]:
        """Give the reply to a `Question`."""
        if isinstance(message, Question):
            yield Reply(
                utterance_id=message.utterance_id, text=self._declined(message.nearest), done=False
            )

    def deadline_s(self) -> None:
        """Nothing here waits."""

    def _declined(self, nearest: str) -> str:
        if nearest:
            return f'I can\'t do that yet. You could say "{nearest}".'
        if self._abilities:
            return f"I can't do that yet. I can {self._abilities}."
        return "I can't do that yet."
