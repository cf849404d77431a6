"""Relative changes go from what there is, within the limits, and are taken back."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from assistant.core.messages import SlotValue
from assistant.skill import Change
from assistant.skill.home import Home
from tests.support.house import attribute, replied, thing
from tests.support.talking import Talk, command, unsure

Slots = dict[str, SlotValue]


@pytest.mark.parametrize(
    ("slots", "told", "entity_id", "name", "value"),
    [
        (
            {"name": "TV", "level": "volume", "change": "+ little"},
            *("I set the tv to 45 percent.", "media_player.tv", "volume_level", 0.45),
        ),
        (
            {"name": "TV", "level": "volume", "change": "-2 x"},
            *("I set the tv to 20 percent.", "media_player.tv", "volume_level", 0.2),
        ),
        (
            {"name": "Shade", "level": "position", "change": "- little"},
            *("I set the shade to 88 percent.", "cover.shade", "position", 88),
        ),
        (
            {"name": "Ceiling Fan", "level": "speed", "change": "+"},
            *("I set the ceiling fan to 25 percent.", "fan.ceiling", "percentage", 25),
        ),
    ],
)
def test_a_level_is_changed_from_what_it_is(
    house: Talk, slots: Slots, told: str, entity_id: str, name: str, value: SlotValue
) -> None:
    before = attribute(house, entity_id, name)
    reply = replied(house.hear("words", command("AdjustDevice", **slots)))
    assert (reply.text, reply.acted) == (told, True)
    assert attribute(house, entity_id, name) == value
    house.ask("Undo")
    assert attribute(house, entity_id, name) == before


@pytest.mark.parametrize(
    ("speed", "change", "then"),
    [(40, "+ little", 60), (40, "+", 60), (100, "+", 100), (20, "-", 20), (60, "-30 %", 20)],
)
def test_a_fan_goes_in_its_own_steps(
    talks: Callable[..., Talk], speed: int, change: str, then: int
) -> None:
    fan = thing("fan.attic", "Fan", None, "on", percentage=speed, percentage_step=20)
    talk = talks(home=Home(entities=(fan,)))
    adjusted = command("AdjustDevice", name="Fan", level="speed", change=change)
    assert talk.say("words", adjusted) == f"I set the fan to {then} percent."


def test_a_light_is_dimmed_and_never_quite_off(house: Talk) -> None:
    dimmer = command("AdjustDevice", name="Counter", level="brightness", change="-")
    assert house.say("dimmer", dimmer) == "I set the counter to 80 percent."
    for _ in range(6):
        house.say("dimmer", dimmer)
    assert 1 <= int(house.state("light.counter").removesuffix("%")) < 20


def test_half_of_a_change_is_taken_back(house: Talk) -> None:
    half = command("TakeBackHalf")
    house.ask("HassSetVolume", name="TV", volume_level=80)
    assert house.say("not that much", half) == "I set the tv to 60 percent."
    assert house.say("too much", half) == "I set the tv to 70 percent."
    house.ask("HassLightSet", name="Counter", brightness=50)
    assert house.say("not that much", half) == "I set the counter to 75 percent."


def test_a_change_goes_beyond_the_level_of_another(house: Talk) -> None:
    house.ask("HassLightSet", name="Counter", brightness=20)
    house.ask("HassLightSet", name="Bed Light", brightness=60)
    up = {"name": "Counter", "level": "brightness", "change": "+", "than": "Bed Light"}
    assert house.say("words", command("AdjustDevice", **up)) == "I set the counter to 80 percent."
    down = up | {"change": "-"}
    assert house.say("words", command("AdjustDevice", **down)) == "I set the counter to 40 percent."


def test_a_thermostat_keeps_its_limits(house: Talk) -> None:
    set_to = command("HassClimateSetTemperature", name="Radiator", temperature=27)
    house.say("words", set_to)
    warmer = command("AdjustDevice", name="Radiator", level="temperature", change="+2 °")
    assert house.say("warmer", warmer) == "I set the radiator to 28 degrees."


def test_what_is_not_known_is_told(house: Talk) -> None:
    warmer = command("AdjustDevice", name="Radiator", level="temperature", change="+")
    told = house.say("warmer", warmer)
    assert told == "I don't know the temperature of the radiator now."


def test_a_garage_is_not_opened_further_on_a_guess(house: Talk) -> None:
    higher = command("AdjustDevice", name="Garage Door", level="position", change="+")
    assert house.say("higher", unsure(0.5, higher)) == "Shall I open the garage door further?"
    assert house.say("no") == "Okay, I left it as it is."
    assert house.state("cover.garage") == "closed"


@pytest.mark.parametrize(
    ("text", "present", "new"),
    [
        ("+20 %", 50, 70),
        ("-20 %", 50, 30),
        ("+2 x", 30, 60),
        ("-2 x", 30, 15),
        ("-0.5 /", 30, 15),
        ("+", 50, 60),
        ("+ little", 50, 55),
        ("- much", 50, 30),
        ("+ much", 95, 100),
        ("-", 5, 2.5),
    ],
)
def test_changes(text: str, present: float, new: float) -> None:
    change = Change.read(text)
    assert str(change) == text
    assert change.applied(present, 10, 1, 100) == new


@pytest.mark.parametrize("text", ["", "20", "+x", "+ tiny", "up"])
def test_what_is_no_change(text: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(text)}$"):
        Change.read(text)


WHITES = Home(
    entities=(
        thing(
            *("light.desk", "Desk", None, "on"),
            supported_color_modes=["color_temp"],
            color_temp_kelvin=4000,
        ),
        thing("light.plain", "Plain", None, "on", supported_color_modes=["brightness"]),
        thing("light.low", "Low", None, "off", color_temp_kelvin=2200),
    )
)


@pytest.mark.parametrize(
    ("name", "change", "told"),
    [
        ("Desk", "+", "I set the desk to 4500 kelvin."),
        ("Desk", "- little", "I set the desk to 3750 kelvin."),
        ("Low", "-", "I set the low to 2000 kelvin."),
        ("Plain", "+", "I can't make the plain warmer or cooler."),
    ],
)
def test_a_white_is_made_warmer_or_cooler(
    talks: Callable[..., Talk], name: str, change: str, told: str
) -> None:
    talk = talks(home=WHITES)
    changed = command("AdjustDevice", name=name, level="colour_temperature", change=change)
    assert talk.say("cooler", changed) == told
