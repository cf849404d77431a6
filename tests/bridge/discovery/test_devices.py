"""What announced devices are called, where they are, and which they are."""

from __future__ import annotations

import json
from typing import Any

import pytest

from assistant.bridge.discovery.announcements import read_announcement
from assistant.bridge.discovery.devices import (
    AnnouncedDevice,
    described,
    identified,
    read_device,
)
from assistant.skill.home import Area, Entity


def device(topic: str = "switch/plug/config", **options: Any) -> AnnouncedDevice | None:
    payload = json.dumps({"cmd_t": "c", "stat_t": "s", **options}).encode()
    (one,) = read_announcement("homeassistant", f"homeassistant/{topic}", payload)
    return read_device(one)


def devices(*found: AnnouncedDevice | None) -> list[AnnouncedDevice]:
    return [one for one in found if one is not None]


@pytest.mark.parametrize(
    ("options", "name", "alias"),
    [
        ({"name": "Desk Lamp"}, "Desk Lamp", ""),
        ({"name": None, "dev": {"name": "Desk Lamp"}}, "Desk Lamp", ""),
        ({"dev": {"name": "living_room/desk_lamp"}}, "living room desk lamp", ""),
        ({"name": "Desk Lamp", "dev": {"name": "esp-7"}}, "esp-7 Desk Lamp", "Desk Lamp"),
        ({"name": "Kettle Power", "dev": {"name": "Kettle"}}, "Kettle Power", ""),
        ({"name": "Kettle", "dev": {"name": "kettle"}}, "Kettle", ""),
        ({"dev_cla": "outlet", "dev": {"name": "Kettle"}}, "Kettle", ""),
        ({}, "Plug", ""),
        ({"name": "x" * 101}, "Plug", ""),
        ({"name": "\u202e"}, "Plug", ""),
    ],
)
def test_what_a_device_is_called(options: dict[str, Any], name: str, alias: str) -> None:
    found = device(**options)
    assert found is not None
    assert (found.name, found.alias) == (name, alias)


def test_a_sensor_without_a_name_is_called_after_its_class() -> None:
    named = {"dev_cla": "carbon_dioxide", "dev": {"name": "Hall"}}
    found = devices(*(device("sensor/x/config", **named, **more) for more in ({}, {"name": None})))
    assert [one.name for one in found] == ["Hall Carbon Dioxide", "Hall"]


@pytest.mark.parametrize(
    ("options", "object_id"),
    [
        ({"name": "Desk Lamp", "def_ent_id": "switch.desk"}, "desk"),
        ({"name": "Desk Lamp", "obj_id": "My Desk"}, "my_desk"),
        ({"name": "Desk Lamp"}, "desk_lamp"),
        ({}, "plug"),
    ],
)
def test_what_its_id_is_made_of(options: dict[str, Any], object_id: str) -> None:
    found = device(**options)
    assert found is not None
    assert found.object_id == object_id


@pytest.mark.parametrize("options", [{"ent_cat": "diagnostic"}, {"en": False}])
def test_what_is_not_for_people_is_left_out(options: dict[str, Any]) -> None:
    assert device(**options) is None


def test_of_several_that_want_an_id_each_has_its_own_whatever_comes_first() -> None:
    found = devices(*(device(f"switch/{node}/config", name="Plug") for node in "bac"))
    ids = {entity_id: one.source[-8:-7] for entity_id, one in identified(found).items()}
    assert ids == {"switch.plug": "a", "switch.plug_2": "b", "switch.plug_3": "c"}
    assert identified(reversed(found)).keys() == ids.keys()


def test_the_home_of_devices_has_their_areas_and_their_names() -> None:
    found = devices(
        device("light/a/config", name="Lamp", dev={"name": "Desk", "sa": "Home Office"}),
        device("switch/b/config", name="Kettle", dev={"name": "Plug", "sa": "kitchen"}),
        device("switch/c/config", name="Lamp", dev={"name": "Shelf", "sa": "kitchen"}),
        device("switch/d/config", name="Fan"),
    )
    home = described(identified(found))
    assert home.areas == (
        Area(name="Home Office", id="home_office"),
        Area(name="kitchen", id="kitchen"),
    )
    lamp, fan, kettle, other = home.entities
    assert lamp == Entity(
        name="Desk Lamp",
        id="light.desk_lamp",
        area="home_office",
        state="off",
        attributes={"supported_color_modes": ["onoff"]},
    )
    # "Lamp" is what two are called within their devices, so it names neither.
    assert (kettle.id, kettle.aliases, other.aliases) == ("switch.plug_kettle", ("Kettle",), ())
    assert fan.area is None
