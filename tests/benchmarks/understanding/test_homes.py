"""Sentences move to a made-up home with the names of what they are about."""

from __future__ import annotations

import pytest

from assistant.evaluation.home_tests import HomeTestCase, WantedCommand
from assistant.skill.home import Area, Entity, Home
from benchmarks.understanding.homes import MadeUp

HOME = Home(
    areas=(Area(name="Kitchen", id="kitchen"), Area(name="Hall", id="hall")),
    entities=(
        Entity(name="Kitchen Lamp", id="light.kitchen_lamp", area="kitchen"),
        Entity(name="Rover", id="vacuum.rover", area="hall"),
        Entity(name="Next birthday", id="sensor.birthday"),
    ),
)
WANTED = frozenset({"kitchen lamp", "rover"})


def case(**slots: str) -> HomeTestCase:
    return HomeTestCase(("",), (WantedCommand("HassTurnOn", slots),))


@pytest.mark.parametrize("size", [3, 5, 40])
def test_a_home_has_as_many_devices_as_wanted_and_no_name_twice(size: int) -> None:
    home = MadeUp(HOME, WANTED, size, seed=1).home
    assert len(home.entities) == size
    assert len({entity.name for entity in home.entities}) == size


def test_a_sentence_and_its_meaning_get_the_same_new_names() -> None:
    made = MadeUp(HOME, WANTED, 5, seed=1)
    lamp = next(e for e in made.home.entities if e.id == "light.kitchen_lamp")
    kitchen = next(a for a in made.home.areas if a.id == "kitchen")
    assert lamp.name.startswith(kitchen.name)
    told = made.told(case(name="Kitchen Lamp"), "is the KITCHEN lamp on in the kitchen?")
    assert told is not None
    assert told.sentences == (f"is the {lamp.name} on in the {kitchen.name}?",)
    assert told.commands[0].slots == {"name": lamp.name}


def test_what_the_sentence_does_not_name_or_the_home_does_not_have_is_left_out() -> None:
    made = MadeUp(HOME, WANTED, 5, seed=1)
    assert made.told(case(name="Kitchen Lamp"), "the chicken lamp") is None
    assert made.told(case(area="Hall", domain="light"), "light in the hall") is None
    assert made.told(case(area="Kitchen", domain="light"), "light in the kitchen") is not None
    assert made.told(case(name="pizza"), "a pizza timer") is not None
    small = MadeUp(HOME, frozenset({"rover"}), 1, seed=1)
    assert small.told(case(name="Kitchen Lamp"), "kitchen lamp on") is None
    assert small.told(case(name="Rover"), "send rover home") is not None
