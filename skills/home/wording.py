"""States in plain words, and whether a device is in one."""

from __future__ import annotations

from assistant.english.units import measured
from assistant.skill import Entity
from skills.home.levels import number, position
from skills.home.targets import the

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
_RUNS = ("media_player", "climate", "humidifier", "water_heater", "vacuum", "lawn_mower")
"""Domains whose state, when they are on, says what they do."""
_ACTIONS = ("heating", "cooling", "drying")
"""What a thermostat may be doing."""
_STANDS_STILL = ("off", "standby", "docked", "unknown", "unavailable")


_NOTICED = {
    "motion": ("motion", "no motion"),
    "occupancy": ("somebody", "nobody"),
    "moisture": ("water", "no water"),
    "smoke": ("smoke", "no smoke"),
    "gas": ("gas", "no gas"),
    "carbon_monoxide": ("carbon monoxide", "no carbon monoxide"),
    "sound": ("a sound", "no sound"),
    "vibration": ("vibration", "no vibration"),
}
"""Class of a binary sensor → what it reports when it is on, and when it is off."""
_SENSORS = ("sensor", "detector", "alarm", "camera")
"""Words with which names of sensors end."""
_NO_PLURAL = ("ss", "us", "is", "as", "os")
"""Ends of words in "s" that are no plural."""
_LOW_BATTERY = 20
"""Percent from which on a battery is low."""


_HALFWAY = ("paused", "idle")
"""States of a player that are neither on nor off."""


def be(entity: Entity) -> str:
    """ "is", or "are" where a name is a plural: "the living room blinds"."""
    last = entity.name.casefold().split()[-1] if entity.name.split() else ""
    return "are" if last.endswith("s") and not last.endswith(_NO_PLURAL) else "is"


def reports(entity: Entity) -> str:
    """What a sensor notices, as a statement; "" for what is no such sensor, or says nothing."""
    noticed = _NOTICED.get(entity.fact("device_class"))
    if entity.domain != "binary_sensor" or noticed is None or entity.state not in ("on", "off"):
        return ""
    sensor = "" if entity.name.casefold().endswith(_SENSORS) else " sensor"
    return f"{the(entity)}{sensor} reports {noticed[entity.state == 'off']}"


def fits(entity: Entity, state: str) -> bool:
    """Whether a device can be in a state: a lock tells nothing of whether its door is open."""
    device_class = entity.fact("device_class")
    if state in ("open", "closed"):
        return entity.domain != "lock"
    if state in ("locked", "unlocked"):
        return entity.domain == "lock" or device_class in ("lock", "")
    if state == "charging":
        return device_class == "battery_charging" or entity.state == state
    if state in ("on", "off"):
        return entity.state not in _HALFWAY
    return True


def known(entity: Entity) -> bool:
    """Whether a device has reported its state."""
    return entity.state not in ("", "unknown", "unavailable")


def described(entity: Entity) -> str:
    """What a device is, after "is": "at 40 percent", "plugged in", "21 degrees Celsius"."""
    if entity.state.endswith("%"):
        return f"at {entity.state[:-1]} percent"
    if entity.domain == "sensor":
        return measured(entity.state, entity.fact("unit_of_measurement"))
    if entity.domain == "climate" and entity.state not in _STANDS_STILL:
        action = entity.fact("hvac_action")
        return action if action in _ACTIONS else f"set to {entity.state.replace('_', ' ')}"
    opened = position(entity) if entity.domain in ("cover", "valve") else None
    if entity.state == "open" and opened is not None and 0 < opened < 100:
        return f"{opened:g} percent open"
    return state_words(entity, entity.state)


def state_words(entity: Entity, state: str) -> str:
    """A state in the words for such a device."""
    if entity.domain == "binary_sensor" and state in ("on", "off"):
        on, off = _BINARY.get(entity.fact("device_class"), ("on", "off"))
        return on if state == "on" else off
    if entity.domain in ("vacuum", "lawn_mower") and state == "error":
        return "in trouble"
    if entity.domain == "person":
        return _PLACES.get(state, f"at {state}")
    return state.replace("_", " ")


def is_in(entity: Entity, state: str) -> bool:
    """Whether a device is in a state."""
    wanted, own = state.casefold(), entity.state.casefold()
    if wanted == "low" and entity.domain == "sensor":
        level = number(entity.state)
        return level is not None and level <= _LOW_BATTERY
    if wanted == "stuck":
        wanted = "error"
    if wanted == "running" and entity.domain != "binary_sensor":
        wanted = "on"
    if wanted in ("on", "off") and entity.domain in _RUNS:
        return (own not in _STANDS_STILL) is (wanted == "on")
    if wanted == "on" and own.endswith("%"):
        return True
    if entity.domain == "binary_sensor":
        return state_words(entity, own) == state_words(entity, wanted)
    wanted = {"on": "open", "off": "closed"}.get(wanted, wanted) if _opens(entity) else wanted
    return own == wanted or state_words(entity, own) == wanted


def _opens(entity: Entity) -> bool:
    return entity.domain in ("cover", "valve")
