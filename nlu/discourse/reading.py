"""One part of a text, read as a command."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

import msgspec

from assistant.core.messages import Command, SlotValue, When
from assistant.english.commands.modifiers import AT_TIME, FOR
from nlu.discourse import clauses
from nlu.discourse.modifiers import Modifiers
from nlu.discourse.times import together
from nlu.grammar.match import LATER, Match
from nlu.text.canonical import Canonical, canonical

_NAMING = ("name", "area")
"""Slots of a command for what the home does not have."""
_LISTED = ("item",)
"""Slots of free text that may name several things."""


@dataclass(frozen=True)
class ReadPart:
    """One part of a text as a command."""

    said: Canonical
    command: Command
    match: Match | None = None
    """The sentence that fits; None for a guess of the models."""
    turn: tuple[Command, ...] = ()
    """All commands of its utterance."""
    earlier: ReadPart | None = None
    """The last command of the utterance before its own."""
    missed: bool = False
    """Whether an utterance since then was not understood."""
    borrowed: bool = False
    """Whether it has words of the part before it: what comes after it holds for both."""
    thing: str = ""
    """The word for what the command is about, where no slot names it."""

    @property
    def exact(self) -> bool:
        """Whether a sentence without free text fits, and no slot is missing."""
        return self.match is not None and not (self.match.wildcard or self.match.missing)

    @property
    def confidence(self) -> float:
        """How certain it is that this was meant, from 0 to 1."""
        return self.command.confidence

    @property
    def free(self) -> int:
        """Characters that were taken as free text."""
        return self.match.wildcard if self.match is not None else 0

    @property
    def open_ended(self) -> bool:
        """Whether its free text would also take in any words that follow."""
        return self.match is not None and self.match.open_ended

    @property
    def puts_off(self) -> bool:
        """Whether its free text is a command for later, which reads better as that command."""
        return any(slot.name == LATER for slot in self.command.slots)

    @property
    def referent(self) -> str:
        """The words for what the command is about: "it" and "them" may stand for these."""
        slots = {slot.name: str(slot.value) for slot in self.command.slots}
        if "name" in slots:
            return canonical(slots["name"]).text
        place = slots.get("area") or slots.get("floor", "")
        return canonical(f"{place} {self.kind}").text if self.kind else ""

    @property
    def kind(self) -> str:
        """The words for the kind of devices that it is about: "lights"; "" for none."""
        slots = {slot.name: str(slot.value) for slot in self.command.slots}
        if self.thing or slots.get("domain") == "binary_sensor":  # nobody means the sensor itself
            return self.thing
        kind = slots.get("device_class") or slots.get("domain", "")
        return f"{kind}s" if kind else ""

    @property
    def values(self) -> dict[str, SlotValue]:
        """The values of its slots by their names."""
        return {slot.name: slot.value for slot in self.command.slots}

    def explains(self, modifiers: Modifiers) -> bool:
        """Whether its slots hold what a sentence seems to add: "a timer for two hours"."""
        if modifiers.when is None or modifiers.excluded or self.puts_off:
            return False
        when = modifiers.when
        said = f"{when.said} {when.lasting.said if when.lasting else ''}"
        words = set(said.split()) - AT_TIME - FOR - {"in"}
        return words <= {word for slot in self.command.slots for word in slot.raw.split()}

    def holds(self, parts: Sequence[ReadPart]) -> bool:
        """Whether its slots have all that parts of its text have, each the words of several.

        "Six hours and fifteen minutes" is one duration, not two timers.
        """
        raw = {slot.name: f" {slot.raw} " for slot in self.command.slots}
        return bool(parts) and all(
            part.command.intent == self.command.intent
            and all(f" {s.raw} " in raw.get(s.name, "") for s in part.command.slots if s.raw)
            for part in parts
        )

    def each_item(self) -> list[ReadPart]:
        """One command for each thing in a list that is one free text: "milk, eggs and bread"."""
        slots = self.command.slots
        at = next((i for i, s in enumerate(slots) if s.name in _LISTED), None)
        if at is None:
            return [self]
        things = clauses.enumerated(self.said, slots[at].raw)
        items = [msgspec.structs.replace(slots[at], value=thing, raw=thing) for thing in things]
        commands = (
            msgspec.structs.replace(self.command, slots=(*slots[:at], item, *slots[at + 1 :]))
            for item in items
        )
        return [replace(self, command=command) for command in commands]

    def modified(self, modifiers: Modifiers) -> ReadPart:
        """The same command with what its sentence adds to it."""
        command = msgspec.structs.replace(
            self.command,
            excluded=self.command.excluded + modifiers.excluded,
            when=modifiers.when or self.command.when,
        )
        return replace(self, command=command)

    def put_off(self, when: When, now: datetime) -> ReadPart:
        """The same command for then, for as long as it says itself."""
        own = self.command.when
        both = together(own, when, now) if own is not None else None
        return self.modified(Modifiers(when=both or when))

    def in_place_of_the_last(self) -> ReadPart:
        """The same command, in place of what was done last."""
        return replace(self, command=msgspec.structs.replace(self.command, instead=True))

    def with_words(self) -> ReadPart:
        """The same part, with its words in the command."""
        return replace(self, command=msgspec.structs.replace(self.command, text=self.said.words))

    def like(self, other: ReadPart) -> bool:
        """Whether both fill the same slots of the same intent."""
        mine, others = ({s.name for s in r.command.slots} for r in (self, other))
        return self.command.intent == other.command.intent and mine == others


def spells(guessed: Command, strange: Sequence[ReadPart]) -> bool:
    """Whether a guess has strange words in its slots, which it takes for other names."""
    raw = {word for slot in guessed.slots for word in slot.raw.split()}
    named = [str(s.value) for part in strange for s in part.command.slots if s.name in _NAMING]
    return all(raw.intersection(name.split()[:-1] or name.split()) for name in named)
