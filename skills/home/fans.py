"""The speed of fans."""

from __future__ import annotations

from typing import Annotated

from assistant.skill import Context, Entity, Reply, Request, Skill, Traits, domains, prompt
from skills.home.levels import number
from skills.home.setting import bring_all
from skills.home.targets import Place, TargetMention, find

Fan = Annotated[str, domains("fan")]
Speed = Annotated[int, prompt("To how many percent?")]

skill = Skill("home")


@skill.serve("HassFanSetSpeed", traits=Traits(about=("fan",), needs_slot=True, placed=True))
def set_speed(
    request: Request, percentage: Speed, context: Context, place: Place, name: Fan | None = None
) -> Reply:
    """Bring fans to a speed; 0 turns them off."""
    if not 0 <= percentage <= 100:
        return Reply("A speed is from zero to 100 percent.", done=False)
    target = find(TargetMention(name, place, "fan"), request, context)
    if not target.entities:
        return target.unknown
    if not _is_share(request):
        percentage = _of_step(percentage, target.entities[0])
    state = "on" if percentage else "off"
    undo = bring_all(context, target.entities, state, percentage=percentage)
    return Reply(f"I set {target.those} to {percentage} percent{target.but}.", undo=undo)


def _is_share(request: Request) -> bool:
    """Whether a speed is said as a share, and not as the number of one of the fan's speeds."""
    return "percent" in request.text.casefold() or "%" in request.text


def _of_step(speed: int, fan: Entity) -> int:
    """The percentage of a fan's speed by its number: three of five is 60; others as they are."""
    step = number(fan.attributes.get("percentage_step")) or 1.0
    numbered = 0 < speed <= round(100 / step) < step
    return round(speed * step) if numbered else speed
