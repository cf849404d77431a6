"""What is said in one room: how it is read there, and the last command that it goes on from."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import NamedTuple

from assistant.skill.manifest import Traits
from nlu.discourse.continuation import recalled
from nlu.discourse.reading import ReadPart
from nlu.discourse.short_forms import Conditional
from nlu.grammar.templates import Templates
from nlu.interpreter import Interpreter
from nlu.text.canonical import Canonical
from nlu.understood import By, Understood
from nlu.within import CommandsWithin

CONVERSATION_S = 60.0
"""Seconds in which "it" may still stand for what the last command was about."""
_BY_PARTS = (By.PARTS, By.COMPOSED)
"""Rules by which a text may go on from the utterance before the last."""


class _Turn(NamedTuple):
    """The last command of an utterance, and when it was interpreted."""

    utterance_id: str
    reading: ReadPart | None
    at_s: float


_NO_TURN = _Turn("", None, 0.0)


class Room:
    """Reads texts by `interpreter`, that of the room's area, after what was said there before."""

    def __init__(self, interpreter: Interpreter, templates: Templates) -> None:
        self.interpreter, self._templates = interpreter, templates
        self._within = CommandsWithin(interpreter, templates)
        self._before = self._latest = _NO_TURN

    @property
    def last(self) -> ReadPart | None:
        """The last command."""
        return self._latest.reading

    def before(self, utterance_id: str, at_s: float) -> ReadPart | None:
        """The last command of the utterance before this one, while it is fresh.

        Revisions of one utterance are all read after the same command.
        """
        if utterance_id != self._latest.utterance_id:
            self._before = self._latest
        return self._before.reading if at_s - self._before.at_s < CONVERSATION_S else None

    def read(self, said: Canonical, now: datetime, before: ReadPart | None) -> Understood:
        """What a text means after the last utterance, or by its parts with the one before that."""
        named = self._within.named(said, now)
        return self._within.filled(named or self._read(said, now, before), now)

    def meant(self, conditional: Conditional, now: datetime) -> Conditional:
        """Conditional meanings with the commands in their slots."""
        return self._within.meant(conditional, now)

    def _read(self, said: Canonical, now: datetime, before: ReadPart | None) -> Understood:
        plain = self.interpreter(said, now, before)
        back = plain.by is not By.NAME and self._leads_back(before)
        for other in recalled(said, before, back) if before else ():
            if other is before:
                understood, enough = plain, plain.by is not By.NAME
            else:
                understood = self.interpreter(said, now, other)
                enough = understood.by in _BY_PARTS
            if understood.commands and enough:
                return understood
        return plain

    def remember(
        self,
        utterance_id: str,
        at_s: float,
        said: Canonical,
        understood: Understood,
        before: ReadPart | None,
    ) -> None:
        """Keep what the next utterance may go on from, if this one is any of it."""
        continued = understood.readings[-1] if understood.readings else None
        traits = self._templates.traits(continued.command.intent) if continued else Traits()
        named = self.interpreter.mentioned(said) if understood.not_a_command else None
        earlier = before and replace(before, earlier=None)
        if continued and not (traits.only_talk or traits.whole):
            last = replace(continued, turn=understood.commands, earlier=earlier)
            self._latest = _Turn(utterance_id, last, at_s)
        elif named is not None:
            last = replace(named, turn=(named.command,), earlier=earlier, missed=True)
            self._latest = _Turn(utterance_id, last, at_s)
        elif understood.by is By.NOTHING and self._latest.reading is not None:
            missed = replace(self._latest.reading, missed=True)
            self._latest = self._latest._replace(reading=missed)

    def _leads_back(self, before: ReadPart | None) -> bool:
        """Whether the utterance before the last was about devices, and the last was not."""
        about_devices, earlier = self.interpreter.is_about_devices, before and before.earlier
        return bool(before and earlier and about_devices(earlier) and not about_devices(before))
