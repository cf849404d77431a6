"""Which floor "up here" is, in a home with several upper floors."""

from __future__ import annotations

import pytest

from assistant.skill.home import Area, Entity, Floor, Home
from nlu.parts.composer import Composer
from nlu.parts.questions import Questions
from nlu.text.canonical import canonical

HOME = Home(
    floors=(
        Floor(name="Ground Floor", id="ground"),
        Floor(name="First Floor", id="first", aliases=("upstairs",)),
        Floor(name="Top Floor", id="top"),
    ),
    areas=tuple(Area(name=f"{one} room", id=one, floor=one) for one in ("ground", "first", "top")),
    entities=tuple(
        Entity(id=f"light.{one}", name=f"Globe {one}", area=one, state="on")
        for one in ("ground", "first", "top")
    ),
)


def floors(composed: object) -> list[str]:
    return [
        str(slot.value)
        for one in composed or ()  # type: ignore[attr-defined]
        for slot in one.command.slots
        if slot.name == "floor"
    ]


@pytest.mark.parametrize(
    ("here", "said", "floor"),
    [
        ("top", "lights off up here", "Top Floor"),
        ("first", "everything off up here", "First Floor"),
        ("", "lights off up here", "First Floor"),
        ("ground", "lights off up here", "First Floor"),
        ("ground", "lights on down here", "Ground Floor"),
        ("top", "lights off upstairs", "First Floor"),
        ("top", "lights off up there", "First Floor"),
        ("top", "lights off down there", "Ground Floor"),
    ],
)
def test_up_here_is_the_speakers_floor(here: str, said: str, floor: str) -> None:
    assert floors(Composer(HOME, here)(canonical(said))) == [floor]


@pytest.mark.parametrize("said", ["are the lights on up here", "how warm is it up here"])
def test_a_question_is_about_the_same_floor(said: str) -> None:
    assert floors(Questions(HOME, "top")(canonical(said))) == ["Top Floor"]


def test_a_kind_is_of_the_class_that_is_near() -> None:
    covers = (
        Entity(id="cover.a", name="Roller", area="ground", attributes={"device_class": "shade"}),
        *(
            Entity(
                id=f"cover.{n}", name=f"Slats {n}", area="top", attributes={"device_class": "blind"}
            )
            for n in ("b", "c")
        ),
    )
    attic = Area(name="Attic", id="attic", floor="top")
    home = Home(floors=HOME.floors, areas=(*HOME.areas, attic), entities=covers)
    for here, classes in (("attic", {"blind"}), ("", {"blind", "shade"})):
        made = Composer(home, here)(canonical("close the blinds")) or ()
        slots = [slot for one in made for slot in one.command.slots]
        assert {slot.value for slot in slots if slot.name == "device_class"} == classes
