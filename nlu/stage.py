"""The understanding stage: a transcript in, the commands in it out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from typing import ClassVar

import msgspec

from assistant.core.messages import Command, Complete, Interpretation, Message, Transcript
from nlu.commands import Understood, understand
from nlu.nearest import Nearest
from nlu.templates import Templates

_UNSURE = 0.5
"""Confidence of an alternative whose words carry none."""


class NluStage:
    """Interprets each transcript by itself, the same words at the same time always the same way.

    `now` gives the present as an aware datetime in the user's zone.
    """

    consumes: ClassVar[tuple[type[Message], ...]] = (Transcript,)

    def __init__(self, templates: Templates, now: Callable[[], datetime]) -> None:
        self._templates = templates
        self._now = now
        self._nearest = Nearest(templates.examples())

    def feed(self, message: Message) -> Iterator[Message]:
        """Say whether the transcript is a whole sentence, then what it means."""
        if not isinstance(message, Transcript):
            return
        text, understood = self._understand(message)
        complete = understood.exact or self._templates.is_answer(text)
        yield Complete(
            utterance_id=message.utterance_id, revision=message.revision, complete=complete
        )
        yield Interpretation(
            utterance_id=message.utterance_id,
            revision=message.revision,
            text=text,
            commands=understood.commands,
            nearest="" if understood.commands or not text else self._nearest(text),
        )

    def deadline_s(self) -> float | None:
        """Never: nothing here waits."""
        return None

    def _understand(self, transcript: Transcript) -> tuple[str, Understood]:
        """The text that is understood: the transcript, or the first alternative that is exact."""
        now = self._now()
        first = understand(self._templates, transcript.text, now)
        if first.commands or not transcript.text or self._templates.is_answer(transcript.text):
            return transcript.text, first
        confidence = min((word.confidence for word in transcript.words), default=_UNSURE)
        for text in transcript.alternatives:
            understood = understand(self._templates, text, now)
            if understood.exact:
                return text, Understood(_less_sure(understood.commands, confidence), exact=True)
        return transcript.text, first


def _less_sure(commands: tuple[Command, ...], confidence: float) -> tuple[Command, ...]:
    return tuple(msgspec.structs.replace(c, confidence=confidence) for c in commands)
