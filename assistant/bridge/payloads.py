"""Commands and states as topics and payloads in the form of Home Assistant and zigbee2mqtt."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any

import msgspec

from assistant.core.errors import BridgeError
from assistant.core.messages import SlotValue
from assistant.skill.values import Colour

LARGEST_PAYLOAD_BYTES = 16_384
LONGEST_STATE = 255
"""Most characters of a state, as in Home Assistant."""
FULL_BRIGHTNESS = 255
WHITE = (255, 255, 255)
MIREDS_KELVIN = 1_000_000
"""Product of a white's colour temperatures in mireds and in kelvin."""

COMMANDS = {
    "on": "ON",
    "off": "OFF",
    "open": "OPEN",
    "closed": "CLOSE",
    "locked": "LOCK",
    "unlocked": "UNLOCK",
    "playing": "play",
    "paused": "pause",
    "cleaning": "start",
    "mowing": "start_mowing",
    "returning": "return_to_base",
    "docked": "dock",
}
"""Wanted state → the payload that Home Assistant's MQTT devices understand by default."""

REPORTS = {
    "close": "closed",
    "lock": "locked",
    "unlock": "unlocked",
    "offline": "unavailable",
    "none": "unknown",
    "null": "unknown",
    "online": "",
}
"""Reported word → the state it means, "" for none. zigbee2mqtt reports covers and locks with the
words of their commands; Home Assistant reports "None" for a state that a template does not know."""

_SHARE = re.compile(r"([0-9]|[1-9][0-9]|100)%")


class Light(msgspec.Struct, frozen=True):
    """A payload in JSON, whose other keys are ignored; brightness is from 0 to 255."""

    state: str | None = None
    brightness: Annotated[float, msgspec.Meta(ge=0, le=FULL_BRIGHTNESS)] | None = None


class Publication(msgspec.Struct, frozen=True):
    """A payload for a topic, which the broker keeps where a device has asked for that."""

    topic: str
    payload: bytes
    retain: bool = False


def command_topic(prefix: str, entity_id: str) -> str:
    """The topic that commands `entity_id`; raises `BridgeError` for a name that is no topic."""
    return f"{_topic(prefix, entity_id)}/set"


def state_topic(prefix: str, entity_id: str) -> str:
    """The topic that reports `entity_id`; raises `BridgeError` for a name that is no topic."""
    return f"{_topic(prefix, entity_id)}/state"


def presence_topic(prefix: str) -> str:
    """The topic that says whether the bridge is online."""
    return f"{prefix}/bridge/state"


def _topic(prefix: str, entity_id: str) -> str:
    domain, _, name = entity_id.partition(".")
    if not domain or not name or set(entity_id) & set("/+#\0"):
        message = f'"{entity_id}" cannot be named in an MQTT topic; rename it in the home file'
        raise BridgeError("bridge.topic", message)
    return f"{prefix}/{domain}/{name}"


def command_payload(
    state: str, attributes: Mapping[str, SlotValue] = MappingProxyType({})
) -> bytes:
    """The payload that sets a device's `state` ("" leaves it as it is) and `attributes`.

    Without attributes it is a plain word, except for a state such as "40%", a brightness of 102 out
    of 255.
    """
    if not attributes and not state.endswith("%"):
        return COMMANDS.get(state, state).encode()
    told: dict[str, Any] = {}
    # A device that is sent both "open" and a position opens fully.
    if state and "position" not in attributes:
        told["state"] = COMMANDS.get(state, state)
    if state.endswith("%"):
        told |= {"state": "ON", "brightness": round(int(state[:-1]) * FULL_BRIGHTNESS / 100)}
    for name, value in attributes.items():
        told |= _attribute(name, value)
    return msgspec.json.encode(told)


def _attribute(name: str, value: SlotValue) -> dict[str, Any]:
    """An attribute as Home Assistant's MQTT lights and zigbee2mqtt name it."""
    if name == "color":
        red, green, blue = Colour.read(str(value)).rgb or WHITE
        return {"color": {"r": red, "g": green, "b": blue}}
    if name == "color_temp_kelvin":
        return {"color_temp": round(MIREDS_KELVIN / float(value or 1))}
    return {name: value}


def read_state(payload: bytes | bytearray) -> str:
    """The state in a device's payload: a plain word, or JSON with "state" and "brightness".

    It is "" for a payload without a state: an empty one, with which a broker deletes a retained
    one, a state of null, or attributes only. Raises `ValueError` for any other payload; the error's
    text quotes nothing of it.
    """
    if len(payload) > LARGEST_PAYLOAD_BYTES:
        raise ValueError(f"{len(payload)} bytes are too many")
    text = payload.decode("utf-8").strip()
    return _json_state(text) if text[:1] in ("{", "[", '"') else _word(text)


def _json_state(text: str) -> str:
    try:
        found = msgspec.json.decode(text, type=Light | str)
    except RecursionError as error:
        raise ValueError(str(error)) from error
    light = Light(state=found) if isinstance(found, str) else found
    state = _word((light.state or "").strip())
    if state == "on" and light.brightness is not None:
        return f"{max(1, round(light.brightness * 100 / FULL_BRIGHTNESS))}%"
    return state


def _word(text: str) -> str:
    """A state in lower case; raises `ValueError` for one that could not be spoken or sent back."""
    if len(text) > LONGEST_STATE or not text.isprintable():
        raise ValueError("it is too long or not printable")
    word = text.lower()
    if word in ("true", "false") or (word.endswith("%") and not _SHARE.fullmatch(word)):
        raise ValueError("it is neither a word nor a percentage")
    return REPORTS.get(word, word)
