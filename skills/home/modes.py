"""The modes of humidifiers, water heaters, thermostats and fans: what they are set to work by."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from assistant.skill import (
    Area,
    Context,
    Dialog,
    Entity,
    Reply,
    Request,
    Skill,
    Traits,
    choices,
    domains,
    prompt,
)
from skills.home.setting import bring
from skills.home.targets import Place, TargetMention, capital, find, one_of, the

MODE_OF = {"humidifier": "mode", "climate": "preset_mode", "fan": "preset_mode", "water_heater": ""}
"""Domain → the attribute that is the mode, "" where the state is."""
OF_STATE = {"climate": "hvac_modes", "water_heater": "operation_list"}
"""Domain whose states are modes, too → the attribute that lists them."""
_LISTED = {"humidifier": "available_modes", "climate": "preset_modes", "fan": "preset_modes"}
"""Domain → the attribute that lists the modes that are none of its states."""
_STATES = frozenset(("heat", "cool", "heat_cool", "auto", "dry", "fan_only"))
"""States of a thermostat that tells no list of them."""
_MODES = (
    *("eco", "normal", "sleep", "auto", "away", "boost", "comfort", "home", "baby", "activity"),
    *("electric", "performance", "high demand", "heat pump", "gas", "heat", "cool", "dry"),
    *("fan only", "heat cool", "whoosh", "breeze", "night", "quiet", "turbo", "smart"),
)
"""Modes as Home Assistant names them; a closed list, so that speech recognition can know them."""

Mode = Annotated[str, choices(*_MODES), prompt("To which mode?")]

skill = Skill("home")
skill.rule("work", "(set|put|switch|change|turn)")
skill.rule("by_mode", "(to|on|in|into|onto) {mode} [mode]")


@skill.intent(
    "SetMode",
    "<work> [the|my] {name} <by_mode>",
    "<work> [the|my] {name}'s mode to {mode}",
    "<work> the mode of [the|my] {name} to {mode}",
    "[the|my] {name} (to|in|into) {mode} mode",
    "[the|my] {name} (to|on) {mode}",
    traits=Traits(about=("mode",), needs_slot=True, placed=True),
)
@skill.intent(
    "SetMode",
    "<work> [the|my] (heating|thermostat|central heating) <by_mode> [<where>]",
    "<work> [the|my] (heating|thermostat) <where> <by_mode>",
    "<work> [the|my] {area} (heating|thermostat) <by_mode>",
    fixed={"domain": "climate"},
)
@skill.intent(
    "SetMode",
    "<work> [the|my] (humidifier|dehumidifier) <by_mode> [<where>]",
    "<work> [the|my] (humidifier|dehumidifier) <where> <by_mode>",
    "<work> [the|my] {area} (humidifier|dehumidifier) <by_mode>",
    fixed={"domain": "humidifier"},
)
@skill.intent(
    "SetMode",
    "<work> [the|my] (boiler|water heater|hot water|immersion heater) <by_mode>",
    fixed={"domain": "water_heater"},
)
def set_mode(
    request: Request,
    mode: Mode,
    context: Context,
    area: Area | None = None,
    name: Annotated[str, domains(*MODE_OF)] | None = None,
    domain: str | None = None,
) -> Dialog:
    """Let a device work by another of its modes."""
    wanted = TargetMention(name, Place(area), domain, likely=tuple(MODE_OF))
    target = find(wanted, request, context)
    device = yield from one_of(target, context)
    if device is None:
        return target.unknown
    own = mode.replace(" ", "_")
    states, modes = _listed(device, OF_STATE), _listed(device, _LISTED)
    if (states or modes) and own not in states | modes:
        told = context.say(sorted(one.replace("_", " ") for one in (states | modes) - {"off"}))
        return Reply(f"{capital(the(device))} has no mode {mode}; it has {told}.", done=False)
    attribute = MODE_OF[device.domain]
    is_state = device.domain in OF_STATE and own in (states or _STATES)
    if is_state or not attribute:
        undo = bring(context, device, own)
    else:
        undo = bring(context, device, "", **{attribute: own})
    return Reply(f"I set {the(device)} to {mode}.", undo=tuple(undo), about=(device.id,))


def _listed(device: Entity, lists: Mapping[str, str]) -> frozenset[str]:
    """The modes that a device tells of in the one of `lists` that its domain has."""
    told = device.attributes.get(lists.get(device.domain, ""))
    return frozenset(map(str, told)) if isinstance(told, list | tuple) else frozenset()
