"""Turns devices on and off; this includes opening, locking, starting and their opposites."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from typing import Annotated

import msgspec

from assistant.skill import (
    Confirm,
    Context,
    Dialog,
    Entity,
    Reply,
    Request,
    Skill,
    Traits,
    domains,
    too_unsure_to_open,
)
from skills.home.actions import UNLOCK, Action, turned
from skills.home.extent import find_all
from skills.home.setting import LEFT, move_whole, out_of_reach
from skills.home.targets import (
    SWITCHED,
    Place,
    Target,
    TargetMention,
    capital,
    find,
    in_place,
    narrowed,
    the,
)
from skills.home.wording import be, described, is_in

Switchable = Annotated[str, domains(*SWITCHED)]
"""A device's name: of these domains in our own sentences, of any in the vocabulary's."""

ON = Traits(
    needs_slot=True,
    placed=True,
    of_all=True,
    directions=("on", "open", "lock", "start"),
    takes=("excluded",),
)
OFF = msgspec.structs.replace(ON, directions=("off", "close", "unlock", "stop", "return"))

skill = Skill("home")


@skill.intent(
    "HassTurnOn",
    "<turn> on [the|my] {name}",
    "<turn> [the|my] {name} on",
    "[the|my] {name} on",
    "(activate|enable|start) [the|my] {name}",
)
@skill.intent(
    "HassTurnOn",
    "<turn> on [the] <light>",
    "<turn> [the] <light> on",
    "<turn> on <every> <light> [<everywhere>|<where>]",
    "<turn> <every> <light> on [<everywhere>|<where>]",
    "<turn> on [the|my] {area} <light>",
    "<turn> [the|my] {area} <light> on",
    "[the|my] {area} <light> on",
    "<turn> on [the] <light> <where>",
    "<turn> [the] <light> on <where>",
    "<turn> [the] <light> <where> on",
    "(light up|illuminate) [the|my] {area}",
    "(<light> on|lights on) [<where>]",
    fixed={"domain": "light"},
    traits=ON,
)
@skill.intent(
    "HassTurnOn",
    "<turn> on [the|<every>] switches [<where>]",
    "<turn> [the|<every>] switches on [<where>]",
    "<turn> on [the|my] {area} switches",
    fixed={"domain": "switch"},
)
@skill.intent(
    "HassTurnOn",
    "<turn> on [the|<every>] (fan|fans) [<where>]",
    "<turn> [the|<every>] (fan|fans) on [<where>]",
    "<turn> on [the|my] {area} (fan|fans)",
    fixed={"domain": "fan"},
)
def turn_on(
    request: Request,
    context: Context,
    place: Place,
    name: Switchable | None = None,
    domain: str | None = None,
    device_class: str | None = None,
) -> Dialog:
    """Turn devices on."""
    wanted = TargetMention(name, place, domain, device_class)
    return (yield from _turn(wanted, request, context, on=True))


@skill.intent(
    "HassTurnOff",
    "<turn> off everything [<everywhere>|<where>]",
    "<turn> everything off [<everywhere>|<where>]",
    "everything off",
)
@skill.intent(
    "HassTurnOff",
    "<turn> off [the|my] {name}",
    "<turn> [the|my] {name} off",
    "[the|my] {name} off",
    "(deactivate|disable) [the|my] {name}",
)
@skill.intent(
    "HassTurnOff",
    "<turn> off [the] <light>",
    "<turn> [the] <light> off",
    "<turn> off <every> <light> [<everywhere>|<where>]",
    "<turn> <every> <light> off [<everywhere>|<where>]",
    "<turn> off [the|my] {area} <light>",
    "<turn> [the|my] {area} <light> off",
    "[the|my] {area} <light> off",
    "<turn> off [the] <light> <where>",
    "<turn> [the] <light> off <where>",
    "<turn> [the] <light> <where> off",
    "(<light> off|lights off|lights out) [<where>]",
    fixed={"domain": "light"},
    traits=OFF,
)
@skill.intent(
    "HassTurnOff",
    "<turn> off [the|<every>] switches [<where>]",
    "<turn> [the|<every>] switches off [<where>]",
    "<turn> off [the|my] {area} switches",
    fixed={"domain": "switch"},
)
@skill.intent(
    "HassTurnOff",
    "<turn> off [the|<every>] (fan|fans) [<where>]",
    "<turn> [the|<every>] (fan|fans) off [<where>]",
    "<turn> off [the|my] {area} (fan|fans)",
    fixed={"domain": "fan"},
)
def turn_off(
    request: Request,
    context: Context,
    place: Place,
    name: Switchable | None = None,
    domain: str | None = None,
    device_class: str | None = None,
) -> Dialog:
    """Turn devices off; everything of a room is its heating or cooling, too."""
    of_room = place.area is not None and place.floor is None
    likely = (*SWITCHED, "climate") if of_room else SWITCHED
    wanted = TargetMention(name, place, domain, device_class, likely)
    return (yield from _turn(wanted, request, context, on=False))


@skill.serve("NameDevice", traits=Traits(needs_slot=True))
def name_device(request: Request, context: Context, name: str) -> Dialog:
    """Ask what to do with a device that was only named."""
    target = find(TargetMention(name), request, context)
    entity = next(iter(target.entities), None)
    if entity is None:
        return target.unknown
    action = turned(entity, not is_in(entity, "on"))
    if entity.domain == "lock":
        action = turned(entity, True)
    if action is None or (entity.domain == "lock" and is_in(entity, "locked")):
        return Reply(capital(f"{the(entity)} {be(entity)} {described(entity)}."))
    question = f"Shall I {action.do.format(the(entity))}{_elsewhere(entity, context)}?"
    if not (yield Confirm(question)):
        return LEFT
    return _do(action, target, context)


def _elsewhere(entity: Entity, context: Context) -> str:
    """The room of a device in words, where it is not the speaker's, and not in its name."""
    area = next((a for a in context.home.areas if a.id == entity.area), None)
    if area is None or area == context.area or area.name.casefold() in entity.name.casefold():
        return ""
    return in_place(area, None)


def _turn(wanted: TargetMention, request: Request, context: Context, on: bool) -> Dialog:
    done = partial(is_in, state="on" if on else "off")
    target = yield from find_all(wanted, request, context, done)
    if not target.entities and wanted.device_class == "door":
        locks = find(replace(wanted, domain="lock", device_class=None), request, context)
        target = locks if locks.entities else target
    if not target.entities:
        return _only_sensed(wanted, request, context) or target.unknown
    target = yield from narrowed(target, context)
    action = turned(target.entities[0], on)
    if action is None:
        return Reply(f"I can't turn {'on' if on else 'off'} {target.words}.", done=False)
    if not action.asked(request.directions):
        return _not_so(action, target, on)
    # What a sentence means by its name alone says nothing of unlocking.
    unsaid = action is UNLOCK and "unlock" not in request.directions
    if unsaid or too_unsure_to_open(request, target.entities, action.state):
        question = f"Shall I {action.do.format(target.words)}?"
        if not (yield Confirm(question)):
            return LEFT
    return _do(action, target, context)


def _only_sensed(wanted: TargetMention, request: Request, context: Context) -> Reply | None:
    """The reply where a sensor tells of what is to be moved, and nothing can move it."""
    if wanted.device_class is None:
        return None
    sensors = find(replace(wanted, domain="binary_sensor"), request, context).entities
    if not sensors:
        return None
    told = f"I can't move {the(sensors[0])}; I can only tell whether it is open."
    return Reply(told, done=False)


def _not_so(action: Action, target: Target, on: bool) -> Reply:
    """The reply where something else is asked of a device than it can do."""
    other = turned(target.entities[0], not on)
    able = " or ".join(_of_it(one) for one in (action, other) if one is not None)
    return Reply(f"I can't do that with {target.words}; I can {able}.", done=False)


def _of_it(action: Action) -> str:
    """An action of "it" in words: "turn it on"."""
    return re.sub(r" (on|off) it$", r" it \1", action.do.format("it"))


def _do(action: Action, target: Target, context: Context) -> Reply:
    told = f"I {action.did.format(target.words)}."
    if action.state:
        undo = move_whole(context, target.entities, action.state)
        return Reply(told, undo=undo, about=tuple(e.id for e in target.entities))
    for entity in target.entities:
        if not context.home.command(entity.id, action.command):
            return out_of_reach(entity)
    return Reply(told)
