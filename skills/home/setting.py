"""Brings devices into a state, with the undo for it, and sends them commands."""

from __future__ import annotations

from collections.abc import Sequence

from assistant.skill import Context, Entity, Reply, SlotValue, Undo
from skills.home.levels import POSITIONS, PROPERTIES, colour_of
from skills.home.targets import the

FULLY_OPEN = 100
"""Position of an open cover, in percent."""
LEFT = Reply("Okay, I left it as it is.")


def bring(context: Context, entity: Entity, state: str, **attributes: SlotValue) -> list[Undo]:
    """Set a device's state ("" leaves it) and attributes, and return the undo for it."""
    undo = []
    if state:
        context.home.set_state(entity.id, state)
        undo.append(Undo("home.set", entity.id, entity.state))
    for name, value in attributes.items():
        context.home.set_attribute(entity.id, name, value)
        undo.append(Undo("home.set_attribute", entity.id, _before(entity, name), name))
    return undo


def _before(entity: Entity, name: str) -> SlotValue:
    """An attribute as it was, also where the device has told it by another name."""
    told: SlotValue = entity.attributes.get(name)
    if told is None and name == POSITIONS[0]:
        told = entity.attributes.get(POSITIONS[1])
    if told is None and name == "color" and not entity.attributes.get("color_temp_kelvin"):
        told = colour_of(entity)
    return told


def bring_all(
    context: Context, entities: Sequence[Entity], state: str, **attributes: SlotValue
) -> tuple[Undo, ...]:
    """`bring` for several devices."""
    return tuple(u for entity in entities for u in bring(context, entity, state, **attributes))


def move_whole(context: Context, entities: Sequence[Entity], state: str) -> tuple[Undo, ...]:
    """Open or close covers as far as they go; one that stood part of the way goes back there."""
    undo = list[Undo]()
    for entity in entities:
        undo += bring(context, entity, state)
        if entity.domain in PROPERTIES["position"].domains:
            stood = _before(entity, POSITIONS[0])
            partly = None if stood in (0, FULLY_OPEN) else stood
            for told in POSITIONS:
                context.home.set_attribute(entity.id, told, None)
            undo.append(Undo("home.set_attribute", entity.id, partly, POSITIONS[0]))
    return tuple(undo)


def commanded(context: Context, entity: Entity, command: str, told: str) -> Reply:
    """Send a command that is no state; `told` is the reply when it was sent."""
    if not context.home.command(entity.id, command):
        return out_of_reach(entity)
    return Reply(told)


def out_of_reach(entity: Entity) -> Reply:
    """The reply when the broker is away."""
    return Reply(f"I can't reach {the(entity)} now.", done=False)
