"""Whether "all the lights", said in a room, are those of the room or of the whole home."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest

from assistant.core.messages import Command, Slot
from assistant.skill.home import Area, Home
from tests.support.house import thing
from tests.support.talking import Talk, command

HOME = Home(
    areas=(
        Area(name="Snug", id="snug"),
        Area(name="Larder", id="larder"),
        Area(name="Porch", id="porch"),
    ),
    entities=(
        thing("light.arc", "Arc Lamp", "snug", "on", brightness=128),
        thing("light.shell", "Shell Light", "snug", "on"),
        thing("light.larder", "Larder Light", "larder", "on"),
        thing("light.porch", "Porch Lantern", "porch", "on"),
        thing("lock.porch", "Porch Door", "porch", "unlocked"),
        thing("lock.snug", "Snug Door", "snug", "unlocked"),
        thing("lock.gate", "Snug Hatch", "snug", "unlocked"),
    ),
)
OFF = command("HassTurnOff", domain="light")
QUESTION = "In the snug, or in the whole house?"


def without(plain: Command, *names: str) -> Command:
    slots = tuple(Slot(name="name", value=name, raw=name) for name in names)
    return msgspec.structs.replace(plain, excluded=slots)


@pytest.fixture
def snug(talks: Callable[..., Talk]) -> Talk:
    made: Talk = talks(home=HOME, area="snug")
    return made


@pytest.mark.parametrize("said", ["all the lights off", "every light off"])
@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ("in here", "I turned off two lights in the snug."),
        ("just the snug please", "I turned off two lights in the snug."),
        ("only this room", "I turned off two lights in the snug."),
        ("the whole house", "I turned off four lights."),
        ("everywhere", "I turned off four lights."),
        ("all of them", "I turned off four lights."),
    ],
)
def test_all_of_a_kind_is_asked_about(snug: Talk, said: str, answer: str, told: str) -> None:
    assert snug.say(said, OFF) == QUESTION
    assert snug.say(answer) == told


def test_nothing_is_done_where_neither_is_meant(snug: Talk) -> None:
    assert snug.say("all the lights off", OFF) == QUESTION
    assert snug.say("no") == "Okay, never mind."
    assert snug.say("which lights are on", command("HassGetState", domain="light", state="on"))


def test_everything_may_be_that_of_the_room(snug: Talk) -> None:
    assert snug.say("everything off", command("HassTurnOff", name="all")) == QUESTION
    assert snug.say("in here") == "I turned off two devices in the snug."


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("all the lights to forty", command("HassLightSet", brightness=40)),
        (
            "make all the lights brighter",
            command("AdjustDevice", level="brightness", change="+"),
        ),
    ],
)
def test_levels_are_asked_about_as_well(snug: Talk, said: str, meant: Command) -> None:
    assert snug.say(said, meant) == QUESTION


@pytest.mark.parametrize(
    ("said", "meant", "told"),
    [
        ("all lights off everywhere", OFF, "I turned off four lights."),
        ("all the lights in the house off", OFF, "I turned off four lights."),
        (
            "everything in the house off",
            command("HassTurnOff", name="all"),
            "I turned off four devices.",
        ),
        ("lights off", OFF, "I turned off two lights in the snug."),
        ("all the lights in here off", OFF, "I turned off two lights in the snug."),
        ("all the lights in this room off", OFF, "I turned off two lights in the snug."),
        (
            "all the lights off but the porch lantern",
            without(OFF, "Porch Lantern"),
            "I turned off three lights, but not the porch lantern.",
        ),
        ("lock all the doors", command("HassTurnOn", domain="lock"), "I locked three locks."),
    ],
)
def test_what_is_clear_is_not_asked_about(snug: Talk, said: str, meant: Command, told: str) -> None:
    assert snug.say(said, meant) == told


def test_an_exception_in_the_room_leaves_it_unclear(snug: Talk) -> None:
    but_one = without(OFF, "Shell Light")
    assert snug.say("all the lights off except the shell light", but_one) == QUESTION
    assert snug.say("in here") == "I turned off the arc lamp."


def test_a_room_with_one_of_them_is_not_meant_by_all(talks: Callable[..., Talk]) -> None:
    talk = talks(home=HOME, area="larder")
    assert talk.say("all the lights off", OFF) == "I turned off four lights."


def test_it_is_clear_where_the_other_rooms_are_dark_already(snug: Talk) -> None:
    for room in ("Larder", "Porch"):
        snug.say(f"{room} light off", command("HassTurnOff", domain="light", area=room))
    assert snug.say("all the lights off", OFF) == "I turned off four lights."


def test_it_is_clear_where_the_room_is_dark_already(snug: Talk) -> None:
    snug.say("lights off", OFF)
    assert snug.say("all the lights off", OFF) == "I turned off four lights."
