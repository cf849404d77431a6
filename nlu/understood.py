"""What a text was understood as, and which rule decided."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import Enum

import msgspec

from assistant.core.messages import Command
from nlu.discourse.reading import ReadPart
from nlu.text.canonical import Canonical


class By(Enum):
    """Which rule of precedence decided."""

    SENTENCE = "a sentence fits the whole text"
    PARTS = "sentences fit its parts"
    SHORT_FORM = "short forms of sentences make it up"
    COMPOSED = "each word is a part of a command or a question"
    NAME = "it is a device's name alone"
    FREE_TEXT = "a sentence fits, with free text in it"
    GUESS = "the models know what it is"
    TIE = "the models know two things that it may be, one as likely as the other"
    DOUBT = "the models know what it would be, and not whether it is meant for the assistant"
    NEED = "it states a need, and is no command"
    GUESSED_PARTS = "the models know what its parts are"
    TALK = "it is like something that is only talked about"
    SOME_CLAUSES = "sentences fit all of its parts but one, which is no part of the others"
    REWRITTEN = "a language model says it in plain words, which sentences fit"
    NOTHING = "nothing fits, and the models would not stand by a guess"


@dataclass(frozen=True)
class Understood:
    """The commands of a text, none when one part of it is not understood."""

    readings: tuple[ReadPart, ...] = ()
    by: By = By.NOTHING
    not_a_command: bool = False
    """Whether the text negates a command, takes it back, or only reports one."""
    choices: tuple[Command, ...] = ()
    """The commands to ask about."""
    missed: str = ""
    """Words of a clause that was not understood, and is no part of the commands; "" for none."""

    @property
    def commands(self) -> tuple[Command, ...]:
        """The commands in the order in which they were said."""
        return tuple(reading.command for reading in self.readings)

    @property
    def exact(self) -> bool:
        """Whether there are commands, each an exact sentence, and nothing else was said."""
        exact = bool(self.readings) and all(reading.exact for reading in self.readings)
        return exact and not self.missed

    def with_confidence_at_most(self, most: float) -> Understood:
        """The same, with every command's confidence lowered to at most `most`."""
        commands = (
            msgspec.structs.replace(r.command, confidence=min(r.command.confidence, most))
            for r in self.readings
        )
        readings = zip(self.readings, commands, strict=True)
        return replace(self, readings=tuple(replace(r, command=c) for r, c in readings))


Found = tuple[By, list[ReadPart] | None]
"""The rule that read a text, and its parts; None where the text is no command."""
Step = Callable[[Canonical, datetime, ReadPart | None], Found | None]
"""A rule: reads a text at a time, after what was read before."""


def first_found(
    steps: Sequence[Step], said: Canonical, now: datetime, before: ReadPart | None
) -> Found:
    """What the first rule finds that reads a text as commands."""
    found = (step(said, now, before) for step in steps)
    return next((one for one in found if one is not None and one[1]), (By.NOTHING, None))
