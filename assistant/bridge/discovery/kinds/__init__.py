"""The components that are taken into the home: what the options of each mean."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from assistant.bridge.discovery.behaviour import Behaviour
from assistant.bridge.discovery.kinds.climate import climate
from assistant.bridge.discovery.kinds.lights import light
from assistant.bridge.discovery.kinds.moving import cover, fan, lock
from assistant.bridge.discovery.kinds.switches import (
    binary_sensor,
    button,
    scene,
    sensor,
    switch,
)
from assistant.bridge.discovery.options import OptionReader

KINDS: Mapping[str, Callable[[OptionReader], Behaviour]] = {
    "light": light,
    "switch": switch,
    "fan": fan,
    "cover": cover,
    "lock": lock,
    "climate": climate,
    "sensor": sensor,
    "binary_sensor": binary_sensor,
    "scene": scene,
    "button": button,
}
"""Component → the behaviour that its options give; each raises `ValueError`."""
