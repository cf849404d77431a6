"""When what is said is a secret: from the question for one until the answer has its reply."""

from __future__ import annotations

from assistant.core.messages import Speech

ASKED_FOR_S = 65.0
"""Seconds in which a question for a secret may be answered; the skills take an answer for 60."""


class Secrecy:
    """Tells whether an utterance that begins now is to be a secret.

    It follows from what is played alone: no broadcast that is lost may give a secret away.
    """

    def __init__(self) -> None:
        self._question = self._answer = ""
        self._until_s = float("-inf")

    def observe(self, speech: Speech) -> None:
        """Note a sentence that is to be played."""
        if speech.secret:
            self._question, self._until_s = speech.utterance_id, speech.at_s + ASKED_FOR_S
        elif self._answer == speech.utterance_id:
            self._question, self._answer, self._until_s = "", "", float("-inf")

    def covers(self, utterance_id: str, follows: str, at_s: float) -> bool:
        """Note that an utterance begins, and return whether it is to be a secret."""
        secret = at_s <= self._until_s or (follows != "" and follows == self._question)
        if secret:
            self._answer = utterance_id
        return secret
