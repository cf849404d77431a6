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
"""Key of a list value's metadata: the expression as people write and say it."""

NAMED = "named"
"""Key of a list value's metadata that is there when the list, not a resolver, knows the value."""

TIMES = "times"
"""Key of a phrase's metadata: what the number that a resolver reads is multiplied by."""

Fill = Callable[[Home], SlotList]


class SlotLists:
    """What the lists are called, and how each is made for a home.

    The name of a list tells all that it depends on, so that equal lists are one.
    """

    def __init__(self) -> None:
        self._fills: dict[str, Fill] = {}

    def __contains__(self, name: str) -> bool:
        return name in self._fills

    def declare(self, name: str, fill: Fill) -> str:
        """Name a list, unless that name is taken by its equal."""
        self._fills.setdefault(name, fill)
        return name

    def take_over(self, other: SlotLists) -> None:
        """Declare all that another has declared."""
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
    """A list of plain names, each given as written and with its value; the first of equals wins."""
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
    """A list's value that is `value` whenever `said` matches."""
    return TextSlotValue(said, value, metadata={WRITTEN: written, NAMED: True})


def phrase(said: Expression, written: Expression) -> TextSlotValue:
    """A list's value whose words a resolver has yet to read."""
    return TextSlotValue(said, None, metadata={WRITTEN: written})


def _name_variants(name: str) -> tuple[str, ...]:
    """How a written name is said: as it stands, and with the words of a CamelCase name apart."""
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name)
    return (name, apart) if apart != name else (name,)
