"""What Home Assistant tells of a device: its state, and those attributes that can be asked for."""

from __future__ import annotations

import msgspec

from assistant.bridge.home_assistant.feeds import latest
from assistant.core.errors import UNDECODABLE
from assistant.core.messages import ReportedAttributes
from assistant.skill.home import FEED

LONGEST_STATE = 255
"""Most characters of a state, as in Home Assistant."""
LARGEST_WHOLE = 2**53
"""Largest number, either way, that is told as a whole one; a message holds none beyond 2**64."""
MOST_PARTS = 4
"""Most numbers of a colour."""
CHANGING = frozenset(
    (
        *("brightness", "color_mode", "color_temp_kelvin", "rgb_color"),
        *("volume_level", "is_volume_muted", "media_title", "media_artist", "media_channel"),
        *("source", "temperature", "target_temp_low", "target_temp_high", "current_temperature"),
        *("humidity", "current_humidity", "hvac_action", "preset_mode", "mode"),
        *("current_position", "percentage", "battery_level", "battery"),
        *("pressure", "wind_speed", "temperature_unit", "pressure_unit", "wind_speed_unit"),
        *("current_power_w", "today_energy_kwh"),
    )
)
"""Attributes that change, and are reported with the state."""
_CALLED = {"current_position": "position"}
"""Attribute → the skills' name for it, under which it is set, too."""


class State(msgspec.Struct):
    """A device's state, as `get_states` and the event `state_changed` tell it."""

    entity_id: str
    state: str
    attributes: dict[str, msgspec.Raw] = {}


def reported(told: State) -> tuple[str, ReportedAttributes]:
    """The state and the attributes; raises `ValueError` for a state that could not be spoken."""
    if len(told.state) > LONGEST_STATE or not told.state.isprintable():
        raise ValueError("it is too long or not printable")
    attributes: ReportedAttributes = {}
    if told.entity_id.startswith(f"{FEED}."):
        attributes = latest(told.attributes)
    for name in CHANGING & told.attributes.keys():
        value = plain(told.attributes[name])
        if value is not None:
            attributes[_CALLED.get(name, name)] = value
    return told.state, attributes


_PLAIN: msgspec.json.Decoder[str | float | bool | list[float] | None] = msgspec.json.Decoder(
    str | float | bool | list[float] | None
)


def plain(content: msgspec.Raw) -> str | int | float | bool | list[float] | None:
    """A value that can be told; None for null, and for what is too long, nested or no number."""
    if len(memoryview(content)) > LONGEST_STATE * 6:
        return None
    try:
        value = _PLAIN.decode(content)
    except UNDECODABLE:
        return None
    match value:
        case str():
            return value if len(value) <= LONGEST_STATE and value.isprintable() else None
        case list():
            return value if len(value) <= MOST_PARTS else None
        case float():
            whole = abs(value) <= LARGEST_WHOLE and value == round(value)
            return round(value) if whole else value
    return value
