"""Words for kinds of devices, and what of a home they mean."""

from __future__ import annotations

from typing import NamedTuple

from assistant.english.lists import phrase_list, word_set


class Kind(NamedTuple):
    """Devices of these domains, and of these classes where there are any: of an attribute
    `device_class`, or a word of their names."""

    domains: tuple[str, ...]
    classes: tuple[str, ...] = ()


_LIGHT = Kind(("light",))
_MEDIA = Kind(("media_player",))

_KINDS = {
    "light, lights, lighting, lightbulb, lightbulbs, bulb, bulbs, illumination": _LIGHT,
    "lamp, lamps": Kind(("light",), ("lamp",)),
    "blind, blinds, shade, shades": Kind(("cover",), ("blind", "shade")),
    "curtain, curtains, drape, drapes": Kind(("cover",), ("curtain",)),
    "shutter, shutters": Kind(("cover",), ("shutter",)),
    "awning, awnings": Kind(("cover",), ("awning",)),
    "garage door, garage doors": Kind(("cover",), ("garage",)),
    "gate, gates": Kind(("cover",), ("gate",)),
    "window, windows": Kind(("cover", "binary_sensor"), ("window",)),
    "door, doors": Kind(("lock", "cover", "binary_sensor"), ("door", "garage")),
    "locks": Kind(("lock",)),
    "fan, fans, ventilator": Kind(("fan",)),
    "heating, thermostat, thermostats, radiator, radiators, central heating, heat": Kind(
        ("climate",)
    ),
    "heater, heaters": Kind(("climate", "switch", "water_heater"), ("heater",)),
    "water heater, boiler, hot water, immersion, immersion heater, water temperature": Kind(
        ("water_heater",)
    ),
    "humidifier, humidifiers, humidity": Kind(("humidifier",)),
    "dehumidifier, dehumidifiers": Kind(("humidifier", "switch"), ("dehumidifier",)),
    "air conditioning, air con, aircon, ac, air conditioner": Kind(("climate",)),
    "tv, telly, television, tellies, tvs": Kind(("media_player",), ("tv", "television", "telly")),
    "radio, radios, wireless": Kind(("media_player",), ("radio",)),
    "speaker, speakers, stereo, hifi": Kind(("media_player",), ("speaker", "stereo")),
    "music, sound, song, tune, player, audio, track, volume": _MEDIA,
    "vacuum, hoover, vacuum cleaner, robot, robot vacuum": Kind(("vacuum",)),
    "mower, lawnmower, lawn mower, robot mower": Kind(("lawn_mower",)),
    "switches, plug, plugs, socket, sockets, outlet, outlets": Kind(("switch",)),
}

KINDS: dict[tuple[str, ...], Kind] = {
    tuple(phrase.split()): kind
    for phrases, kind in _KINDS.items()
    for phrase in phrase_list(phrases)
}
"""Canonical words → the kind that they name."""

MAIN_LIGHTS = frozenset(
    tuple(phrase.split())
    for phrase in phrase_list(
        "big light, main light, overhead light, ceiling light, top light, room light, main lights,"
        " big lights, overhead lights, ceiling lights"
    )
)
"""Canonical words for the light of a room that is not one lamp of it."""
MAIN_NAMES = word_set("main big ceiling overhead pendant chandelier central")
"""Words in the names of such lights."""

WHITE = "colour_temperature"
"""The property of a light that is raised by "cooler", and lowered by "warmer"."""
OF_PROPERTY = {
    WHITE: _LIGHT,
    "brightness": _LIGHT,
    "volume": _MEDIA,
    "temperature": Kind(("climate", "water_heater")),
    "humidity": Kind(("humidifier",)),
    "position": Kind(("cover", "valve")),
    "speed": Kind(("fan",)),
}
"""A property that can be changed → the devices that have it, first those that are usually meant."""

EVERYTHING = Kind(("light", "switch", "fan", "media_player"))
"""What "everything" is, of which all can be switched."""
