"""Questions about levels: how bright, how loud, set to what, how humid, how much is left."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Annotated

from assistant.english.commands.states import PLACELESS_LEVELS
from assistant.english.units import measured
from assistant.skill import Context, Entity, Reply, Request, Skill, Traits, choices
from skills.home.climate import degrees, is_outdoors
from skills.home.levels import (
    brightness,
    colour_of,
    number,
    position,
    speed,
    target_humidity,
    target_temperature,
    volume,
)
from skills.home.modes import MODE_OF, OF_STATE
from skills.home.targets import ALL, Place, Target, TargetMention, capital, find, in_place, the
from skills.home.wording import be, described, known

skill = Skill("home")

_MOST_TOLD = 4
"""Most devices whose levels one reply tells."""
_PERCENT = "%"


@dataclass(frozen=True)
class Measure:
    """A level that can be asked for: its name, and where it is found."""

    noun: str
    classes: tuple[str, ...] = ()
    """Classes of the sensors that measure it."""
    domains: tuple[str, ...] = ()
    """Domains of the devices that have it, the first being those that are meant without a name."""
    read: Callable[[Entity], float | str | None] = lambda entity: None
    """What a device itself tells of it; None where it does not."""
    verb: str = "at"
    """The words between "is" and the level."""
    unit: str = ""

    @property
    def of_room(self) -> bool:
        """Whether a room has it, without a device being named."""
        return self.noun in PLACELESS_LEVELS


def _attribute(*names: str) -> Callable[[Entity], float | None]:
    def read(entity: Entity) -> float | None:
        found = (number(entity.attributes.get(name)) for name in names)
        return next((one for one in found if one is not None), None)

    return read


def _text(*names: str) -> Callable[[Entity], str | None]:
    def read(entity: Entity) -> str | None:
        return next((entity.fact(name) for name in names if entity.fact(name)), None)

    return read


def _target(entity: Entity) -> float | str | None:
    if entity.domain == "humidifier":
        return target_humidity(entity)
    single = target_temperature(entity)
    low, high = (number(entity.attributes.get(f"target_temp_{end}")) for end in ("low", "high"))
    if single is None and low is not None and high is not None:
        return f"{low:g} to {degrees(high)}"
    return single


def _mode(entity: Entity) -> str | None:
    own = entity.fact(MODE_OF.get(entity.domain, "mode"))
    return own or (entity.state.replace("_", " ") if entity.domain in OF_STATE else None)


_BATTERY = _attribute("battery_level", "battery")

MEASURES = {
    "brightness": Measure("brightness", ("illuminance",), ("light",), brightness, unit=_PERCENT),
    "volume": Measure("volume", ("sound_pressure",), ("media_player",), volume, unit=_PERCENT),
    "target": Measure(
        "target", (), ("climate", "water_heater", "humidifier"), _target, "set to", "°"
    ),
    "temperature": Measure(
        "temperature",
        ("temperature",),
        ("climate",),
        _attribute("current_temperature"),
        unit="°",
    ),
    "humidity": Measure(
        "humidity", ("humidity",), (), _attribute("current_humidity"), unit=_PERCENT
    ),
    "battery": Measure("battery", ("battery",), (), _BATTERY, unit=_PERCENT),
    "power": Measure("power use", ("power",), (), _attribute("current_power_w", "power"), unit="W"),
    "energy": Measure("energy use", ("energy",), (), _attribute("today_energy_kwh"), unit="kWh"),
    "position": Measure("position", (), ("cover", "valve"), position, unit=_PERCENT),
    "speed": Measure("speed", (), ("fan",), speed, unit=_PERCENT),
    "colour": Measure("colour", (), ("light",), colour_of, ""),
    "title": Measure("title", (), ("media_player",), _text("media_title"), "playing"),
    "source": Measure("source", (), ("media_player",), _text("source", "media_channel"), "on"),
    "mode": Measure("mode", (), tuple(MODE_OF), _mode, "set to"),
    "atmospheric_pressure": Measure("air pressure", ("atmospheric_pressure", "pressure")),
    "carbon_dioxide": Measure("air quality", ("carbon_dioxide", "aqi", "pm25")),
    "pm25": Measure("fine dust", ("pm25", "pm10")),
    "wind_speed": Measure("wind", ("wind_speed",)),
}
"""What can be asked for → how it is found and told."""

_OF_WEATHER = {
    "temperature": ("temperature", "temperature_unit", "°C"),
    "humidity": ("humidity", "", "%"),
    "atmospheric_pressure": ("pressure", "pressure_unit", "hPa"),
    "wind_speed": ("wind_speed", "wind_speed_unit", "km/h"),
}
"""Level → the attribute of a weather device with it, that of its unit, and the usual unit."""

Level = Annotated[str, choices(*MEASURES)]


@skill.serve("ReadLevel", traits=Traits(asks=True, needs_slot=True, placed=True))
def read_level(
    request: Request,
    level: Level,
    context: Context,
    place: Place,
    name: str | None = None,
    domain: str | None = None,
    device_class: str | None = None,
    outdoors: bool = False,
    value: float | None = None,
) -> Reply:
    """Say how much of something there is, or what a device is set to."""
    what = MEASURES[level]
    if outdoors:
        return _outdoors(level, what, context)
    if name is not None and name.casefold() != ALL:
        target = find(TargetMention(name, place, domain, device_class), request, context)
        if not target.entities:
            return Reply(f"I don't know of any {name.casefold()}.", done=False)
        return _of_one(target.entities[0], what, value, context)
    wanted = TargetMention(name, place, domain, device_class)
    return _of_place(wanted, what, value, request, context)


def _of_one(entity: Entity, what: Measure, value: float | None, context: Context) -> Reply:
    told = _sentence(entity, what, context)
    if told is None:
        return Reply(f"I don't know the {what.noun} of {the(entity)}.", done=False)
    verdict = ""
    if value is not None:
        own = what.read(entity)
        verdict = "Yes, " if own is not None and own == value else "No, "
    return Reply(capital(f"{verdict}{told}."), about=(entity.id,))


def _of_place(
    wanted: TargetMention, what: Measure, value: float | None, request: Request, context: Context
) -> Reply:
    """The level in a place: of its sensors or, where it has none, of its devices."""
    place = wanted.place
    sensors = () if wanted.domain else _sensors(wanted, what, request, context)
    target = Target((), wanted.kind, _where(place, context))
    if what.domains and (not sensors or wanted.name):
        target = _devices(wanted, what, request, context)
    here = place.area or context.area
    if len(sensors) == 1 and (place.floor or (here and sensors[0].area == here.id)):
        return Reply(f"The {what.noun}{_where(place, context)} is {described(sensors[0])}.")
    if len(target.entities) == 1 and not sensors:
        return _of_one(target.entities[0], what, value, context)
    if what.noun == "battery" and not wanted.place.said:
        ours = (e for e in context.home.entities if what.read(e) is not None)
        target = replace(target, entities=tuple(ours))
    told = [s for e in (*sensors, *target.entities) if (s := _sentence(e, what, context))]
    if told:
        return Reply(capital(f"{context.say(told[:_MOST_TOLD])}."))
    if not target.entities and (wanted.domain or (place.said and not what.classes)):
        return target.unknown
    where = _where(place, context) if place.said or what.of_room else ""
    return Reply(f"I don't know the {what.noun}{where}.", done=False)


def _devices(wanted: TargetMention, what: Measure, request: Request, context: Context) -> Target:
    """The devices that have a level: those in the room or, where it has none, in the home.

    Of players those that play are meant.
    """
    mention = replace(wanted, likely=what.domains)
    target = find(mention, request, context)
    if not target.entities and not wanted.place.said:
        target = find(replace(mention, name=ALL), request, context)
    playing = tuple(e for e in target.entities if e.state == "playing")
    kind = TargetMention(domain=wanted.domain or what.domains[0]).kind
    return replace(target, entities=playing or target.entities, kind=kind)


def _sensors(
    wanted: TargetMention, what: Measure, request: Request, context: Context
) -> tuple[Entity, ...]:
    """The sensors that measure a level in a place; without a place, in the room or the home."""
    everywhere = replace(wanted, name=ALL)
    for mention in (wanted, everywhere) if not wanted.place.said else (wanted,):
        found = find(replace(mention, likely=("sensor",)), request, context).entities
        fitting = tuple(e for e in found if e.fact("device_class") in what.classes and known(e))
        if fitting or what.domains:
            return fitting
    return ()


def _of_sensor(sensor: Entity) -> str:
    return f"{the(sensor)} is {described(sensor)}"


def _sentence(entity: Entity, what: Measure, context: Context) -> str | None:
    """What a device tells of a level; None where it is not known."""
    if entity.domain == "sensor" and entity.fact("device_class") in what.classes:
        return _of_sensor(entity) if known(entity) else None
    if entity.domain in what.domains and not known(entity):
        return None
    if entity.state == "off" and entity.domain in what.domains:
        return f"{the(entity)} {be(entity)} off"
    if what.noun == "title":
        return _playing(entity)
    if what.noun == "volume" and entity.attributes.get("is_volume_muted"):
        return f"{the(entity)} is muted"
    if what.noun == "position" and entity.domain in what.domains:
        return f"{the(entity)} {be(entity)} {described(entity)}"
    level = what.read(entity)
    if level is None:
        sensor = _sensor_of(entity, what, context)
        return _of_sensor(sensor) if sensor is not None else None
    if what.noun == "battery":
        return f"the battery of {the(entity)} is at {level:g} percent"
    if what.unit in ("W", "kWh"):
        verb = "uses" if what.unit == "W" else "has used"
        return f"{the(entity)} {verb} {measured(f'{level:g}', what.unit)}"
    between = f"{what.verb} " if what.verb else ""
    unit = _PERCENT if entity.domain == "humidifier" else what.unit
    return f"{the(entity)} {be(entity)} {between}{_figure(level, unit)}"


def _playing(player: Entity) -> str | None:
    title, artist = player.fact("media_title"), player.fact("media_artist")
    if not title:
        return None
    by = f" by {artist}" if artist else ""
    if player.state == "paused":
        return f"{title}{by} is paused on {the(player)}"
    return f"{the(player)} is playing {title}{by}"


def _figure(level: float | str, unit: str) -> str:
    if isinstance(level, str):
        return level
    if unit == "°":
        return degrees(level)
    return measured(f"{level:g}", unit)


def _sensor_of(entity: Entity, what: Measure, context: Context) -> Entity | None:
    """The sensor that measures a device's level, by its name: "coffee machine power"."""
    name = entity.name.casefold()
    return next(
        (
            e
            for e in context.home.entities
            if e.domain == "sensor"
            and e.fact("device_class") in what.classes
            and name in e.name.casefold()
            and known(e)
        ),
        None,
    )


def _outdoors(level: str, what: Measure, context: Context) -> Reply:
    """The level outside: of a sensor that is called so or stands in a garden, or of the weather."""
    gardens = {a.id for a in context.home.areas if is_outdoors(a.name)}
    for entity in context.home.entities:
        own = entity.fact("device_class") in what.classes and entity.domain == "sensor"
        if own and known(entity) and (entity.area in gardens or is_outdoors(entity.name)):
            return Reply(capital(f"{_of_sensor(entity)}."))
    attribute, unit, usual = _OF_WEATHER.get(level, ("", "", ""))
    for entity in context.home.entities:
        figure = number(entity.attributes.get(attribute)) if entity.domain == "weather" else None
        if figure is not None:
            symbol = (entity.fact(unit) if unit else "") or usual
            return Reply(f"The {what.noun} outside is {measured(f'{figure:g}', symbol)}.")
    return Reply(f"I don't know the {what.noun} outside.", done=False)


def _where(place: Place, context: Context) -> str:
    """The place in words, the speaker's room where none was said."""
    return in_place(place.area or (None if place.floor else context.area), place.floor)
