"""Which devices of a home are of a kind, and whom a word for a kind names in one room."""

from __future__ import annotations

from collections.abc import Iterator

from assistant.english.commands.kinds import KINDS, MAIN_LIGHTS, OF_PROPERTY, Kind
from assistant.skill.home import Entity, Home
from nlu.text.canonical import canonical

_OF_ALIAS = {**KINDS, **dict.fromkeys(MAIN_LIGHTS, OF_PROPERTY["brightness"])}
"""Canonical words that may be another name of a device, and are a kind of devices."""


def class_of(entity: Entity, kind: Kind) -> str:
    """The class of a kind that a device has: its own, or a word of its names; "" for none."""
    own = str(entity.fact("device_class") or "")
    names = [name.casefold() for name in (entity.name, *entity.aliases)]
    named = (one for one in kind.classes if any(one in name for name in names))
    return own if own in kind.classes else next(named, "")


def is_of(entity: Entity, kind: Kind) -> bool:
    """Whether a device is of a kind."""
    return entity.domain in kind.domains and (not kind.classes or class_of(entity, kind) != "")


def names_of_others(home: Home, area: str) -> frozenset[str]:
    """The canonical names that mean no device of another room when they are said in `area`.

    They are words for a kind, such as "telly", of which that room, by its id or name, has a device
    itself: who is in the bedroom means the one there, whatever the lounge's is called.
    """
    here = next((a.id for a in home.areas if area and area in (a.id, a.name)), None)
    if here is None:
        return frozenset()
    there = [entity for entity in home.entities if entity.area == here]
    return frozenset(
        name
        for entity in home.entities
        if entity.area != here
        for name, kind in _words_for_its_kind(entity)
        if any(is_of(other, kind) for other in there)
    )


def _words_for_its_kind(entity: Entity) -> Iterator[tuple[str, Kind]]:
    """The names of a device that are words for its kind; "Ceiling Light" is a name of its own."""
    for name in (entity.name, *entity.aliases):
        text = canonical(name).text
        kind = (KINDS if name == entity.name else _OF_ALIAS).get(tuple(text.split()))
        if kind is not None and is_of(entity, kind):
            yield text, kind
