"""Relative changes: brighter, two degrees warmer, half as loud, the blinds a little lower."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import replace
from typing import Annotated

import msgspec

from assistant.english.commands.kinds import WHITE
from assistant.skill import (
    Change,
    Choose,
    Confirm,
    Context,
    Dialog,
    Entity,
    Reply,
    Request,
    Skill,
    SlotValue,
    Traits,
    Undo,
    choices,
    opened_by,
    too_unsure_to_open,
)
from skills.home.climate import degrees
from skills.home.extent import find_all
from skills.home.levels import (
    PROPERTIES,
    Property,
    has_whites,
    is_dimmable,
    number,
)
from skills.home.media import AUDIBLE, players
from skills.home.setting import LEFT, bring, commanded
from skills.home.targets import Place, Target, TargetMention, capital, find, narrowed, the

_ABLE: dict[str, tuple[Callable[[Entity], bool], str]] = {
    "brightness": (is_dimmable, "dim {}"),
    WHITE: (has_whites, "make {} warmer or cooler"),
}
"""Property that not every device of its domain has → whether one has it, and how it is changed."""
Levels = Annotated[str, choices(*PROPERTIES)]

skill = Skill("home")


@skill.serve("AdjustDevice", traits=Traits(needs_slot=True, placed=True, takes=("excluded",)))
def adjust(
    request: Request,
    level: Levels,
    change: Change,
    context: Context,
    place: Place,
    name: str | None = None,
    domain: str | None = None,
    device_class: str | None = None,
    than: str | None = None,
) -> Dialog:
    """Raise or lower the level of devices by an amount, or by a usual step.

    With `than`, it is changed until it is above or below that of another device.
    """
    what = PROPERTIES[level]
    wanted = TargetMention(
        name, place, domain or what.domains[0], device_class, likely=what.domains
    )
    target = yield from narrowed((yield from _meant(wanted, request, context)), context)
    those = [e for e in target.entities if e.domain in what.domains]
    if not those:
        return target.unknown
    if what.name in _ABLE:
        able, verb = _ABLE[what.name]
        those = [e for e in those if able(e)]
        if not those:
            return Reply(f"I can't {verb.format(target.words)}.", done=False)
        target = replace(target, entities=tuple(those))
    if len(those) == 1 and what.level(those[0]) is None and what.name == "volume":
        way = "up" if change.direction > 0 else "down"
        return commanded(context, those[0], f"volume_{way}", f"I turned {the(those[0])} {way}.")
    other = find(TargetMention(than), request, context).entities if than else ()
    if change.direction < 0 and other and what.level(other[0]) == 0:
        return Reply(capital(f"{the(other[0])} is off."), done=False)
    levels = {e.id: _new(e, what, change, other) for e in those}
    if unknown := next((e for e in those if levels[e.id] is None), None):
        return Reply(
            f"I don't know the {what.name.replace('_', ' ')} of {the(unknown)} now.", done=False
        )
    question = f"Shall I open {target.words} further?"
    opened = what.name == "position" and change.direction > 0
    if opened and too_unsure_to_open(request, those, "open") and not (yield Confirm(question)):
        return LEFT
    if change.direction < 0 and not any(what.level(e) for e in those):
        low = "off" if what.name == "brightness" else "as low as can be"
        verb = "is" if len(those) == 1 else "are"
        return Reply(capital(f"{target.words} {verb} {low}."), done=False)
    undo = [step for e in those for step in _set(context, e, what, levels[e.id] or 0.0)]
    if len(those) > 1:
        up = change.direction > 0
        done = f"turned {target.those} {'up' if up else 'down'}"
        if what.name == WHITE:
            done = f"made {target.those} {'cooler' if up else 'warmer'}"
        return Reply(f"I {done}{target.but}.", undo=tuple(undo))
    told = f"I set {the(those[0])} to {_said(levels[those[0].id], what)}."
    return Reply(told, undo=tuple(undo), about=(those[0].id,))


def _can_be_halved(request: Request, context: Context) -> bool:
    """Whether the last action changed levels, and taking a part of it back opens nothing."""
    said = context.conversation
    return (
        said.acted
        and not opened_by(said.undoing, context.home.entities)
        and bool(list(_halves(context)))
    )


@skill.short(
    "TakeBackHalf",
    "[no|woah|whoa|oh] not (that|so|quite so|quite that) much",
    "[no|woah|whoa|oh] [that is] [a bit|way|far|much] too (much|far)",
    holds=_can_be_halved,
)
def take_back_half(context: Context) -> Reply:
    """Take back half of the change that was made last."""
    halves = list(_halves(context))
    undo = [step for e, what, level in halves for step in _set(context, e, what, level)]
    told = [f"{the(e)} to {_said(level, what)}" for e, what, level in halves]
    about = tuple(entity.id for entity, _, _ in halves)
    return Reply(f"I set {context.say(told)}.", undo=tuple(undo), about=about)


def _halves(context: Context) -> Iterator[tuple[Entity, Property, float]]:
    """The devices whose level the last action changed, with the level halfway back."""
    steps: dict[str, list[Undo]] = {}
    for step in context.conversation.undoing:
        steps.setdefault(step.id, []).append(step)
    for entity in context.home.entities:
        before = entity
        for step in steps.get(entity.id, ()):
            before = _as_before(before, step)
        for what in PROPERTIES.values():
            if before is not entity and entity.domain in what.domains:
                levels = (what.level(entity), what.level(before))
                if levels[0] is not None and levels[1] is not None and levels[0] != levels[1]:
                    yield entity, what, _rounded((levels[0] + levels[1]) / 2, what)


def _as_before(entity: Entity, step: Undo) -> Entity:
    """A device as it was before one step of an action."""
    if step.operation == "home.set":
        return msgspec.structs.replace(entity, state=str(step.value))
    attributes = {**entity.attributes, step.name: step.value}
    return msgspec.structs.replace(entity, attributes=attributes)


def _meant(
    wanted: TargetMention, request: Request, context: Context
) -> Generator[Choose, str, Target]:
    """The devices to change; of several without a name, those that run."""
    if wanted.domain == "media_player":
        return players(wanted, request, context, AUDIBLE)
    target = yield from find_all(wanted, request, context)
    if wanted.name is not None or len(target.entities) < 2:
        return target
    running = tuple(e for e in target.entities if e.state not in ("off", "unknown", "unavailable"))
    return replace(target, entities=running or target.entities)


def _new(entity: Entity, what: Property, change: Change, than: Sequence[Entity]) -> float | None:
    """The new level of a device: a change of its own or, where that is further, of another's."""
    present = what.level(entity)
    if present is None:
        return None
    compared = [level for e in than if (level := what.level(e)) is not None]
    furthest = max if change.direction > 0 else min
    present = furthest((present, *compared))
    least, most = what.limits(entity)
    if what.name == "speed" and (step := number(entity.attributes.get("percentage_step"))):
        lowest = step if change.amount is None and present else least  # never quite off
        new = change.applied(present, step, lowest, most)
        steps = max(1, round(abs(new - present) / step))  # a fan has no speed between two
        return float(round(max(lowest, min(most, present + change.direction * steps * step))))
    new = change.applied(present, what.step, least, most)
    return _rounded(new, what)


def _rounded(level: float, what: Property) -> float:
    return round(level * 2) / 2 if what.name == "temperature" else float(round(level))


def _set(context: Context, entity: Entity, what: Property, level: float) -> list[Undo]:
    match what.name:
        case "brightness":
            return bring(context, entity, f"{level:g}%")
        case "volume":
            return bring(context, entity, "", volume_level=level / 100)
        case "position":
            state = "open" if level else "closed"
            return bring(context, entity, state, position=_whole(level))
        case "speed":
            return bring(context, entity, "on" if level else "off", percentage=_whole(level))
        case "colour_temperature":
            state = "on" if entity.state == "off" else ""
            return bring(context, entity, state, color=None, color_temp_kelvin=_whole(level))
    return bring(context, entity, "", **{what.name: _whole(level)})


def _whole(level: float) -> SlotValue:
    return int(level) if level == int(level) else level


def _said(level: float | None, what: Property) -> str:
    if what.unit == "°":
        return degrees(level or 0.0)
    return f"{level or 0:g} {'kelvin' if what.name == WHITE else 'percent'}"
