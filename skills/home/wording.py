"""States in plain words, and whether a device is in one."""

from __future__ import annotations

from assistant.english.units import measured
from assistant.skill import Entity

_BINARY = {
    "battery": ("low", "normal"),
    "battery_charging": ("charging", "not charging"),
    "carbon_monoxide": ("detected", "clear"),
    "cold": ("cold", "normal"),
    "connectivity": ("connected", "disconnected"),
    "door": ("open", "closed"),
    "garage_door": ("open", "closed"),
    "gas": ("detected", "clear"),
    "heat": ("hot", "normal"),
    "light": ("bright", "dark"),
    "lock": ("unlocked", "locked"),
    "moisture": ("wet", "dry"),
    "motion": ("triggered", "clear"),
    "moving": ("moving", "still"),
    "occupancy": ("occupied", "clear"),
    "opening": ("open", "closed"),
    "plug": ("plugged in", "unplugged"),
    "power": ("powered", "not powered"),
    "presence": ("at home", "away"),
    "problem": ("in trouble", "fine"),
    "running": ("running", "not running"),
    "safety": ("unsafe", "safe"),
    "smoke": ("triggered", "clear"),
    "sound": ("triggered", "clear"),
    "tamper": ("tampered with", "clear"),
    "update": ("out of date", "up to date"),
    "vibration": ("triggered", "clear"),
    "window": ("open", "closed"),
}
"""Class of a binary sensor → what "on" and "off" mean there.

https://www.home-assistant.io/integrations/binary_sensor/#device-class
"""

_PLACES = {"home": "at home", "not_home": "away"}
_RUNS = ("media_player", "climate", "humidifier", "water_heater")
"""Domains whose state, when they are on, says what they do."""
_STANDS_STILL = ("off", "standby", "unknown", "unavailable")


def known(entity: Entity) -> bool:
    """Whether a device has reported its state."""
    return entity.state not in ("", "unknown", "unavailable")


def described(entity: Entity) -> str:
    """What a device is, after "is": "at 40 percent", "plugged in", "21 degrees Celsius"."""
    if entity.state.endswith("%"):
        return f"at {entity.state[:-1]} percent"
    if entity.domain == "sensor":
        return measured(entity.state, entity.fact("unit_of_measurement"))
    position = entity.attributes.get("position")
    if entity.state == "open" and isinstance(position, int | float) and 0 < position < 100:
        return f"{position:g} percent open"
    return state_words(entity, entity.state)


def state_words(entity: Entity, state: str) -> str:
    """A state in the words for such a device."""
    if entity.domain == "binary_sensor" and state in ("on", "off"):
        on, off = _BINARY.get(entity.fact("device_class"), ("on", "off"))
        return on if state == "on" else off
    if entity.domain == "person":
        return _PLACES.get(state, f"at {state}")
    return state.replace("_", " ")


def is_in(entity: Entity, state: str) -> bool:
    """Whether a device is in a state."""
    wanted, own = state.casefold(), entity.state.casefold()
    if wanted in ("on", "off") and entity.domain in _RUNS:
        return (own not in _STANDS_STILL) is (wanted == "on")
    if wanted == "on" and own.endswith("%"):
        return True
    return own == wanted or state_words(entity, own) == wanted
