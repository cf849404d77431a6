"""The directions that the words of a command name, such as "on" or "unlock"."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from assistant.core.messages import Slot
from assistant.english.commands.directions import DIRECTIONS, LONGEST
from nlu.text.canonical import Canonical

_PLACES = frozenset(("floor", "level", "storey", "list", "side"))
"""Words of places and things that something is "on"."""
_VERBS = frozenset(("turn", "switch", "put", "flick", "come", "go"))
"""Verbs whose "on" is no preposition: "turn on the kitchen light"."""
_LONGEST_PLACE = 3
_LONGEST_NAME = 5

Named = Callable[[str], Slot | None]
"""Gives the area, floor or device that canonical words name."""


def directions(said: Canonical, named: Named) -> tuple[str, ...]:
    """The directions that a text names, each once, in the order in which they were said."""
    words = tuple(token.text for token in said.tokens)
    return tuple(dict.fromkeys(_said(words, named)))


def _said(words: tuple[str, ...], named: Named) -> Iterator[str]:
    at = 0
    while at < len(words):
        if called := _name_at(words, at, named):  # "lock up" may be a script
            at += called
            continue
        lengths = range(min(LONGEST, len(words) - at), 0, -1)
        length = next((n for n in lengths if words[at : at + n] in DIRECTIONS), 0)
        verb = at > 0 and words[at - 1] in _VERBS
        if verb or not (words[at] == "on" and _is_place(words[at + 1 :], named)):
            yield from DIRECTIONS.get(words[at : at + length], ())
        at += length or 1


def _name_at(words: tuple[str, ...], at: int, named: Named) -> int:
    """The number of words of the device's name that begins at a place; 0 for none."""
    for length in range(min(_LONGEST_NAME, len(words) - at), 1, -1):
        slot = named(" ".join(words[at : at + length]))
        if slot is not None and slot.name == "name":
            return length
    return 0


def _is_place(words: tuple[str, ...], named: Named) -> bool:
    """Whether words begin with a place that something may be on: "on the first floor"."""
    words = words[words[:1] in (("my",), ("our",), ("a",)) :]
    begins = (words[:n] for n in range(1, min(_LONGEST_PLACE, len(words)) + 1))
    return any(
        w[-1] in _PLACES or ((slot := named(" ".join(w))) and slot.name in ("area", "floor"))
        for w in begins
    )
