"""Actions that open a way into the home, and are therefore never done on a guess."""

from __future__ import annotations

from collections.abc import Iterable

from assistant.skill.context import Request
from assistant.skill.home import Entity
from assistant.skill.reply import Undo

SURE = 0.85
"""Least confidence at which something is opened without a question."""

_ENTRIES = ("garage", "gate", "door", "window")
"""Classes of covers that are a way in."""


def opens(entity: Entity, state: str) -> bool:
    """Whether this state of a device lets somebody in, or water flow."""
    if entity.domain == "lock":
        return state != "locked"
    if entity.domain == "valve":
        return state != "closed"
    if entity.domain != "cover" or state == "closed":
        return False
    device_class = entity.fact("device_class")
    words = entity.name.casefold()
    return device_class in _ENTRIES if device_class else any(way in words for way in _ENTRIES)


def opened_by(undoing: Iterable[Undo], entities: Iterable[Entity]) -> list[Entity]:
    """The devices that taking something back would open."""
    states = {undo.id: str(undo.value) for undo in undoing if undo.operation == "home.set"}
    return [e for e in entities if e.id in states and opens(e, states[e.id])]


def too_unsure_to_open(request: Request, entities: Iterable[Entity], state: str) -> bool:
    """Whether this state opens something, and the command was not heard well enough."""
    least = min([request.confidence, *(slot.confidence for slot in request.slots)])
    return least < SURE and any(opens(entity, state) for entity in entities)
