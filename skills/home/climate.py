"""The temperature: what it is, and setting it."""

from __future__ import annotations

from typing import Annotated, Any

from assistant.english.commands.states import APPLIANCES, OUTDOORS
from assistant.english.words import words
from assistant.skill import (
    Context,
    Dialog,
    Entity,
    Reply,
    Request,
    Skill,
    Traits,
    domains,
    prompt,
)
from skills.home.levels import PROPERTIES
from skills.home.setting import bring
from skills.home.targets import ALL, Place, TargetMention, capital, find, one_of, the
from skills.home.wording import described, known

Thermostat = Annotated[str, domains("climate", "water_heater")]
Degrees = Annotated[float, prompt("To how many degrees?")]

HEAT = PROPERTIES["temperature"]
WARMTH = ("heating", "heat", "heater", "thermostat", "radiator", "climate")

skill = Skill("home")


@skill.serve("HassClimateGetTemperature", traits=Traits(asks=True, about=WARMTH, placed=True))
def get_temperature(
    request: Request,
    context: Context,
    place: Place,
    name: Annotated[str, domains("climate", "sensor")] | None = None,
) -> Reply:
    """Say how warm it is."""
    wanted = TargetMention(name, place, likely=("climate", "sensor"))
    told = find(wanted, request, context)
    of_place = (e for e in told.entities if name is not None or not _in_appliance(e))
    for entity in sorted(of_place, key=lambda e: e.domain != "climate"):
        if warmth := _warmth(entity, named=name is not None):
            told_by = f"{the(entity)} shows" if name else "it's"
            text = f"{capital(told_by)} {warmth}{told.where}."
            return Reply(text, about=(entity.id,))
    outside = place.area is not None and is_outdoors(place.area.name)
    if outside and (warmth := _of_weather(context)):
        return Reply(f"It's {warmth} outside.")
    return Reply(f"I don't know the temperature{told.where}.", done=False)


def is_outdoors(name: str) -> bool:
    """Whether the name of a place or a sensor says that it is outside."""
    return not OUTDOORS.isdisjoint(words(name))


def _in_appliance(entity: Entity) -> bool:
    """Whether a sensor measures inside of something, and not a room."""
    return not APPLIANCES.isdisjoint(words(entity.name))


def _of_weather(context: Context) -> str:
    """How warm it is outside by the home's weather device; "" where there is none."""
    told = (e.attributes.get("temperature") for e in context.home.entities if e.domain == "weather")
    return next((degrees(figure) for figure in told if figure is not None), "")


@skill.serve("HassClimateSetTemperature", traits=Traits(about=WARMTH, placed=True))
def set_temperature(
    request: Request,
    temperature: Degrees,
    context: Context,
    place: Place,
    name: Thermostat | None = None,
    domain: str = "climate",
    on: bool = False,
) -> Dialog:
    """Set how warm it, or the water, shall be, and with `on` turn it on as well."""
    of_kind = domain if name is None or name.casefold() == ALL else None
    wanted = TargetMention(name, place, of_kind, likely=HEAT.domains)
    target = find(wanted, request, context)
    thermostat = yield from one_of(target, context)
    if thermostat is None:
        return target.unknown
    least, most = HEAT.limits(thermostat)
    if not least <= temperature <= most:
        told = f"{the(thermostat)} takes {least:g} to {most:g} degrees."
        return Reply(told[0].upper() + told[1:], done=False)
    begins = on and thermostat.state == "off"
    undo = bring(context, thermostat, "on" if begins else "", temperature=temperature)
    told = f"turned on {the(thermostat)} and set it" if begins else f"set {the(thermostat)}"
    still = " It is off." if thermostat.state == "off" and not begins else ""
    text = f"I {told} to {degrees(temperature)}.{still}"
    return Reply(text, undo=tuple(undo), about=(thermostat.id,))


def _warmth(entity: Entity, named: bool) -> str:
    """What a thermostat or a thermometer measures, in words; "" for nothing."""
    if entity.domain == "climate":
        measured = entity.attributes.get("current_temperature")
        return "" if measured is None else degrees(measured)
    thermometer = named or entity.fact("device_class") == "temperature"
    return described(entity) if thermometer and known(entity) else ""


def degrees(measured: Any) -> str:
    """A temperature in words: "21 degrees"."""
    figure = f"{measured:g}" if isinstance(measured, int | float) else str(measured)
    return f"{figure} degree" if figure == "1" else f"{figure} degrees"
