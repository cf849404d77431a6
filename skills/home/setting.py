"""Brings devices into a state, with the undo for it, and sends them commands."""

from __future__ import annotations

from collections.abc import Sequence

from assistant.skill import Context, Entity, Reply, SlotValue, Undo
from skills.home.targets import the

LEFT = Reply("Okay, I left it as it is.")


def bring(context: Context, entity: Entity, state: str, **attributes: SlotValue) -> list[Undo]:
    """Set a device's state ("" leaves it) and attributes, and return the undo for it."""
    undo = []
    if state:
        context.home.set_state(entity.id, state)
        undo.append(Undo("home.set", entity.id, entity.state))
    for name, value in attributes.items():
        context.home.set_attribute(entity.id, name, value)
        undo.append(Undo("home.set_attribute", entity.id, entity.attributes.get(name), name))
    return undo


def bring_all(
    context: Context, entities: Sequence[Entity], state: str, **attributes: SlotValue
) -> tuple[Undo, ...]:
    """`bring` for several devices."""
    return tuple(u for entity in entities for u in bring(context, entity, state, **attributes))


def commanded(context: Context, entity: Entity, command: str, told: str) -> Reply:
    """Send a command that is no state; `told` is the reply when it was sent."""
    if not context.home.command(entity.id, command):
        return out_of_reach(entity)
    return Reply(told)


def out_of_reach(entity: Entity) -> Reply:
    """The reply when the broker is away."""
    return Reply(f"I can't reach {the(entity)} now.", done=False)
