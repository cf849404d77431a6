"""Of what a command may mean, those that were spoken of, that can do it, or are left."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest

from assistant.core.messages import Command, Slot
from assistant.skill.home import Area, Floor, Home
from tests.support.house import thing
from tests.support.talking import Talk, command

HOME = Home(
    floors=(Floor(name="Upstairs", id="up"),),
    areas=(
        Area(name="Kitchen", id="kitchen"),
        Area(name="Study", id="study", floor="up"),
        Area(name="Garden", id="garden", aliases=("outside",)),
    ),
    entities=(
        thing("light.spots", "Spots", "kitchen", "on", brightness=102),
        thing("light.strip", "Strip", "kitchen", "on", supported_color_modes=["onoff"]),
        thing("light.desk", "Desk Light", "study", "on", brightness=0),
        thing("light.shelf", "Shelf Light", "study", "off"),
        thing("lock.annexe", "Annexe Door", None, "unlocked"),
        thing("lock.front", "Front Door", None, "unlocked"),
        thing("lock.back", "Back Door", None, "locked"),
        thing("switch.kettle", "Kettle", "kitchen", "on"),
        thing("binary_sensor.w", "Study Window", "study", "on", device_class="window"),
        thing("sensor.fridge", "Fridge", "kitchen", "4", device_class="temperature"),
        thing("weather.home", "Weather", None, "rainy", temperature=3.5),
    ),
)
LIGHTS = {"domain": "light"}


@pytest.fixture
def talk(talks: Callable[..., Talk]) -> Talk:
    made: Talk = talks(home=HOME)
    return made


def referring(plain: Command) -> Command:
    return msgspec.structs.replace(plain, referring=True)


def without(plain: Command, name: str, *values: str) -> Command:
    slots = tuple(Slot(name=name, value=value, raw=value.casefold()) for value in values)
    return msgspec.structs.replace(plain, excluded=slots)


@pytest.mark.parametrize(
    ("asked", "question", "then", "told"),
    [
        (
            "are all the lights off upstairs",
            command("HassGetState", **LIGHTS, state="off", floor="Upstairs"),
            command("HassTurnOff", **LIGHTS),
            "I turned off the desk light.",
        ),
        (
            "which doors are unlocked",
            command("HassGetState", domain="lock", state="unlocked"),
            command("HassTurnOn", domain="lock"),
            "I locked two locks.",
        ),
        (
            "which doors are locked",
            command("HassGetState", domain="lock", state="locked"),
            command("HassTurnOff", **LIGHTS),
            "I turned off two lights in the kitchen.",
        ),
    ],
)
def test_them_are_those_of_the_answer_that_are_of_the_kind(
    talk: Talk, asked: str, question: Command, then: Command, told: str
) -> None:
    talk.say(asked, question)
    assert talk.say("do it to them", referring(then)) == told


@pytest.mark.parametrize(
    ("text", "excluded", "told"),
    [
        ("turn off all but the spots", "Spots", "I turned off three lights, but not the spots."),
        (
            "turn off everything but the spots",
            "Spots",
            "I turned off four devices, but not the spots.",
        ),
    ],
)
def test_all_but_a_light_are_lights(talk: Talk, text: str, excluded: str, told: str) -> None:
    off = without(command("HassTurnOff", name="all"), "name", excluded)
    assert talk.say(text, off) == "In the kitchen, or in the whole house?"
    assert talk.say("the whole house") == told


def test_a_part_of_a_name_is_enough_to_leave_a_device_out(talk: Talk) -> None:
    lock = without(command("HassTurnOn", domain="lock", name="all"), "unknown", "annexe")
    told = "I locked two locks, but not the annexe."
    assert talk.say("lock all the doors except the annexe", lock) == told
    assert talk.state("lock.annexe") == "unlocked"


def test_a_light_that_cannot_be_dimmed_keeps_its_state(talk: Talk) -> None:
    kitchen = command("HassLightSet", area="Kitchen", brightness=30)
    assert talk.say("kitchen lights to 30", kitchen) == "I set the spots to 30 percent."
    strip = command("HassLightSet", name="Strip", brightness=30)
    assert talk.say("strip to 30", strip) == "I can't dim the strip."
    dimmer = command("AdjustDevice", name="Strip", level="brightness", change="-")
    assert talk.say("strip a bit dimmer", dimmer) == "I can't dim the strip."
    assert talk.state("light.strip") == "on"


def test_a_light_that_has_just_come_on_is_dimmed_from_full(talk: Talk) -> None:
    dimmer = command("AdjustDevice", name="Desk Light", level="brightness", change="-")
    assert talk.say("dimmer", dimmer) == "I set the desk light to 80 percent."


def test_what_is_only_sensed_is_not_denied(talk: Talk) -> None:
    shut = command("HassTurnOff", domain="cover", device_class="window", area="Study")
    told = "I can't move the study window; I can only tell whether it is open."
    assert talk.say("shut the window", shut) == told


def test_outside_it_is_as_warm_as_the_weather_says(talk: Talk) -> None:
    assert talk.ask("HassClimateGetTemperature", area="Garden") == "It's 3.5 degrees outside."


def test_a_fridge_is_no_thermometer_of_its_room(talk: Talk) -> None:
    told = "I don't know the temperature in the kitchen."
    assert talk.ask("HassClimateGetTemperature", area="Kitchen") == told


SHARED = Home(
    areas=(Area(name="Bedroom", id="bedroom"),),
    entities=(
        thing("light.ingrid", "Ingrid's Lamp", "bedroom", "off", brightness=0),
        thing("light.dev", "Dev's Lamp", "bedroom", "off", brightness=0),
        thing("light.ceiling", "Ceiling Light", "bedroom", "off", brightness=0),
    ),
)


@pytest.mark.parametrize(
    ("said", "wanted"),
    [
        ("turn my lamp on", command("HassTurnOn", **LIGHTS)),
        ("my lamp to fifty percent", command("HassLightSet", brightness=50)),
        ("my light brighter", command("AdjustDevice", level="brightness", change="+")),
    ],
)
def test_whose_of_several_is_asked(talks: Callable[..., Talk], said: str, wanted: Command) -> None:
    talk = talks(home=SHARED, area="bedroom")
    assert talk.say(said, wanted) == "Which light: Ingrid's Lamp or Dev's Lamp?"
    assert "Dev's lamp" in talk.say("Dev")
    assert (talk.state("light.ingrid"), talk.state("light.ceiling")) == ("off", "off")


@pytest.mark.parametrize("said", ["turn my lights on", "turn the lights on"])
def test_all_of_a_room_are_asked_for_by_no_ones_name(talks: Callable[..., Talk], said: str) -> None:
    talk = talks(home=SHARED, area="bedroom")
    assert talk.say(said, command("HassTurnOn", **LIGHTS)).startswith("I turned on three lights")


@pytest.mark.parametrize(
    ("said", "told"),
    [("off", "I turned off two lights."), ("turn them off", "I turned off three lights.")],
)
def test_a_bare_word_is_for_those_of_the_room(talk: Talk, said: str, told: str) -> None:
    talk.say("which lights are on", command("HassGetState", **LIGHTS, state="on", name="all"))
    assert talk.say(said, referring(command("HassTurnOff", **LIGHTS))) == told
