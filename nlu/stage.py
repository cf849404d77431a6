"""The understanding stage: a transcript in, the commands in it out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from typing import ClassVar

import msgspec

from assistant.core.messages import Complete, Interpretation, Message, Transcript
from nlu.commands import Understood, understand
from nlu.endings import Endings
from nlu.nearest import Nearest
from nlu.normalize import Canonical, canonical
from nlu.templates import Templates

SAMPLED_SENTENCES, SAMPLING_SEED = 5_000, 1
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
        examples = templates.examples()
        self._nearest = Nearest(examples)
        self._endings = Endings(templates.sample(SAMPLED_SENTENCES, SAMPLING_SEED))
        for sentences in examples.values():  # hassil indexes lists as they are first used
            templates.match(sentences[0] if sentences else "")

    def feed(self, message: Message) -> Iterator[Message]:
        """Say whether the transcript is a whole sentence that will end there, and what it means."""
        if not isinstance(message, Transcript):
            return
        text, said, understood = self._understand(message)
        nothing = not understood.commands
        yield Complete(
            utterance_id=message.utterance_id,
            revision=message.revision,
            complete=self._endings.likely(text)
            and (understood.exact or (nothing and self._templates.is_answer(said))),
        )
        yield Interpretation(
            utterance_id=message.utterance_id,
            revision=message.revision,
            text=text,
            commands=understood.commands,
            nearest=self._nearest(said) if nothing and not understood.withheld else "",
        )

    def deadline_s(self) -> float | None:
        """Never: nothing here waits."""
        return None

    def _understand(self, transcript: Transcript) -> tuple[str, Canonical, Understood]:
        """The text that is understood: the transcript, or the first alternative that is exact."""
        now = self._now()
        said = canonical(transcript.text)
        first = understand(self._templates, said, now)
        if not first.commands and not self._templates.is_answer(said):
            confidence = min((word.confidence for word in transcript.words), default=_UNSURE)
            for text in transcript.alternatives:
                other = canonical(text)
                found = understand(self._templates, other, now)
                if found.exact:
                    return text, other, _less_sure(found, confidence)
        return transcript.text, said, first


def _less_sure(found: Understood, confidence: float) -> Understood:
    commands = (msgspec.structs.replace(c, confidence=confidence) for c in found.commands)
    return Understood(tuple(commands), found.exact)
