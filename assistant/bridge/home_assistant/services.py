"""Commands to devices as calls of Home Assistant's services, which name states and no changes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from assistant.core.errors import BridgeError
from assistant.core.home.music import Music
from assistant.core.messages import HomeCommand, SlotValue
from assistant.skill.values import Colour

WHITE = (255, 255, 255)

_COVERING = {"open": "open_{}", "closed": "close_{}"}
_SWITCHING = {"on": "turn_on", "off": "turn_off"}
_ROBOT = {"paused": "pause", "on": "start"}

_STATES: Mapping[str, Mapping[str, str]] = {
    "cover": {state: verb.format("cover") for state, verb in _COVERING.items()},
    "valve": {state: verb.format("valve") for state, verb in _COVERING.items()},
    "lock": {"locked": "lock", "unlocked": "unlock"},
    "media_player": {
        **_SWITCHING,
        "playing": "media_play",
        "paused": "media_pause",
        "idle": "media_stop",
    },
    "vacuum": {
        **_ROBOT,
        "cleaning": "start",
        "returning": "return_to_base",
        "docked": "return_to_base",
    },
    "lawn_mower": {**_ROBOT, "mowing": "start_mowing", "returning": "dock", "docked": "dock"},
}
"""Domain → state → the service that brings a device into it; all others are switched on and off."""

_MODES: Mapping[str, tuple[str, str]] = {
    "climate": ("set_hvac_mode", "hvac_mode"),
    "water_heater": ("set_operation_mode", "operation_mode"),
}
"""Domain whose other states are modes → the service that sets one, and its field."""

_COMMANDS: Mapping[str, Mapping[str, str]] = {
    "cover": {"stop": "stop_cover"},
    "valve": {"stop": "stop_valve"},
    "media_player": {
        "next": "media_next_track",
        "previous": "media_previous_track",
        "stop": "media_stop",
        "volume_up": "volume_up",
        "volume_down": "volume_down",
    },
    "vacuum": {"stop": "stop"},
    "scene": {"on": "turn_on"},
    "script": {"on": "turn_on", "off": "turn_off"},
    "button": {"press": "press"},
    "input_button": {"press": "press"},
}
"""Domain → command → the service."""

_ATTRIBUTES: Mapping[tuple[str, str], str] = {
    ("cover", "position"): "set_cover_position",
    ("valve", "position"): "set_valve_position",
    ("fan", "percentage"): "set_percentage",
    ("fan", "preset_mode"): "set_preset_mode",
    ("climate", "temperature"): "set_temperature",
    ("climate", "preset_mode"): "set_preset_mode",
    ("water_heater", "temperature"): "set_temperature",
    ("humidifier", "humidity"): "set_humidity",
    ("humidifier", "mode"): "set_mode",
    ("media_player", "volume_level"): "volume_set",
    ("media_player", "is_volume_muted"): "volume_mute",
    ("media_player", "source"): "select_source",
}
"""Domain and attribute → the service that sets it, by a field of the same name."""

_WITHOUT = ("position",)
"""Attributes that say the state themselves: a cover sent both would open fully."""


class Call(msgspec.Struct, frozen=True):
    """A call of a service for one device."""

    domain: str
    service: str
    entity_id: str
    data: dict[str, Any] = {}

    def fields(self) -> dict[str, Any]:
        """The fields of `call_service`."""
        target = {"entity_id": self.entity_id}
        return {
            "domain": self.domain,
            "service": self.service,
            "service_data": self.data,
            "target": target,
        }


def calls(command: HomeCommand) -> list[Call]:
    """The calls that carry out a command, in their order.

    Raises `BridgeError` where Home Assistant has no service for it.
    """
    made = list(_calls(command))
    if not made:
        wanted = command.command or command.state or ", ".join(command.attributes)
        message = f"Home Assistant has no service that gives {command.entity_id} {wanted}"
        raise BridgeError("bridge.service", message)
    return made


def _calls(command: HomeCommand) -> Iterator[Call]:
    entity_id, state = command.entity_id, command.state
    domain = entity_id.partition(".")[0]
    if (music := Music.read(command.command)) is not None:
        if music.address and domain == "media_player":
            stream = {"media_content_id": music.address, "media_content_type": "music"}
            yield Call(domain, "play_media", entity_id, stream)
        return
    if command.command:
        if service := _COMMANDS.get(domain, {}).get(command.command):
            yield Call(domain, service, entity_id)
        return
    if domain == "light":
        yield from _light(entity_id, state, command.attributes)
        return
    if state and not set(command.attributes) & set(_WITHOUT):
        yield from _state(domain, entity_id, state)
    if state == "off":  # what is off has no speed, and setting one would turn it on
        return
    for name, value in command.attributes.items():
        if (service := _ATTRIBUTES.get((domain, name))) and value is not None:
            yield Call(domain, service, entity_id, {name: value})


def _state(domain: str, entity_id: str, state: str) -> Iterator[Call]:
    known = _STATES.get(domain, _SWITCHING)
    if service := known.get(state):
        # Groups have no services of their own.
        yield Call("homeassistant" if domain == "group" else domain, service, entity_id)
    elif domain in _MODES and state not in ("unknown", "unavailable"):
        service, name = _MODES[domain]
        yield Call(domain, service, entity_id, {name: state})


def _light(entity_id: str, state: str, attributes: Mapping[str, SlotValue]) -> Iterator[Call]:
    if state == "off":
        yield Call("light", "turn_off", entity_id)
        return
    data: dict[str, Any] = {}
    if state.endswith("%"):
        data["brightness_pct"] = int(state[:-1])
    if (color := attributes.get("color")) is not None:
        data["rgb_color"] = list(Colour.read(str(color)).rgb or WHITE)
    elif kelvin := attributes.get("color_temp_kelvin"):
        data["color_temp_kelvin"] = round(float(kelvin))
    if (brightness := attributes.get("brightness")) is not None:
        data["brightness"] = round(float(brightness))
    if state == "on" or data:
        yield Call("light", "turn_on", entity_id, data)
