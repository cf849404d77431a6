"""Covers and valves that are opened part of the way."""

from __future__ import annotations

from typing import Annotated

from assistant.skill import (
    Confirm,
    Context,
    Dialog,
    Reply,
    Request,
    Skill,
    Traits,
    domains,
    prompt,
    too_unsure_to_open,
)
from skills.home.setting import LEFT, bring_all, out_of_reach
from skills.home.targets import Place, TargetMention, find

Cover = Annotated[str, domains("cover", "valve")]
Position = Annotated[int, prompt("To how many percent?")]

skill = Skill("home")


@skill.serve("HassStopMoving", traits=Traits(placed=True, directions=("stop", "pause")))
def stop_moving(
    request: Request,
    context: Context,
    place: Place,
    name: Cover | None = None,
    domain: str | None = None,
    device_class: str | None = None,
) -> Reply:
    """Stop covers where they are."""
    wanted = TargetMention(name, place, domain, device_class, likely=("cover", "valve"))
    target = find(wanted, request, context)
    if not target.entities or target.entities[0].domain not in wanted.likely:
        return target.unknown
    for cover in target.entities:
        if not context.home.command(cover.id, "stop"):
            return out_of_reach(cover)
    return Reply(f"I stopped {target.words}.")


@skill.serve("HassSetPosition", traits=Traits(needs_slot=True, placed=True, takes=("excluded",)))
def set_position(
    request: Request,
    position: Position,
    context: Context,
    place: Place,
    name: Cover | None = None,
    domain: str | None = None,
    device_class: str | None = None,
) -> Dialog:
    """Bring covers or valves to a position; 0 is closed."""
    if not 0 <= position <= 100:
        return Reply("A position is from zero to 100 percent.", done=False)
    wanted = TargetMention(name, place, domain, device_class, likely=("cover", "valve"))
    target = find(wanted, request, context)
    if not target.entities or target.entities[0].domain not in wanted.likely:
        return target.unknown
    state = "open" if position else "closed"
    question = f"Shall I open {target.words} to {position} percent?"
    if too_unsure_to_open(request, target.entities, state) and not (yield Confirm(question)):
        return LEFT
    undo = bring_all(context, target.entities, state, position=position)
    return Reply(f"I set {target.those} to {position} percent{target.but}.", undo=undo)
