"""The colour that a light has, in words."""

from __future__ import annotations

import colorsys

from assistant.skill import Entity
from skills.home.levels import number

_HUES = (
    *((15, "red"), (40, "orange"), (65, "yellow"), (80, "lime"), (160, "green"), (200, "cyan")),
    *((260, "blue"), (290, "purple"), (330, "pink"), (361, "red")),
)
"""Names of colours, each with the hue in degrees up to which it holds."""
_PALE = 0.15
"""Saturation up to which a colour is a white."""


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
