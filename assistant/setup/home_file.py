"""The text of a home's file, with an explanation of each kind of device."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import NamedTuple

import msgspec

from assistant.core.errors import InputError
from assistant.core.yaml_text import YamlError, read_yaml
from assistant.skill.home import Area, Entity, Floor, Home, read_home

_HEAD = """\
# The home: its rooms and devices, by the names that people call them.
# Change it as you like, then run: assistant reload
#
# name     what is said; aliases: ["telly"] are further names
# id       domain.object: the domain says what can be done with it. With an MQTT broker the topics
#          are hark/domain/object/set and hark/domain/object/state
# area     the id of the room where it is
# state    what it is taken to be in until the broker tells
"""
_NONE = "  # none yet, such as:\n"


class Section(NamedTuple):
    """One kind of device: its domains, what is explained, and an example."""

    domains: tuple[str, ...]
    title: str
    explanation: str
    example: Entity


def _example(entity_id: str, name: str, state: str, **attributes: str) -> Entity:
    return Entity(id=entity_id, name=name, area="kitchen", state=state, attributes=attributes)


SECTIONS = (
    Section(
        ("light",), "Lights", '"turn on the ceiling light", "the lights at forty percent"',
        _example("light.kitchen_ceiling_light", "Ceiling Light", "off"),
    ),
    Section(
        ("switch", "fan", "valve"), "Plugs, fans and valves", '"coffee machine on", "fan at three"',
        _example("switch.kitchen_coffee_machine", "Coffee Machine", "off"),
    ),
    Section(
        ("cover",), "Covers",
        '"close the blinds"; device_class is blind, curtain, shutter, shade, garage or gate',
        _example("cover.kitchen_blinds", "Blinds", "open", device_class="blind"),
    ),
    Section(
        ("lock",), "Locks", '"lock the front door"; unlocking is asked about after a guess',
        _example("lock.front_door", "Front Door", "locked"),
    ),
    Section(
        ("climate", "water_heater"), "Climate", '"nineteen degrees in the kitchen", "a bit warmer"',
        _example("climate.kitchen_radiator", "Radiator", "heat"),
    ),
    Section(
        ("media_player",), "Media", '"pause the radio", "louder"',
        _example("media_player.kitchen_radio", "Radio", "off"),
    ),
    Section(
        ("todo",), "Lists", '"put milk on the shopping list"; they are of no room',
        Entity(id="todo.shopping_list", name="Shopping List", state="0"),
    ),
)  # fmt: skip


def home_text(home: Home) -> str:
    """The file of a home."""
    return "\n".join([_HEAD, *_parts(home)])


def read_home_text(text: str) -> Home:
    """The home of such a text, as the product reads it; raises `InputError`."""
    try:
        return read_home(read_yaml(text) or {}, "the home file")
    except YamlError as error:
        raise InputError("home.malformed", f"the home file: {error}") from error


def _parts(home: Home) -> Iterator[str]:
    if home.floors:
        yield "floors:\n" + "".join(map(_line, home.floors))
    yield "# Rooms; devices name the id of theirs.\nareas:\n" + (
        "".join(map(_line, home.areas)) or '  # - {name: "Kitchen", id: "kitchen"}\n'
    )
    yield "entities:"
    explained = {domain for section in SECTIONS for domain in section.domains}
    for domains, title, explanation, example in SECTIONS:
        found = [entity for entity in home.entities if entity.domain in domains]
        lines = "".join(map(_line, found)) or _NONE + _line(example).replace("- ", "# - ", 1)
        yield f"  # {title}: {explanation}.\n{lines}"
    others = [entity for entity in home.entities if entity.domain not in explained]
    if others:
        lines = "".join(map(_line, others))
        yield f"  # Others, such as sensors, scenes, scripts and robot cleaners.\n{lines}"


def _line(one: Floor | Area | Entity) -> str:
    """One entry, in YAML's flow style; JSON's strings are YAML's, too."""
    fields = msgspec.to_builtins(one)
    kept = {k: v for k, v in fields.items() if v or k in ("name", "id")}
    if kept.get("state") == "unknown":
        del kept["state"]
    pairs = ", ".join(f"{k}: {json.dumps(v, ensure_ascii=False)}" for k, v in kept.items())
    return f"  - {{{pairs}}}\n"
