"""Words that an engine is not sure of, until recognition confirms them or it is too late."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from assistant.core.messages import DoubtfulWakeWord

CONFIRMED_WITHIN_S = 0.7
"""Seconds in which a word must be confirmed; later the user has said it again."""


class Doubted(NamedTuple):
    """A word in doubt, and the number of the microphone that heard it at `at_s`."""

    keyword: str
    microphone: int
    at_s: float
    reply: str = ""
    """The utterance whose reply is to stop; "" where the word is to wake."""


class Doubts:
    """The words of the last moment that are in doubt, by the id of the question."""

    def __init__(self, new_id: Callable[[], str]) -> None:
        self._new_id = new_id
        self._asked: dict[str, Doubted] = {}

    def ask(self, doubted: Doubted, sound: bytes) -> DoubtfulWakeWord:
        """The question to recognition, with the sound of the word."""
        since_s, utterance_id = doubted.at_s - CONFIRMED_WITHIN_S, self._new_id()
        lately = {name: one for name, one in self._asked.items() if one.at_s > since_s}
        self._asked = lately | {utterance_id: doubted}
        return DoubtfulWakeWord(utterance_id=utterance_id, wake_word=doubted.keyword, samples=sound)

    def confirmed(self, utterance_id: str, now_s: float) -> Doubted | None:
        """What was confirmed, once; None where it is too late for that."""
        doubted = self._asked.pop(utterance_id, None)
        if doubted is None or now_s - doubted.at_s > CONFIRMED_WITHIN_S:
            return None
        self._asked.clear()
        return doubted
