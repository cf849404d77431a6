"""A home as it is written down: names in template form, states, what has no id, what is wrong."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from assistant.core.errors import InputError
from assistant.skill.home import (
    Area,
    Entity,
    Floor,
    Home,
    load_home,
    load_homes,
    read_home,
    spellings,
)
from assistant.skill.manifest import SlotSchema

WRITTEN = """
language: en
floors: [{name: Upstairs, id: up, aliases: [the attic]}]
areas:
  - {name: Kitchen, id: kitchen, floor: up, temperature: 20}
  - {name: Play (room|corner)}
entities:
  - {name: Lamp, id: light.lamp, area: kitchen, state: on, aliases: [big lamp]}
  - {name: Pet Door, id: binary_sensor.pet, state: {in: open, out: "on"},
     attributes: {device_class: door, battery: 7}}
  - {name: "Trader Joe[']s", domain: todo}
  - {name: Meter, id: sensor.meter, state: 42}
"""


def test_a_home_as_home_assistants_fixtures_write_it(tmp_path: Path) -> None:
    file = tmp_path / "home.yaml"
    file.write_text(WRITTEN)
    assert load_home(file) == Home(
        floors=(Floor(name="Upstairs", id="up", aliases=("the attic",)),),
        areas=(
            Area(name="Kitchen", id="kitchen", floor="up"),
            Area(name="Play room", id="play_room", aliases=("Play corner",)),
        ),
        entities=(
            Entity(name="Lamp", id="light.lamp", area="kitchen", state="on", aliases=("big lamp",)),
            Entity(
                name="Pet Door",
                id="binary_sensor.pet",
                state="on",
                attributes={"device_class": "door", "battery": 7},
            ),
            Entity(name="Trader Joes", id="todo.trader_joes", aliases=("Trader Joe's",)),
            Entity(name="Meter", id="sensor.meter", state="42"),
        ),
    )


@pytest.mark.parametrize(
    ("name", "every"),
    [
        ("Lamp", ["Lamp"]),
        ("Joe[']s", ["Joes", "Joe's"]),
        ("[big ]lamp[s]", ["lamp", "lamps", "big lamp", "big lamps"]),
        ("(sofa|couch [small])", ["sofa", "couch", "couch small"]),
        ("left [", ["left ["]),
    ],
)
def test_names_in_template_form(name: str, every: list[str]) -> None:
    assert sorted(spellings(name)) == sorted(every)
    assert spellings(name)[0] == every[0]


@pytest.mark.parametrize(
    "document",
    [
        [],
        3,
        {"areas": 3},
        {"areas": [3]},
        {"areas": [{"id": "x"}]},
        {"entities": [{"name": 3, "id": "a.b"}]},
    ],
)
def test_what_is_no_home(document: Any) -> None:
    with pytest.raises(InputError, match="here: "):
        read_home(document, "here")


def test_which_devices_a_slot_may_name() -> None:
    door = Entity(name="Door", id="binary_sensor.door", attributes={"device_class": "door"})
    lamp = Entity(name="Lamp", id="light.lamp")

    def fits(**facts: Any) -> list[str]:
        slot = SlotSchema(name="name", kind="entity", **facts)
        return [entity.name for entity in (door, lamp) if slot.fits(entity)]

    assert fits() == ["Door", "Lamp"]
    assert fits(domains=("light", "fan")) == ["Lamp"]
    assert fits(requires=(("domain", ("binary_sensor",)), ("device_class", ("door",)))) == ["Door"]
    assert fits(requires=(("device_class", ("window",)),)) == []
    assert fits(excludes=(("domain", ("binary_sensor", "lock")),)) == ["Lamp"]


@pytest.mark.parametrize("name", ["[a]" * 300, "(a|b) " * 60, "[(a|[b)]" * 40, "[]" * 5_000])
def test_a_name_with_very_many_spellings_has_some_of_them(name: str) -> None:
    """Their number doubles with each option; so many are never made."""
    assert 1 <= len(spellings(name)) <= 16


def test_a_home_of_aliases_without_end_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "home.yaml"
    file.write_text("areas: &a [*a]\n")
    with pytest.raises(InputError, match="what it is in") as caught:
        load_home(file)
    assert caught.value.code == "home.malformed"


def test_a_second_file_adds_to_the_first(tmp_path: Path) -> None:
    own, found = tmp_path / "own.yaml", tmp_path / "found.json"
    own.write_text("""
areas: [{name: Living Room, id: lounge, aliases: [front room]}]
entities:
  - {name: My Lamp, id: light.lamp, aliases: [big lamp]}
  - {name: Kettle, id: switch.kettle, area: lounge, attributes: {device_class: outlet}}
""")
    found.write_text("""
{"areas": [{"name": "front room", "id": "front_room"}, {"name": "Hall", "id": "hall"}],
 "entities": [
  {"name": "Lamp", "id": "light.lamp", "area": "front_room", "state": "off",
   "attributes": {"supported_color_modes": ["onoff"]}},
  {"name": "Plug", "id": "switch.kettle", "area": "hall", "attributes": {"device_class": "switch"}},
  {"name": "Fan", "id": "fan.fan", "area": "front_room"},
  {"name": "Door", "id": "lock.door", "area": "hall"}]}
""")
    home = load_homes((own, found))
    assert home.areas == (
        Area(name="Living Room", id="lounge", aliases=("front room",)),
        Area(name="Hall", id="hall"),
    )
    lamp, kettle, fan, door = home.entities
    assert lamp == Entity(
        name="My Lamp",
        id="light.lamp",
        area="lounge",
        state="off",
        attributes={"supported_color_modes": ["onoff"]},
        aliases=("big lamp",),
    )
    assert (kettle.name, kettle.area) == ("Kettle", "lounge")
    assert kettle.attributes == {"device_class": "outlet"}
    assert (fan.area, door.area) == ("lounge", "hall")


def test_one_file_alone_is_as_it_is_written_and_none_is_an_empty_home(tmp_path: Path) -> None:
    file = tmp_path / "home.yaml"
    file.write_text(WRITTEN)
    assert load_homes((file,)) == load_home(file)
    assert load_homes(()) == Home()


BAD = (
    {"name": "", "id": "light." + "a" * 2_000},
    {"name": "a " * 60, "id": "light.long"},
    {"name": "Lamp\x1b[2J", "id": "light.moves"},
    {"name": "Lamp", "id": "light.a\nasr: ERROR forged"},
    {"name": "Lamp", "id": ""},
    {"name": " ", "id": "light.blank"},
)
GOOD = (
    {"name": "Überlicht – Nº 1", "id": "light.ü"},
    {"name": "Licht\u00a0rechts", "id": "light.right"},
    {"name": "l" * 100, "id": "light." + "i" * 249},
    {"name": "Family 👨‍👩‍👧 light", "id": "light.family"},
)


@pytest.mark.parametrize("part", ["floors", "areas", "entities"])
@pytest.mark.parametrize("bad", BAD)
def test_one_bad_name_is_left_out_and_told(part: str, bad: dict[str, str]) -> None:
    told: list[str] = []
    home = read_home({part: [GOOD[0], bad, *GOOD[1:]]}, "here", told.append)
    assert [one.id for one in getattr(home, part)] == [good["id"] for good in GOOD]
    (line,) = told
    assert line.startswith("here: ")
    assert line.isprintable()
    assert len(line) < 200


def test_a_bad_alias_is_left_out_and_its_device_stays() -> None:
    told: list[str] = []
    lamp = {"name": "Lamp", "id": "light.lamp", "aliases": ["x" * 101, "glow"], "area": "\x1b"}
    (entity,) = read_home({"entities": [lamp]}, "here", told.append).entities
    assert (entity.aliases, entity.area) == (("glow",), None)
    assert len(told) == 1
