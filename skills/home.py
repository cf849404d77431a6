"""Lights, switches and other devices, by name or by room."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Annotated

from assistant.skill import (
    Area,
    Context,
    Entity,
    Reply,
    Request,
    Skill,
    Undo,
    domains,
    prompt,
)
from assistant.skill.spoken import count

SWITCHED = ("light", "switch", "fan", "media_player")
"""Domains that can be on or off."""

EVERYWHERE = frozenset(("all", "every", "everything", "everywhere"))
"""Words that mean the whole home and not the speaker's room."""

Switchable = Annotated[Entity, domains(*SWITCHED)]
Light = Annotated[Entity, domains("light")]
Percent = Annotated[int, prompt("To how many percent?")]


class Domain(Enum):
    """Kinds of devices that can be named together."""

    LIGHT = "light"
    SWITCH = "switch"
    FAN = "fan"


class State(Enum):
    """States that one can ask about."""

    ON = "on"
    OFF = "off"
    OPEN = "open"
    CLOSED = "closed"
    LOCKED = "locked"
    UNLOCKED = "unlocked"


skill = Skill("home", description="turn lights and switches on and off")
skill.rule("turn", "(turn|switch|put)")
skill.rule("light", "(light|lights|lighting|lamp|lamps)")
skill.rule("where", "in [the|my] {area}")
skill.rule("every", "(all|all the|all of the|every)")
skill.rule("everywhere", "(everywhere|in the [whole] house|at home)")
skill.rule("set", "(set|change|turn|make|adjust|bring)")
skill.rule("percent", "{brightness} [percent|per cent]")


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
    name: Switchable | None = None,
    area: Area | None = None,
    domain: Domain | None = None,
) -> Reply:
    """Turn devices on."""
    target = _target(request, context, name, area, domain)
    return _bring(target, "on", "I turned on {}.", context)


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
    name: Switchable | None = None,
    area: Area | None = None,
    domain: Domain | None = None,
) -> Reply:
    """Turn devices off."""
    target = _target(request, context, name, area, domain)
    return _bring(target, "off", "I turned off {}.", context)


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
)
def set_brightness(
    request: Request,
    brightness: Percent,
    context: Context,
    name: Light | None = None,
    area: Area | None = None,
) -> Reply:
    """Bring lights to a brightness."""
    if not 0 <= brightness <= 100:
        return Reply("A brightness is from zero to 100 percent.", done=False)
    state = f"{brightness}%" if brightness else "off"
    target = _target(request, context, name, area, Domain.LIGHT)
    return _bring(target, state, f"I set {{}} to {brightness} percent.", context)


@skill.intent(
    "HassGetState",
    "is [the|my] {name} {state}",
    "(are|is) [the|my] {name} (turned|switched) {state}",
    "(what is|what's|whats) the (state|status) of [the|my] {name}",
    "(what is|what's|whats) [the|my] {name} [state|status]",
)
@skill.intent(
    "HassGetState",
    "(is|are) [the|any|all] <light> {state} [<where>]",
    "(is|are) [the|any|all] <light> <where> {state}",
    "(is|are) [the|any|all] {area} <light> {state}",
    "(which|what) <light> (is|are) {state} [<where>]",
    "(which|what) <light> <where> (is|are) {state}",
    fixed={"domain": "light"},
)
def get_state(
    request: Request,
    context: Context,
    name: Entity | None = None,
    state: State | None = None,
    area: Area | None = None,
    domain: Domain | None = None,
) -> Reply:
    """Say a device's state, or which devices are in a state."""
    if name is not None:
        verdict = "" if state is None else "Yes, " if _is(name, state) else "No, "
        return Reply(_capital(f"{verdict}{_the(name)} is {_told(name.state)}."))
    target = _target(request, context, None, area, domain)
    if not target.entities:
        return target.unknown
    wanted = state or State.ON
    names = [_the(entity) for entity in target.entities if _is(entity, wanted)]
    verdict = _verdict(request, len(names), len(target.entities))
    if not names:
        return Reply(_capital(f"{verdict}no {target.kind}{target.where} is {wanted.value}."))
    verb = "is" if len(names) == 1 else "are"
    return Reply(_capital(f"{verdict}{context.say(names)} {verb} {wanted.value}."))


def _verdict(request: Request, those: int, of: int) -> str:
    """ "Yes" or "No" where the question wants one: "are all the lights off", "is a light on"."""
    words = request.text.split()
    if not words or words[0] not in ("is", "are"):
        return ""
    enough = those == of if "all" in words else those > 0
    return "Yes, " if enough else "No, only " if those else "No, "


@dataclass(frozen=True)
class _Target:
    """The devices that are meant: of a `kind`, in the area that `where` names, if any."""

    entities: tuple[Entity, ...]
    kind: str
    where: str

    @property
    def words(self) -> str:
        """What they are together: "the desk lamp", "two lights in the kitchen"."""
        if len(self.entities) == 1:
            return _the(self.entities[0])
        return f"{count(len(self.entities), self.kind)}{self.where}"

    @property
    def unknown(self) -> Reply:
        """The reply when there are none."""
        return Reply(f"I don't know of any {self.kind}{self.where}.", done=False)


def _target(
    request: Request,
    context: Context,
    name: Entity | None,
    area: Area | None,
    domain: Domain | None,
) -> _Target:
    """The named device, or those in an area: the one said, the speaker's, or the whole home."""
    if name is not None:
        return _Target((name,), name.domain, "")
    area = area or (None if EVERYWHERE.intersection(request.text.split()) else context.area)
    wanted = (domain.value,) if domain else SWITCHED
    found = tuple(
        entity
        for entity in context.home.entities
        if entity.domain in wanted and (area is None or entity.area == area.id)
    )
    where = f" in the {area.name.casefold()}" if area else ""
    return _Target(found, domain.value if domain else "device", where)


def _bring(target: _Target, state: str, told: str, context: Context) -> Reply:
    if not target.entities:
        return target.unknown
    for entity in target.entities:
        context.home.set_state(entity.id, state)
    undo = tuple(Undo("home.set", entity.id, entity.state) for entity in target.entities)
    return Reply(told.format(target.words), undo=undo)


def _the(entity: Entity) -> str:
    return f"the {entity.name.casefold()}"


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]


def _told(state: str) -> str:
    return f"at {state[:-1]} percent" if state.endswith("%") else state


def _is(entity: Entity, wanted: State) -> bool:
    if wanted is State.ON:
        return entity.state == "on" or entity.state.endswith("%")
    return bool(entity.state == wanted.value)
