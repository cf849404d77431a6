"""The brightness and the colour of lights."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from assistant.skill import (
    Colour,
    Context,
    Dialog,
    Entity,
    Reply,
    Request,
    Skill,
    SlotValue,
    Traits,
    domains,
    prompt,
    unless,
)
from skills.home.extent import find_all
from skills.home.levels import colour_modes, is_dimmable
from skills.home.setting import bring
from skills.home.targets import Place, Target, TargetMention, capital, narrowed, the

COLDEST_K, WARMEST_K = 10_000, 1_000
"""Colour temperatures of white between which Home Assistant's sentences can name one."""

_COLOURED = frozenset(("hs", "xy", "rgb", "rgbw", "rgbww"))
"""Home Assistant's names for the ways of a light to have colours."""

Light = Annotated[str, domains("light")]
Brightness = Annotated[int | None, prompt("To how many percent?"), unless("color", "temperature")]

skill = Skill("home")


@skill.intent(
    "HassLightSet",
    "<set> [the|my] {name} [brightness] to <percent> [brightness]",
    "<set> [the] brightness of [the|my] {name} to <percent>",
    "(set|make) [the|my] ({name}|<light>) {brightness} (percent|per cent)",
    "turn [the|my] ({name}|<light>) (up|down) to <percent>",
    "turn (up|down) [the|my] ({name}|<light>) to <percent>",
    "(dim|brighten) [the|my] {name} to <percent>",
    "<set> [the|my] {area} (<light>|brightness) to <percent> [brightness]",
    "<set> [the] <light> [<where>] to <percent> [brightness]",
    "<set> [the] brightness [<where>] to <percent>",
    "(dim|brighten) [the] <light> [<where>] to <percent>",
    "(dim|brighten) [the|my] {area} [<light>] to <percent>",
    "(dim|brighten) [the|my] ({name}|<light>)",
    traits=Traits(about=("light", "lamp"), needs_slot=True, placed=True, takes=("excluded",)),
)
def set_light(
    request: Request,
    brightness: Brightness,
    context: Context,
    place: Place,
    name: Light | None = None,
    color: Colour | None = None,
    temperature: int | None = None,
) -> Dialog:
    """Bring lights to a brightness or a colour."""
    if brightness is not None and not 0 <= brightness <= 100:
        return Reply("A brightness is from zero to 100 percent.", done=False)
    if temperature is not None and not WARMEST_K <= temperature <= COLDEST_K:
        told = f"A white is from {WARMEST_K} to {COLDEST_K} kelvin."
        return Reply(told, done=False)
    if color is not None and not color.name:
        return Reply("I know colours by their names, such as red.", done=False)
    target = yield from find_all(TargetMention(name, place, "light"), request, context)
    target = yield from narrowed(target, context)
    if not target.entities:
        return target.unknown
    if color is not None:
        coloured = tuple(e for e in target.entities if not _is_plain(e))
        if not coloured:
            return Reply(capital(_without_colours(target)), done=False)
        target = replace(target, entities=coloured)
    if brightness is not None and 0 < brightness < 100:
        dimmed = tuple(e for e in target.entities if is_dimmable(e))
        if not dimmed:
            return Reply(f"I can't dim {target.words}.", done=False)
        target = replace(target, entities=dimmed)
    undo = [
        step
        for light in target.entities
        for step in bring(context, light, _state(light, brightness), **_colour(color, temperature))
    ]
    words = [f"{brightness} percent"] if brightness is not None else []
    words += [color.name] if color else []
    words += [f"{temperature} kelvin"] if temperature is not None else []
    told = f"I set {target.those} to {context.say(words)}{target.but}."
    return Reply(told, undo=tuple(undo))


def _state(light: Entity, brightness: int | None) -> str:
    """The state to set; a colour alone turns on a light that is off."""
    if brightness is None:
        return "on" if light.state == "off" else ""
    return f"{brightness}%" if brightness else "off"


def _is_plain(light: Entity) -> bool:
    """Whether a light has told that it has no colours."""
    modes = colour_modes(light)
    return modes is not None and _COLOURED.isdisjoint(modes)


def _without_colours(target: Target) -> str:
    if len(target.entities) == 1:
        return f"{the(target.entities[0])} has no colours."
    return f"no {target.kind}{target.where} has colours."


def _colour(color: Colour | None, temperature: int | None) -> dict[str, SlotValue]:
    """The attributes to set: a light has one colour or one white, so the other is removed."""
    if color is None and temperature is None:
        return {}
    name = color.name if color else None
    return {"color": name, "color_temp_kelvin": None if name else temperature}
