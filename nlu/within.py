"""Commands within a command: "when I say movie time, turn off the light"."""

from __future__ import annotations

from collections.abc import Iterator
from copy import copy
from dataclasses import replace
from datetime import datetime
from itertools import pairwise

import msgspec

from assistant.core.messages import Command, Slot
from assistant.english.commands.words import CUES
from assistant.english.stop_words import ARTICLES
from assistant.skill.manifest import Traits
from nlu.discourse.reading import ReadPart
from nlu.discourse.short_forms import Conditional
from nlu.grammar.templates import Templates
from nlu.interpreter import Interpreter
from nlu.text.canonical import Canonical, canonical, without_politeness
from nlu.understood import By, Understood

_SURELY = (By.SENTENCE, By.PARTS, By.SHORT_FORM, By.COMPOSED)
_READ = (*_SURELY, By.FREE_TEXT)
"""Rules by which the words of a slot are commands; nothing is guessed."""
_LONGEST_NAME = 5
"""Most words of a name before the commands that it stands for."""


class CommandsWithin:
    """Reads the commands in slots of free text, as the traits of their intents ask for."""

    def __init__(self, interpreter: Interpreter, templates: Templates) -> None:
        self._read = copy(interpreter)
        self._read.guess = None
        every = (templates.conditional, templates.short, templates)
        claims = [claim for forms in every if forms is not None for claim in forms.claims]
        self._traits = {claim.schema.intent: claim.schema.traits for claim in claims}
        self._makes = next((i for i, t in self._traits.items() if t.names and t.commands), "")
        """The intent that gives commands a name."""

    def named(self, said: Canonical, now: datetime) -> Understood | None:
        """A text that gives commands a name; None for another: "when I say NAME, COMMANDS".

        Behind a pause they need not be understood: the words are no others' commands.
        """
        words = tuple(token.text for token in said.tokens)
        start = next((len(cue) for cue in CUES if words[: len(cue)] == cue), 0)
        if not (start and self._makes):
            return None
        ends = range(start + 1, min(start + _LONGEST_NAME + 1, len(words)))
        ways = sorted(ends, key=lambda end: not said.paused(end))
        for rules in (_SURELY, _READ, ()):
            for end in ways:
                rest = said.part(end + (words[end] == "then"), len(words))
                commands = self._commands(rest, now, rules)
                if commands or (not rules and said.paused(end)):
                    slots = self._slots(said.part(start, end), rest, commands)
                    command = Command(intent=self._makes, slots=tuple(slots))
                    return Understood((ReadPart(said, command),), By.SENTENCE)
        return None

    def filled(self, understood: Understood, now: datetime) -> Understood:
        """The same with the commands that the slots of its commands hold."""
        readings = (replace(r, command=self._filled(r.command, now)) for r in understood.readings)
        return replace(understood, readings=tuple(readings))

    def meant(self, conditional: Conditional, now: datetime) -> Conditional:
        """The same meanings, without those whose slot for commands holds none."""
        meanings = (tuple(self._filled(one, now) for one in each) for each in conditional)
        return tuple(each for each in meanings if not any(map(self._lacks, each)))

    def _slots(self, name: Canonical, rest: Canonical, held: tuple[Command, ...]) -> Iterator[Slot]:
        traits, called, what = self._traits[self._makes], _spoken(name), _spoken(rest)
        yield Slot(name=traits.names, value=called, raw=called)
        yield Slot(name=traits.commands, value=what, raw=what, commands=held)

    def _filled(self, command: Command, now: datetime) -> Command:
        traits = self._traits.get(command.intent, Traits())
        rules = {traits.names: _SURELY, traits.commands: _READ}

        def filled(slot: Slot) -> Slot:
            if slot.name not in rules or slot.commands:
                return slot
            held = self._commands(canonical(slot.raw), now, rules[slot.name])
            return msgspec.structs.replace(slot, commands=held)

        return msgspec.structs.replace(command, slots=tuple(map(filled, command.slots)))

    def _lacks(self, command: Command) -> bool:
        held = self._traits.get(command.intent, Traits()).commands
        return any(slot.name == held and not slot.commands for slot in command.slots)

    def _commands(
        self, said: Canonical, now: datetime, rules: tuple[By, ...]
    ) -> tuple[Command, ...]:
        """The commands that a text is when said alone, with the words of each; () for none."""
        understood = self._read(said, now) if said.tokens else Understood()
        commands = understood.commands
        if understood.by not in rules or understood.missed or any(map(self._is_talk, commands)):
            return ()
        texts = (_words(r) for r in understood.readings)
        return tuple(
            msgspec.structs.replace(c, text=t) for c, t in zip(commands, texts, strict=True)
        )

    def _is_talk(self, command: Command) -> bool:
        return self._traits.get(command.intent, Traits()).only_talk


def _words(reading: ReadPart) -> str:
    """The words of a command as they were spoken, where no others stand between them."""
    said = without_politeness(reading.said)
    gaps = (said.source[a.end : b.start] for a, b in pairwise(said.tokens))
    whole = all(ARTICLES.issuperset(gap) for gap in gaps)
    return _spoken(said) if whole or not reading.command.text else reading.command.text


def _spoken(said: Canonical) -> str:
    return said.spoken(0, len(said.text))
