"""The lists of values that templates name, declared once and filled for each home."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

from hassil.expression import Expression, TextChunk
from hassil.intents import RangeSlotList, SlotList, TextSlotList, TextSlotValue, WildcardSlotList

from assistant.core.messages import SlotValue
from assistant.skill.home import Home
from assistant.skill.manifest import SlotSchema
from nlu.text.canonical import canonical

WRITTEN = "written"
"""Metadata key of a list's value: the expression as people write and say it."""

NAMED = "named"
"""Metadata key of a list's value, present when the list itself, not a resolver, has the value."""

TIMES = "times"
"""Metadata key of a phrase: the factor for the number that a resolver reads."""

Fill = Callable[[Home], SlotList]


class SlotLists:
    """The names of the lists, and how each one is filled for a home.

    The name of a list contains all that it depends on, so equal lists are one.
    """

    def __init__(self) -> None:
        self._fills: dict[str, Fill] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._fills

    def declare(self, name: str, fill: Fill) -> str:
        """Declare a list, unless its equal is declared already, and return the name."""
        self._fills.setdefault(name, fill)
        return name

    def take_over(self, other: SlotLists) -> None:
        """Declare all lists of another."""
        for name, fill in other._fills.items():
            self.declare(name, fill)

    def filled(self, home: Home) -> dict[str, SlotList]:
        """Every declared list with the names of `home` in it."""
        return {name: fill(home) for name, fill in self._fills.items()}

    def choices(self, words: tuple[str, ...]) -> str:
        """The list of these words."""
        name = f"choice={'|'.join(words)}".replace(":", " ")  # hassil splits at a colon
        return self.declare(name, lambda home: named(name, ((word, word) for word in words)))

    def areas(self) -> str:
        """The list of the home's areas."""
        return self.declare("area", lambda home: named("area", _names(home.areas)))

    def floors(self) -> str:
        """The list of the home's floors."""
        return self.declare("floor", lambda home: named("floor", _names(home.floors)))

    def entities(self, slot: SlotSchema) -> str:
        """The list of the devices that a slot may name."""
        parts = ["|".join(slot.domains), _facts(slot.requires), _facts(slot.excludes)]
        name = "entity=" + "!".join(parts).rstrip("!")
        return self.declare(
            name, lambda home: named(name, _names(e for e in home.entities if slot.fits(e)))
        )

    def numbers(self, start: int, stop: int, step: int = 1, times: float | None = None) -> str:
        """The list of the whole numbers from `start` to `stop`, their values multiplied."""
        name = f"{start}..{stop},{step}" + (f"*{times}" if times else "")
        numbers = RangeSlotList(name, start, stop, step, multiplier=times, words=False)
        return self.declare(name, lambda home: numbers)

    def free_text(self, name: str = "text") -> str:
        """A list that takes any words."""
        return self.declare(name, lambda home: WildcardSlotList(name=name))


def _names(things: Iterable[Any]) -> Iterable[tuple[str, str]]:
    return ((name, thing.name) for thing in things for name in (thing.name, *thing.aliases))


def _facts(facts: Iterable[tuple[str, tuple[str, ...]]]) -> str:
    return ",".join(f"{name}={'|'.join(values)}" for name, values in facts).replace(":", " ")


def named(name: str, values: Iterable[tuple[str, SlotValue]]) -> TextSlotList:
    """A list of plain names, each with its value; of equal names the first wins."""
    said = {
        canonical(variant).text: (variant, value)
        for text, value in reversed(list(values))
        for variant in _name_variants(text)
    }
    ordered = ((TextChunk(text), *rest) for text, rest in sorted(said.items()) if text)
    return TextSlotList(
        name, [known(text, TextChunk(written), value) for text, written, value in ordered]
    )


def known(said: Expression, written: Expression, value: SlotValue) -> TextSlotValue:
    """A list entry whose value is `value` whenever `said` matches."""
    return TextSlotValue(said, value, metadata={WRITTEN: written, NAMED: True})


def phrase(said: Expression, written: Expression) -> TextSlotValue:
    """A list entry whose words a resolver has yet to read."""
    return TextSlotValue(said, None, metadata={WRITTEN: written})


def _name_variants(name: str) -> tuple[str, ...]:
    """How a written name is said: unchanged, and with the words of a CamelCase name separated."""
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
    return (name, apart) if apart != name else (name,)
