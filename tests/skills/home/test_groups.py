"""A group of devices is meant by its own name; else its members are, but for what is excepted."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest

from assistant.core.messages import Slot, SlotValue
from assistant.skill.home import Area, Home
from tests.support.house import thing
from tests.support.talking import Talk, command

LAMPS = ("light.desk", "light.shelf")
HOME = Home(
    areas=(Area(name="Kitchen", id="kitchen"), Area(name="Den", id="den")),
    entities=(
        thing("light.desk", "Desk Lamp", "den", "off"),
        thing("light.shelf", "Shelf Lamp", None, "off"),
        thing("light.lamps", "Den Lamps", "den", "off", entity_id=list(LAMPS)),
        thing("light.counter", "Counter", "kitchen", "off"),
        thing("light.far", "Barn Lights", "den", "off", entity_id=["light.unknown"]),
    ),
)


@pytest.mark.parametrize(
    ("slots", "excepted", "on"),
    [
        ({"name": "Den Lamps"}, "", ["light.lamps"]),
        ({"name": "all", "domain": "light"}, "", [*LAMPS, "light.counter", "light.far"]),
        (
            {"name": "all", "domain": "light"},
            "Desk Lamp",
            ["light.shelf", "light.counter", "light.far"],
        ),
        ({"area": "Den", "domain": "light"}, "", ["light.desk", "light.far"]),
        ({"area": "Den", "domain": "light"}, "Shelf Lamp", ["light.desk", "light.far"]),
        ({"name": "Den Lamps"}, "Shelf Lamp", []),
    ],
)
def test_a_group_is_switched_by_its_name_alone(
    talks: Callable[..., Talk], slots: dict[str, SlotValue], excepted: str, on: list[str]
) -> None:
    talk = talks(home=HOME)
    wanted = command("HassTurnOn", **slots)
    if excepted:
        excluded = (Slot(name="name", value=excepted, raw=excepted),)
        wanted = msgspec.structs.replace(wanted, excluded=excluded)
    reply = talk.say("", wanted)
    assert [e.id for e in HOME.entities if talk.state(e.id) == "on"] == on
    assert bool(on) is reply.startswith("I turned on")


def test_members_are_told_and_not_their_group(talks: Callable[..., Talk]) -> None:
    talk = talks(home=HOME)
    talk.ask("HassTurnOn", name="Desk Lamp")
    told = talk.ask("HassGetState", domain="light", area="Den", state="on")
    assert "desk lamp" in told
    assert "den lamps" not in told
