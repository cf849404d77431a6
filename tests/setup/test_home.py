"""Rooms and devices from words and from Home Assistant's registries, and the file they become."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assistant.core.errors import InputError
from assistant.setup.home_assistant import read_home_assistant
from assistant.setup.home_file import SECTIONS, home_text, read_home_text
from assistant.setup.rooms import home_of, parse_device, parse_room
from assistant.skill.home import Home
from tests.support.house import HOUSE


@pytest.mark.parametrize(
    ("name", "domain", "device_class"),
    [
        ("ceiling light", "light", ""),
        ("floor lamp", "light", ""),
        ("blinds", "cover", "blind"),
        ("garage door", "cover", "garage"),
        ("front door", "lock", ""),
        ("radiator", "climate", ""),
        ("tv", "media_player", ""),
        ("light switches", "switch", ""),
        ("speaker by the window", "cover", ""),
        ("kettle", "", ""),
        ("kettle=switch", "switch", ""),
    ],
)
def test_what_a_device_is_follows_from_its_name(name: str, domain: str, device_class: str) -> None:
    device = parse_device(name)
    assert (device.domain, device.device_class) == (domain, device_class)


def test_two_rooms_may_have_a_lamp_each() -> None:
    home = home_of([parse_room("hall: lamp"), parse_room("attic: lamp")], [])
    assert [entity.id for entity in home.entities] == ["light.hall_lamp", "light.attic_lamp"]


@pytest.mark.parametrize("text", ["", ": lamp", "hall: lamp=teapot", "hall: gizmo"])
def test_what_tells_of_no_room_or_device_is_refused(text: str) -> None:
    with pytest.raises(InputError):
        home_of([parse_room(text)], [])


def sorted_home(home: Home) -> tuple[object, ...]:
    return home.floors, home.areas, sorted(home.entities, key=lambda entity: entity.id)


def test_the_file_is_read_again_to_the_same_home() -> None:
    assert sorted_home(read_home_text(home_text(HOUSE))) == sorted_home(HOUSE)


def test_each_kind_is_explained_and_the_examples_are_devices_once_uncommented() -> None:
    text = home_text(Home())
    assert read_home_text(text) == Home()
    uncommented = read_home_text(text.replace("  # - {", "  - {"))
    assert {entity.domain for entity in uncommented.entities} == {
        section.example.domain for section in SECTIONS
    }
    for title in ("Lights", "Covers", "Locks", "Climate", "Media", "Lists"):
        assert f"# {title}: " in text


def test_names_keep_their_quotes_and_signs() -> None:
    home = home_of([parse_room('Zoë\'s "den" #1: Lamp: big {x}')], [])
    assert read_home_text(home_text(home)) == home


def registry(folder: Path, name: str, key: str, *rows: dict[str, object]) -> None:
    content = {"version": 1, "key": f"core.{name}_registry", "data": {key: rows}}
    (folder / f"core.{name}_registry").write_text(json.dumps(content))


@pytest.fixture
def home_assistant(tmp_path: Path) -> Path:
    """Registries in the form of Home Assistant's own, with fields that are not needed here."""
    storage = tmp_path / "config" / ".storage"
    storage.mkdir(parents=True)
    registry(storage, "floor", "floors", {"floor_id": "up", "name": "Upstairs", "level": 1})
    registry(
        *(storage, "area", "areas"),
        {"id": "kitchen", "name": "Kitchen", "aliases": ["galley"], "floor_id": None, "icon": None},
        {"id": "bedroom", "name": "Bedroom", "aliases": [], "floor_id": "up"},
    )
    registry(
        *(storage, "device", "devices"),
        {"id": "d1", "name": "Hue Bulb", "name_by_user": "Desk Lamp", "area_id": "bedroom"},
    )
    registry(
        *(storage, "entity", "entities"),
        {"entity_id": "light.hue", "device_id": "d1", "has_entity_name": True, "name": None},
        {"entity_id": "sensor.hue_power", "device_id": "d1", "has_entity_name": True,
         "original_name": "Power", "original_device_class": "power"},
        {"entity_id": "cover.k", "name": "Blind", "original_name": "x", "area_id": "kitchen",
         "device_class": "blind", "aliases": ["shade", None]},
        {"entity_id": "switch.coffee_maker", "original_name": None},
        {"entity_id": "light.off", "name": "A", "disabled_by": "user"},
        {"entity_id": "light.hidden", "name": "B", "hidden_by": "user"},
        {"entity_id": "switch.led", "name": "C", "entity_category": "config"},
        {"entity_id": "lock.secret", "name": "D",
         "options": {"conversation": {"should_expose": False}}},
        {"entity_id": "button.restart", "name": "E"},
        {"entity_id": "event.doorbell", "name": "F", "platform": "mqtt"},
        {"entity_id": "event.post", "name": "Harbour Post", "platform": "feedreader"},
    )  # fmt: skip
    return tmp_path / "config"


@pytest.mark.parametrize("part", ["", ".storage"])
def test_rooms_and_devices_are_those_of_home_assistant(home_assistant: Path, part: str) -> None:
    home = read_home_assistant(home_assistant / part)
    assert [(area.id, area.floor, area.aliases) for area in home.areas] == [
        ("kitchen", None, ("galley",)),
        ("bedroom", "up", ()),
    ]
    assert [(e.id, e.name, e.area) for e in home.entities] == [
        ("light.hue", "Desk Lamp", "bedroom"),
        ("sensor.hue_power", "Desk Lamp Power", "bedroom"),
        ("cover.k", "Blind", "kitchen"),
        ("switch.coffee_maker", "Coffee Maker", None),
        ("event.post", "Harbour Post", None),
    ]
    assert home.entities[2].aliases == ("shade",)
    assert [e.fact("device_class") for e in home.entities] == ["", "power", "blind", "", ""]
    assert sorted_home(read_home_text(home_text(home))) == sorted_home(home)


@pytest.mark.parametrize("content", ["", "{}", "[]", '{"data": {"areas": [{"id": 7}]}}', "\udcff"])
def test_what_is_no_registry_is_refused_by_name(home_assistant: Path, content: str) -> None:
    file = home_assistant / ".storage" / "core.area_registry"
    file.write_bytes(content.encode("utf-8", "surrogateescape"))
    with pytest.raises(InputError, match="area_registry"):
        read_home_assistant(home_assistant)
