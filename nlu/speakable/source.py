"""Draws written sentences of one claim.

At each choice, the alternative taken least often for its weight is taken next, so that all of them
appear as early as the number of draws allows. An alternative's weight grows with the logarithm of
its number of sentences, so that no large list crowds out the others.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

from hassil.expression import (
    Alternative,
    Expression,
    Group,
    ListReference,
    Permutation,
    TextChunk,
)
from hassil.intents import RangeSlotList, SlotList, TextSlotList, WildcardSlotList

from assistant.core.speakable import ANYTHING
from assistant.english.templates import DOUBLED, FREE_TEXT
from nlu.grammar.binding import IGNORED
from nlu.grammar.lists import WRITTEN
from nlu.speakable.free_text import SHORT, FreeText, chunks
from nlu.speakable.spoken import spoken
from nlu.speakable.value_classes import ValueClasses

_TRIES = 10
_FEWEST_OWN = 2
"""Words that a sentence has at least beside anything."""


class Filled(NamedTuple):
    """The characters of a written sentence that fill a slot."""

    slot: str
    start: int
    end: int


@dataclass(slots=True)
class _Choice:
    """An alternative that holds sentences, and how often it has been taken."""

    index: int
    weight: float
    taken: int = 0


class SentenceSource:
    """Draws sentences of one claim."""

    def __init__(
        self,
        lists: dict[str, SlotList],
        sentences: Sequence[Expression],
        seed: str,
        classes: ValueClasses | None = None,
        given: Mapping[str, Sequence[str]] = MappingProxyType({}),
        free_text: FreeText = SHORT,
        skill: str = "",
        intent: str = "",
    ) -> None:
        self._lists, self._classes, self._free = lists, classes, free_text
        self._skill, self._intent = skill, intent
        self._given = {slot: [TextChunk(name) for name in names] for slot, names in given.items()}
        self._rng = random.Random(seed)
        self._choices: dict[int, list[_Choice]] = {}
        self._sizes: dict[int, float] = {}
        self._listed: dict[str, Sequence[Expression]] = {}
        self._decks: dict[int, list[Expression]] = {}
        self._words: dict[int, list[Expression]] = {}
        self._filled: list[Filled] = []
        self._root = Alternative([s for s in sentences if self._size(s)])
        self.size = self._size(self._root)

    def draw(self) -> str:
        """One sentence in spoken form, "" in the rare case that none was found."""
        return spoken(self.draw_written()[0])

    def draw_written(self) -> tuple[str, list[Filled]]:
        """One sentence as written and where its slots stand, "" in the rare case of none."""
        for _ in range(_TRIES):
            self._filled.clear()
            said = self._say(self._root)
            once = len({filled.slot for filled in self._filled}) == len(self._filled)
            # No slot is said twice, and no preposition.
            if once and DOUBLED.search(said) is None and _tells(said):
                return said, list(self._filled)
        return "", []

    def _say(self, expression: Expression, before: str = "") -> str:
        """Words for an expression; `before` are those that stand before it."""
        while type(expression) is Alternative:
            expression = self._next(expression)
        if type(expression) is TextChunk:
            return expression.text
        if isinstance(expression, ListReference):
            said = self._say(self._value(expression, before), before)
            if expression.slot_name != IGNORED:
                at = len(before)
                self._filled.append(Filled(expression.slot_name, at, at + len(said)))
            return said
        if not isinstance(expression, Group):
            raise TypeError(f"no part of a sentence: {expression!r}")
        items = expression.items
        if isinstance(expression, Permutation):
            items = list(items)
            self._rng.shuffle(items)
        said = ""
        for item in items:
            said += item.text if type(item) is TextChunk else self._say(item, before + said)
        return said

    def _value(self, reference: ListReference, before: str) -> Expression:
        """The next value of a list in a shuffled order, each once before any comes again."""
        deck = self._decks.setdefault(id(reference), [])
        if not deck:
            values = self._values(reference)
            if values is self._free.things and before.endswith(" to "):
                values = self._free.actions
            deck.extend(self._classed(values) or self._rng.sample(values, len(values)))
            if self._free.is_open(self._intent, reference.slot_name):
                deck.append(_ANYTHING)
        return deck.pop()

    def _classed(self, values: Sequence[Expression]) -> list[Expression]:
        if self._classes is None:
            return []
        key = id(values)
        if key not in self._words:
            word = self._classes.word(values)
            self._words[key] = [TextChunk(word)] if word else []
        return self._words[key]

    def _next(self, alternative: Alternative) -> Expression:
        items = alternative.items
        choices = self._choices.get(id(alternative))
        if choices is None:
            sizes = ((index, self._size(item)) for index, item in enumerate(items))
            choices = [_Choice(index, math.log2(1 + size)) for index, size in sizes if size]
            self._choices[id(alternative)] = choices
        draw = self._rng.random
        least, chosen = math.inf, choices[0]
        for choice in choices:  # min with a key takes twice the time
            turn = (choice.taken + draw()) / choice.weight
            if turn < least:
                least, chosen = turn, choice
        chosen.taken += 1
        return items[chosen.index]

    def _values(self, reference: ListReference) -> Sequence[Expression]:
        name, slot = reference.list_name, reference.slot_name
        if isinstance(self._lists[name], WildcardSlotList):
            free = _FREE_TEXT.get(name) or self._free.values(self._skill, slot)
            return self._given.get(slot) or free
        if name not in self._listed:
            self._listed[name] = _list_values(self._lists[name])
        return self._listed[name]

    def _size(self, expression: Expression) -> float:
        """How many sentences an expression stands for; 0 for an empty list."""
        if type(expression) is TextChunk:
            return 1
        key = id(expression)
        if key not in self._sizes:
            self._sizes[key] = self._count(expression)
        return self._sizes[key]

    def _count(self, expression: Expression) -> float:
        if isinstance(expression, ListReference):
            return sum([self._size(value) for value in self._values(expression)])
        if isinstance(expression, Alternative):
            return sum([self._size(item) for item in expression.items])
        if isinstance(expression, Group):
            orders = (
                math.factorial(len(expression.items)) if isinstance(expression, Permutation) else 1
            )
            return orders * math.prod([self._size(item) for item in expression.items])
        return 1


_ANYTHING = TextChunk(ANYTHING)
_FREE_TEXT = {name: chunks(texts) for name, texts in FREE_TEXT.items()}


def _tells(said: str) -> bool:
    """Whether words of a sentence tell what anything is for: one or none of its own is too few."""
    words = said.split()
    return ANYTHING not in words or (words[0] != ANYTHING and len(words) > _FEWEST_OWN)


def _list_values(values: SlotList) -> Sequence[Expression]:
    if isinstance(values, TextSlotList):
        return [(value.metadata or {})[WRITTEN] for value in values.values]
    if isinstance(values, RangeSlotList):
        return [TextChunk(str(n)) for n in _said_numbers(values.start, values.stop, values.step)]
    raise TypeError(f"no list of values: {values!r}")


def _said_numbers(start: int, stop: int, step: int) -> list[int]:
    """All numbers up to a hundred, and round ones above."""
    numbers = [n for n in range(start, min(stop, 100) + 1) if (n - start) % step == 0]
    rounds = [*range(110, 200, 10), *range(200, 1000, 50), *range(1000, 10_001, 1000)]
    return numbers + [n for n in rounds if start <= n <= stop and (n - start) % step == 0]
