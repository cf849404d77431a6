"""Lights: one topic for each of their parts, or one that takes JSON."""

from __future__ import annotations

import colorsys
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import msgspec

from assistant.bridge.discovery.behaviour import (
    STATE,
    Behaviour,
    Meaning,
    Sender,
    StateTopic,
    Telling,
    level_of,
    state_of,
    state_topics,
    tidy,
)
from assistant.bridge.discovery.kinds.switches import Power
from assistant.bridge.discovery.options import OptionReader
from assistant.bridge.payloads import FULL_BRIGHTNESS, MIREDS_KELVIN, WHITE, Publication
from assistant.core.errors import UNDECODABLE
from assistant.core.messages import HomeCommand
from assistant.skill.values import Colour

MODES = ("onoff", "brightness", "color_temp", "hs", "xy", "rgb", "rgbw", "rgbww", "white")
"""Home Assistant's colour modes."""
_COLOURED = {"rgb": ("red", "green", "blue"), "hs": ("hue", "sat"), "xy": ("x", "y")}
"""Colour mode that can be set → the variables of its template."""

Rgb = tuple[int, int, int]


def light(options: OptionReader) -> Behaviour:
    """A light of the schema "basic", which is the default, or "json"."""
    match options.payload("schema", "basic"):
        case "json":
            return _json_light(options)
        case "basic" | "default":
            return _basic_light(options)
    raise ValueError("the schema of a light is not understood")


class _Wanted:
    """What a command wants of a light; None for what stays as it is."""

    def __init__(self, command: HomeCommand) -> None:
        state = command.state
        self.off = state == "off"
        self.share = int(state[:-1]) / 100 if state.endswith("%") else None
        self.rgb: Rgb | None = None
        self.kelvin: float | None = None
        self.on = state == "on"
        if not self.off:
            self._style(command)

    def _style(self, command: HomeCommand) -> None:
        """Note the attributes; each turns the light on."""
        attributes = command.attributes
        if (told := attributes.get("brightness")) is not None:
            self.share = float(told) / FULL_BRIGHTNESS
        colour = attributes.get("color")
        kelvin = attributes.get("color_temp_kelvin")
        if colour is not None:
            self.rgb = Colour.read(str(colour)).rgb or WHITE
        elif kelvin is not None:
            self.kelvin = float(kelvin)
        styles = (self.share, self.rgb, self.kelvin)
        self.on = self.on or any(style is not None for style in styles)


class _Whites:
    """Colour temperatures in kelvin, which a light takes and tells in mireds unless it says so."""

    def __init__(self, options: OptionReader) -> None:
        self._in_kelvin = options.flag("color_temp_kelvin")

    def converted(self, value: float) -> int:
        """Kelvin from what a light tells, or what it is told from kelvin."""
        return round(value if self._in_kelvin else MIREDS_KELVIN / max(value, 1.0))

    def tells(self, value: float) -> Telling:
        return {"color_temp_kelvin": self.converted(value), "color_mode": "color_temp"}


def _share(scale: float) -> Callable[[float], float]:
    return lambda value: round(min(max(value, 0.0), scale) * FULL_BRIGHTNESS / scale)


def _scaled(share: float, scale: float) -> int:
    """A brightness on the light's scale: of what is on at least 1."""
    return max(1, round(min(share, 1.0) * scale))


def _scale(options: OptionReader) -> float:
    scale = options.number("brightness_scale", FULL_BRIGHTNESS)
    if scale < 1:
        raise ValueError("brightness_scale is too small")
    return scale


# ── a topic for each part ───────────────────────────────────────────────────────────────────


def _basic_light(options: OptionReader) -> Behaviour:
    power, whites, scale = Power(options), _Whites(options), _scale(options)
    brightness = Sender(options, "brightness_command_topic", "brightness_command_template")
    white = Sender(options, "color_temp_command_topic", "color_temp_command_template")
    colours = {
        mode: sender
        for mode in _COLOURED
        if (sender := Sender(options, f"{mode}_command_topic", f"{mode}_command_template"))
    }
    order = options.payload("on_command_type", "last")

    def publications(command: HomeCommand) -> Iterator[Publication]:
        wanted = _Wanted(command)
        if wanted.off:
            yield from power.sends("off")
            return
        styles = list[Publication]()
        if wanted.share is not None:
            styles += brightness.sends(_scaled(wanted.share, scale))
        if wanted.kelvin is not None:
            styles += white.sends(whites.converted(wanted.kelvin))
        if wanted.rgb is not None:
            for mode, sender in list(colours.items())[:1]:
                parts = _parts(mode, wanted.rgb).values()
                named = dict(zip(_COLOURED[mode], parts, strict=True))
                styles += sender.sends(",".join(f"{part:g}" for part in parts), named)
        turns_on = list(power.sends("on")) if wanted.on else []
        if order == "brightness" and wanted.share is not None and brightness:
            turns_on = []
        yield from (*turns_on, *styles) if order == "first" else (*styles, *turns_on)

    words = {payload: state for state, payload in power.payloads.items()}
    modes = [mode for mode, sender in (("color_temp", white), *colours.items()) if sender]
    return Behaviour(
        tuple(_basic_topics(options, state_of(words), whites, scale)),
        publications,
        {"supported_color_modes": modes or (["brightness"] if brightness else ["onoff"])},
    )


def _basic_topics(
    options: OptionReader, switched: Meaning, whites: _Whites, scale: float
) -> Iterator[StateTopic]:
    meanings: Mapping[str, Meaning] = {
        "brightness": level_of("brightness", _share(scale)),
        "color_temp": lambda value, _: whites.tells(float(value)),
        "rgb": lambda value, _: _coloured(_numbers(value)[:3]),
        "hs": lambda value, _: _coloured(_of_hue(*_numbers(value)[:2])),
    }
    state = "state_value_template" if options.has("state_value_template") else "value_template"
    yield from state_topics(options, "state_topic", state, switched)
    for part, meaning in meanings.items():
        yield from state_topics(options, f"{part}_state_topic", f"{part}_value_template", meaning)


def _numbers(value: str) -> list[float]:
    found = [float(part) for part in value.split(",")[:5]]
    if len(found) < 2:
        raise ValueError("a colour has too few parts")
    return found


# ── JSON ────────────────────────────────────────────────────────────────────────────────────


class _Told(msgspec.Struct):
    """A light's state in JSON, whose other keys are ignored."""

    state: str | msgspec.UnsetType | None = msgspec.UNSET
    brightness: float | None = None
    color_mode: str | None = None
    color_temp: float | None = None
    color: dict[str, Any] | None = None


def _json_light(options: OptionReader) -> Behaviour:
    options.needed_topic("command_topic")
    sender, whites, scale = Sender(options, "command_topic"), _Whites(options), _scale(options)
    modes = options.texts("supported_color_modes")
    if modes is None:
        modes = [one for one in MODES if one in ("color_temp", *_COLOURED) and options.flag(one)]
        modes = modes or ["brightness" if options.flag("brightness") else "onoff"]
    coloured = next((mode for mode in _COLOURED if mode in modes), "")

    def publications(command: HomeCommand) -> Iterator[Publication]:
        wanted = _Wanted(command)
        told: dict[str, Any] = {"state": "OFF" if wanted.off else "ON"}
        if wanted.share is not None and modes != ["onoff"]:
            told["brightness"] = _scaled(wanted.share, scale)
        if wanted.kelvin is not None and "color_temp" in modes:
            told["color_temp"] = whites.converted(wanted.kelvin)
        if wanted.rgb is not None and coloured:
            told["color"] = _parts(coloured, wanted.rgb)
        if wanted.off or wanted.on:
            yield from sender.sends(msgspec.json.encode(told).decode())

    def meaning(value: str, _: Telling) -> Telling:
        return _told_in_json(value, whites, scale)

    topic = options.topic("state_topic")
    return Behaviour(
        (StateTopic(topic, None, meaning),) if topic else (),
        publications,
        {"supported_color_modes": [mode for mode in modes if mode in MODES]},
    )


def _told_in_json(value: str, whites: _Whites, scale: float) -> Telling:
    try:
        told = msgspec.json.decode(value, type=_Told)
    except UNDECODABLE as error:
        raise ValueError("it is no JSON of a light") from error
    telling: Telling = {}
    if told.state is not msgspec.UNSET:
        words = {"ON": "on", "OFF": "off", None: "unknown"}
        if told.state not in words:
            raise ValueError("it is none of the states of a light")
        telling[STATE] = words[told.state]
    if told.brightness is not None:
        telling["brightness"] = tidy(_share(scale)(told.brightness))
    is_white = told.color_mode == "color_temp" or not told.color
    if told.color_temp is not None and is_white:
        telling |= whites.tells(told.color_temp)
    elif told.color:
        telling |= _in_parts(told.color)
    return telling


def _in_parts(color: Mapping[str, Any]) -> Telling:
    """A colour by red, green and blue, or by hue and saturation; by x and y it is not read."""
    for names in (("r", "g", "b"), ("h", "s")):
        parts = [color.get(name) for name in names]
        if all(isinstance(part, int | float) for part in parts):
            numbers = [float(part) for part in parts if part is not None]
            return _coloured(numbers if len(numbers) == 3 else _of_hue(*numbers))
    return {}


# ── colours ─────────────────────────────────────────────────────────────────────────────────


def _coloured(rgb: list[float]) -> Telling:
    if len(rgb) != 3 or not all(0 <= part <= 255 for part in rgb):
        raise ValueError("a colour has other parts")
    return {"rgb_color": [round(part) for part in rgb], "color_mode": "rgb"}


def _of_hue(hue: float, saturation: float) -> list[float]:
    """Red, green and blue up to 255 from degrees and percent."""
    if not (0 <= hue <= 360 and 0 <= saturation <= 100):
        raise ValueError("a colour has other parts")
    return [255 * part for part in colorsys.hsv_to_rgb(hue / 360, saturation / 100, 1.0)]


def _parts(mode: str, rgb: Rgb) -> dict[str, float]:
    """A colour in the parts that a light takes, by the names that they have in JSON."""
    red, green, blue = (part / 255 for part in rgb)
    if mode == "rgb":
        return dict(zip("rgb", rgb, strict=True))
    if mode == "hs":
        hue, saturation, _ = colorsys.rgb_to_hsv(red, green, blue)
        return {"h": round(hue * 360, 1), "s": round(saturation * 100, 1)}
    return dict(zip("xy", _xy(red, green, blue), strict=True))


def _xy(*rgb: float) -> tuple[float, float]:
    """Chromaticity in CIE 1931 of a colour in sRGB (IEC 61966-2-1), its parts up to 1."""
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in rgb
    )
    x = 0.4124 * red + 0.3576 * green + 0.1805 * blue
    y = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    z = 0.0193 * red + 0.1192 * green + 0.9505 * blue
    total = (x + y + z) or 1.0
    return round(x / total, 4), round(y / total, 4)
