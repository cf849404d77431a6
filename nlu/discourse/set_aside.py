"""Divides a text from the one clause of it that is a command of its own, and means nothing here.

    "hens out, floodlight off"      the floodlight is turned off, and "hens out" is told
    "floodlight off, film time"     may say why or when, so nothing is divided

What is set aside must ask for something by itself. Whatever might say when, why, of what or in
place of what the other clauses hold stays with them, and so the text stays as little understood.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from assistant.core.messages import Command
from assistant.english.commands.modifiers import TRAILING
from assistant.english.commands.words import ACTIONS, BEGINNINGS, QUESTIONS, RELATING, RELAYING
from nlu.discourse import clauses
from nlu.discourse.negation import addressed_to_other, unlikely_command
from nlu.discourse.reading import ReadPart
from nlu.text.canonical import Canonical, cuts, without_politeness

_MOST_CLAUSES = 5
_FEWEST = 2
_LONGEST = 5
"""Fewest and most words of a clause that is set aside."""
_JOINTS = ((), ("and",), ("also",), ("and", "also"), ("plus",))
"""What stands between clauses that are independent of each other; () is a pause."""


Read = Callable[[Canonical], Sequence[ReadPart] | None]
"""Gives the commands that a text surely holds, by itself; none where it is not understood."""


class Obeyed(NamedTuple):
    """The commands of the clauses that are understood, and the words of the one that is not."""

    readings: tuple[ReadPart, ...]
    missed: str


def obeyed(said: Canonical, read: Read, harmless: Callable[[Command], bool]) -> Obeyed | None:
    """The commands of all clauses but one that means nothing; None where they are not sure.

    They are `harmless`, for who sets a clause aside has read but half of what was said.
    """
    for clause, rest in _divisions(said):
        found = [read(one) for one in rest]
        parts = [part.with_words() for one in found for part in one or ()]
        sure = all(found) and all(harmless(part.command) for part in parts)
        if sure and not read(clause):
            return Obeyed(tuple(parts), clause.spoken(0, len(clause.text)))
    return None


def _divisions(said: Canonical) -> Iterator[tuple[Canonical, tuple[Canonical, ...]]]:
    """The ways to set a clause of a text aside: it, and what stands before and after it."""
    if said.asked or unlikely_command(said) or addressed_to_other(said) or clauses.repair(said):
        return
    said = without_politeness(said)
    words = tuple(token.text for token in said.tokens)
    places = list(cuts(said))
    if not 0 < len(places) < _MOST_CLAUSES or any(words[a:b] not in _JOINTS for a, b in places):
        return
    starts = (0, *(start for _, start in places))
    ends = (*(end for end, _ in places), len(words))
    for at, (start, end) in enumerate(zip(starts, ends, strict=True)):
        if not _asks_for_something(words[start:end], first=at == 0):
            continue
        before = (said.part(0, ends[at - 1]),) if at else ()
        after = (said.part(starts[at + 1], len(words)),) if at < len(places) else ()
        yield said.part(start, end), before + after


def _asks_for_something(words: tuple[str, ...], first: bool) -> bool:
    """Whether a clause is a command by itself, and touches no other clause.

    The `first` one may be what somebody is to be told: "note that the hens are out, lamp off".
    """
    if not _FEWEST <= len(words) <= _LONGEST or not RELATING.isdisjoint(words):
        return False
    if words[0] in QUESTIONS or (first and not RELAYING.isdisjoint(words)):
        return False
    return words[0] in BEGINNINGS or words[-1] in TRAILING or words[-1:] in ACTIONS
