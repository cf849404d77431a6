"""Levels of devices in the units that people say, from Home Assistant's states and attributes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from assistant.skill import Entity, SlotValue

FULL_BRIGHTNESS = 255
"""Home Assistant's brightness of a light that is fully on."""


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


def brightness(light: Entity) -> float | None:
    """The brightness of a light in percent; 0 when it is off."""
    if light.state.endswith("%"):
        return float(light.state[:-1])
    if light.state == "off":
        return 0.0
    told = number(light.attributes.get("brightness"))
    return round(told * 100 / FULL_BRIGHTNESS) if told is not None else 100.0


def volume(player: Entity) -> float | None:
    """The volume of a player in percent; Home Assistant's `volume_level` is from 0 to 1."""
    told = number(player.attributes.get("volume_level"))
    return None if told is None else round(told * 100)


def target_temperature(thermostat: Entity) -> float | None:
    """The temperature that a thermostat is set to, in its own scale."""
    return number(thermostat.attributes.get("temperature"))


def position(cover: Entity) -> float | None:
    """How far a cover is open, in percent."""
    for name in ("position", "current_position"):
        told = number(cover.attributes.get(name))
        if told is not None:
            return told
    return {"open": 100.0, "closed": 0.0}.get(cover.state)


def speed(fan: Entity) -> float | None:
    """The speed of a fan in percent; 0 when it is off."""
    if fan.state == "off":
        return 0.0
    return number(fan.attributes.get("percentage"))


PROPERTIES = {
    one.name: one
    for one in (
        Property("brightness", ("light",), "%", 20, 1, 100, brightness),
        Property("volume", ("media_player",), "%", 10, 0, 100, volume),
        Property("temperature", ("climate",), "°", 1, 4, 95, target_temperature),
        Property("position", ("cover", "valve"), "%", 25, 0, 100, position),
        Property("speed", ("fan",), "%", 25, 0, 100, speed),
    )
}
"""Name → the property."""


def number(value: SlotValue) -> float | None:
    """An attribute as a number; None where it is none."""
    try:
        return None if value is None else float(value)
    except (TypeError, ValueError):
        return None
