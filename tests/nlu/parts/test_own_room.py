"""Which room "my room" is, where nobody knows who speaks."""

from __future__ import annotations

import pytest

from assistant.skill.home import Area, Entity, Home
from nlu.parts.composer import Composer
from nlu.parts.questions import Questions
from nlu.text.canonical import canonical


def home(*rooms: str) -> Home:
    return Home(
        areas=tuple(Area(name=room, id=f"r{number}") for number, room in enumerate(rooms)),
        entities=tuple(
            Entity(id=f"{kind}.r{number}", name=f"{word} {number}", area=f"r{number}", state="on")
            for number in range(len(rooms))
            for kind, word in (("light", "Globe"), ("cover", "Drape"))
        ),
    )


SHARED = home("Kitchen", "Pantry")
ONE = home("Kitchen", "Spare Bedroom")
SEVERAL = home("Kitchen", "Olga's Room", "Twins' Room", "Blue Room")


def rooms(there: Home, here: str, said: str) -> list[tuple[str, ...]]:
    """The rooms that each command of a text may be in."""
    return [
        (str(slot.value), *map(str, slot.others))
        for one in Composer(there, here)(canonical(said)) or ()
        for slot in one.command.slots
        if slot.name == "area"
    ]


@pytest.mark.parametrize("said", ["lights off in my room", "turn on the light in our room"])
@pytest.mark.parametrize(
    ("there", "here", "meant"),
    [
        (ONE, "r0", ("Spare Bedroom",)),
        (ONE, "r1", ("Spare Bedroom",)),
        (SEVERAL, "r0", ("Olga's Room", "Twins' Room")),
        (SEVERAL, "", ("Olga's Room", "Twins' Room")),
        (SEVERAL, "r2", ("Twins' Room",)),
        (SEVERAL, "r3", ("Blue Room",)),
        (SHARED, "r0", ("Kitchen",)),
        (SHARED, "", ("room of yours",)),
    ],
)
def test_my_room(there: Home, here: str, meant: tuple[str, ...], said: str) -> None:
    assert rooms(there, here, said) == [meant]


def test_a_question_is_about_the_same_rooms() -> None:
    asked = Questions(SEVERAL, "r0")(canonical("is the light on in my room")) or ()
    places = [slot for one in asked for slot in one.command.slots if slot.name == "area"]
    assert [(s.value, *s.others) for s in places] == [("Olga's Room", "Twins' Room")]


def test_this_room_is_where_it_is_said() -> None:
    assert rooms(SEVERAL, "r0", "lights off in this room") == [("Kitchen",)]


def test_my_bedroom_is_the_room_of_that_name() -> None:
    named = home("Kitchen", "Bedroom", "Olga's Room")
    assert rooms(named, "r0", "lights off in my bedroom") == [("Bedroom",)]


def test_a_room_that_is_called_so_is_meant_everywhere() -> None:
    areas = (*SEVERAL.areas, Area(name="Attic", id="attic", aliases=("our room",)))
    called = Home(areas=areas, entities=SEVERAL.entities)
    assert rooms(called, "r2", "lights off in our room") == [("Attic",)]
