"""Levels and colours of devices as people say them, from Home Assistant's states and attributes."""

from __future__ import annotations

import colorsys
from collections.abc import Callable
from dataclasses import dataclass

from assistant.english.commands.kinds import WHITE
from assistant.skill import Entity, SlotValue

FULL_BRIGHTNESS = 255
"""Home Assistant's brightness of a light that is fully on."""
POSITIONS = ("position", "current_position")
"""Attributes of a cover that say how far it is open: as it was set, and as it was told."""
_HUES = (
    *((15, "red"), (40, "orange"), (65, "yellow"), (80, "lime"), (160, "green"), (200, "cyan")),
    *((260, "blue"), (290, "purple"), (330, "pink"), (361, "red")),
)
"""Names of colours, each with the hue in degrees up to which it holds."""
_PALE = 0.15
"""Saturation up to which a colour is a white."""


@dataclass(frozen=True)
class Property:
    """A level that can be changed: its limits, and the step of a change without an amount."""

    name: str
    domains: tuple[str, ...]
    unit: str
    step: float
    least: float
    most: float
    level: Callable[[Entity], float | None]
    """The level that a device has; None where that is unknown."""
    own_limits: tuple[str, str] = ("", "")
    """The attributes by which a device tells limits of its own; "" for none."""

    def limits(self, entity: Entity) -> tuple[float, float]:
        """The least and the most that a device can be set to."""
        least, most = (number(entity.attributes.get(name)) for name in self.own_limits)
        return self.least if least is None else least, self.most if most is None else most


def brightness(light: Entity) -> float | None:
    """The brightness of a light in percent; 0 when it is off.

    One that is on at no brightness has not told its new one yet.
    """
    if light.state.endswith("%"):
        return float(light.state[:-1])
    if light.state == "off":
        return 0.0
    told = number(light.attributes.get("brightness"))
    return round(told * 100 / FULL_BRIGHTNESS) if told else 100.0


def is_dimmable(light: Entity) -> bool:
    """Whether a light may have a brightness; one that has told its modes may only be on or off."""
    return colour_modes(light) != frozenset(("onoff",))


def colour_modes(light: Entity) -> frozenset[str] | None:
    """The colour modes that a light has told, in Home Assistant's names; None where it has not."""
    modes = light.attributes.get("supported_color_modes")
    return frozenset(map(str, modes)) if isinstance(modes, list | tuple) else None


def volume(player: Entity) -> float | None:
    """The volume of a player in percent; Home Assistant's `volume_level` is from 0 to 1."""
    told = number(player.attributes.get("volume_level"))
    return None if told is None else round(told * 100)


def target_temperature(thermostat: Entity) -> float | None:
    """The temperature that a thermostat or a water heater is set to, in its own scale."""
    return number(thermostat.attributes.get("temperature"))


def target_humidity(humidifier: Entity) -> float | None:
    """The humidity that a humidifier, or what takes humidity away, is set to, in percent."""
    return number(humidifier.attributes.get("humidity"))


def position(cover: Entity) -> float | None:
    """How far a cover is open, in percent."""
    for name in POSITIONS:
        told = number(cover.attributes.get(name))
        if told is not None:
            return told
    return {"open": 100.0, "closed": 0.0}.get(cover.state)


def speed(fan: Entity) -> float | None:
    """The speed of a fan in percent; 0 when it is off."""
    if fan.state == "off":
        return 0.0
    return number(fan.attributes.get("percentage"))


def white(light: Entity) -> float | None:
    """The colour temperature of a light in kelvin; None where it has a colour, or tells none."""
    return None if light.fact("color") else number(light.attributes.get("color_temp_kelvin"))


def has_whites(light: Entity) -> bool:
    """Whether a light may have a warmer or a cooler white."""
    modes = colour_modes(light)
    return white(light) is not None if modes is None else "color_temp" in modes


PROPERTIES = {
    one.name: one
    for one in (
        Property("brightness", ("light",), "%", 20, 1, 100, brightness),
        Property("volume", ("media_player",), "%", 10, 0, 100, volume),
        Property(
            *("temperature", ("climate", "water_heater"), "°", 1, 4, 95, target_temperature),
            own_limits=("min_temp", "max_temp"),
        ),
        Property(
            *("humidity", ("humidifier",), "%", 5, 0, 100, target_humidity),
            own_limits=("min_humidity", "max_humidity"),
        ),
        Property("position", ("cover", "valve"), "%", 25, 0, 100, position),
        Property("speed", ("fan",), "%", 25, 0, 100, speed),
        Property(WHITE, ("light",), "K", 500, 2000, 6500, white),
    )
}
"""Name → the property."""


def number(value: SlotValue) -> float | None:
    """An attribute as a number; None where it is none."""
    try:
        return None if value is None else float(value)
    except (TypeError, ValueError):
        return None


def colour_of(light: Entity) -> str | None:
    """A name, or a white in kelvin; None where the light does not tell."""
    if name := light.fact("color"):
        return name
    kelvin = number(light.attributes.get("color_temp_kelvin"))
    rgb = light.attributes.get("rgb_color")
    if kelvin is not None and (light.fact("color_mode") == "color_temp" or not rgb):
        return f"white, {kelvin:g} kelvin"
    parts = [number(part) for part in rgb] if isinstance(rgb, list | tuple) else []
    red, green, blue = (*parts, None, None, None)[:3]
    if red is None or green is None or blue is None:
        return None
    hue, saturation, _ = colorsys.rgb_to_hsv(red / 255, green / 255, blue / 255)
    if saturation <= _PALE:
        return "white"
    return next(name for most, name in _HUES if hue * 360 < most)
