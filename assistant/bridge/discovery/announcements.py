"""What devices publish of themselves, as Home Assistant's MQTT discovery has it.

PREFIX/component/[node/]object/config announces one component, PREFIX/device/[node/]object/config
all components of a device. An empty payload takes the announcement back.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from assistant.bridge.discovery.abbreviations import COMPONENT, DEVICE, ORIGIN
from assistant.core.errors import UNDECODABLE

COMPONENTS = (
    *("light", "switch", "fan", "cover", "lock", "climate"),
    *("sensor", "binary_sensor", "scene", "button"),
)
"""What is taken into the home; all else is nothing that people talk to, or not known yet."""
OWN_ORIGIN = "Hark"
"""Name of the application that an assistant gives as the origin of what it announces."""
LARGEST_BYTES = 64 << 10
"""Most bytes of an announcement; one of a device with fifty components has 20 kB."""
LONGEST_TOPIC = 256
"""Most characters of a topic."""
MOST_COMPONENTS = 200
"""Most components of one device."""
_BASE = "~"
_DEVICE = "device"
_TOPIC = re.compile(rf"({'|'.join((*COMPONENTS, _DEVICE))})/(?:[\w-]+/)?[\w-]+/config", re.ASCII)
_SHARED = (
    *("availability", "availability_mode", "availability_template", "availability_topic"),
    *("payload_available", "payload_not_available", "command_topic", "state_topic"),
)
"""Options of a device's announcement that hold for each component without its own."""

Options = dict[str, Any]


class Announcement(msgspec.Struct, frozen=True):
    """One component by its options' full names."""

    component: str
    source: str
    """The topic that it came from and, of several components there, its key: unique."""
    options: Options


def patterns(prefix: str) -> list[str]:
    """The topics to subscribe to."""
    kinds = (*COMPONENTS, _DEVICE)
    return [f"{prefix}/{kind}/{rest}/config" for kind in kinds for rest in ("+", "+/+")]


def is_announcement(prefix: str, topic: str) -> bool:
    """Whether something is announced there."""
    below = topic.removeprefix(f"{prefix}/")
    return below != topic and len(topic) <= LONGEST_TOPIC and bool(_TOPIC.fullmatch(below))


def read_announcement(
    prefix: str, topic: str, payload: bytes | bytearray
) -> tuple[Announcement, ...]:
    """The components that a payload announces; none for an empty one, and for other assistants.

    Raises `ValueError` for what is no announcement; the error's text quotes nothing of it.
    """
    if len(payload) > LARGEST_BYTES:
        raise ValueError(f"{len(payload)} bytes are too many")
    if not payload.strip():
        return ()
    options = _expanded(_object(payload), COMPONENT)
    if _expanded(options.get("origin"), ORIGIN).get("name") == OWN_ORIGIN:
        return ()
    options["device"] = _expanded(options.get("device"), DEVICE)
    component = topic[len(prefix) + 1 :].partition("/")[0]
    if component != _DEVICE:
        return (Announcement(component, topic, _with_base(options)),)
    return tuple(_components(topic, options))


def _components(topic: str, device: Options) -> Iterator[Announcement]:
    base = device.get(_BASE)
    shared = _with_base(device)
    found = shared.get("components")
    if not isinstance(found, dict) or len(found) > MOST_COMPONENTS:
        raise ValueError("a device names no components, or too many")
    common = {name: shared[name] for name in _SHARED if name in shared}
    for key, given in found.items():
        options = _expanded(given, COMPONENT)
        component = options.pop("platform", None)
        if not options or component not in COMPONENTS:  # one without options was taken away
            continue
        own = _with_base({_BASE: base, **options})
        merged = {**common, **own, "device": shared["device"]}
        yield Announcement(component, f"{topic} {key}", merged)


def _object(payload: bytes | bytearray) -> Options:
    try:
        return msgspec.json.decode(payload, type=Options)
    except UNDECODABLE as error:
        raise ValueError("it is no JSON object") from error


def _expanded(given: Any, names: Mapping[str, str]) -> Options:
    """The options by their full names; none where there is no object."""
    options = _renamed(given, names)
    if names is COMPONENT and "availability" in options:
        found = options["availability"]
        entries = found if isinstance(found, list) else [found]
        options["availability"] = [_renamed(entry, COMPONENT) for entry in entries]
    return options


def _renamed(given: Any, names: Mapping[str, str]) -> Options:
    if not isinstance(given, dict):
        return {}
    return {names.get(name, name): value for name, value in given.items()}


def _with_base(options: Options) -> Options:
    """The options with the base topic in place of the "~" that topics begin or end with."""
    base = options.pop(_BASE, None)
    if not isinstance(base, str):
        return options
    based = {name: _based(name, value, base) for name, value in options.items()}
    if "availability" in options:
        based["availability"] = [
            {name: _based(name, value, base) for name, value in entry.items()}
            for entry in options["availability"]
        ]
    return based


def _based(name: str, value: Any, base: str) -> Any:
    if not isinstance(value, str) or not name.endswith("topic"):
        return value
    if value.startswith(_BASE):
        value = base + value[1:]
    return value[:-1] + base if value.endswith(_BASE) else value
