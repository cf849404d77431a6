"""A room without a thermostat is heated by that of its floor or its home, which is named."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from assistant.skill.home import Area, Entity, Floor, Home
from tests.support.house import thing
from tests.support.talking import Talk, command, directed

FLOORS = (Floor(name="Ground Floor", id="ground"), Floor(name="Upstairs", id="up"))
AREAS = (
    Area(name="Hall", id="hall", floor="ground"),
    Area(name="Study", id="study", floor="up"),
    Area(name="Attic", id="attic", floor="up"),
    Area(name="Shed", id="shed"),
)


def thermostat(name: str, area: str, state: str = "heat") -> Entity:
    slug = name.casefold().replace(" ", "_")
    return thing(f"climate.{slug}", name, area, state, temperature=18, current_temperature=16)


MAIN, UPPER, SHED = (
    thermostat("House Heating", "hall"),
    thermostat("Upper Heating", "study"),
    thermostat("Shed Heating", "shed"),
)
WARMER = command("AdjustDevice", level="temperature", change="+")
OFF = directed(command("HassTurnOff", domain="climate"), "off")


@pytest.fixture
def heated(talks: Callable[..., Talk]) -> Callable[..., Talk]:
    def begin(area: str, *thermostats: Entity) -> Talk:
        home = Home(floors=FLOORS, areas=AREAS, entities=thermostats)
        talk: Talk = talks(home=home, area=area)
        return talk

    return begin


@pytest.mark.parametrize(
    ("area", "thermostats", "told"),
    [
        ("study", (MAIN,), "I set the house heating to 19 degrees."),
        ("attic", (MAIN, UPPER), "I set the upper heating to 19 degrees."),
        ("study", (MAIN, UPPER), "I set the upper heating to 19 degrees."),
        (
            "attic",
            (MAIN, thermostat("Study Radiator", "study")),
            "Which thermostat: House Heating or Study Radiator?",
        ),
        ("", (MAIN,), "I set the house heating to 19 degrees."),
        ("attic", (MAIN, SHED), "Which thermostat: House Heating or Shed Heating?"),
        ("attic", (), "I don't know of any thermostat."),
    ],
)
def test_it_is_warmer_where_it_was_said(
    heated: Callable[..., Talk], area: str, thermostats: tuple[Entity, ...], told: str
) -> None:
    assert heated(area, *thermostats).say("turn the heating up", WARMER) == told


@pytest.mark.parametrize("intended", [WARMER, OFF])
def test_of_several_only_the_one_that_is_chosen_is_set(
    heated: Callable[..., Talk], intended: Any
) -> None:
    talk = heated("attic", MAIN, SHED)
    assert talk.say("words", intended) == "Which thermostat: House Heating or Shed Heating?"
    talk.say("the shed one")
    told = {e.id: (e.state, e.attributes["temperature"]) for e in talk.stage._devices.entities}
    assert told[MAIN.id] == ("heat", 18)
    assert told[SHED.id] != ("heat", 18)


def test_the_one_that_was_chosen_stays_meant(heated: Callable[..., Talk]) -> None:
    talk = heated("attic", MAIN, SHED)
    talk.say("turn the heating up", WARMER)
    assert talk.say("the house one") == "I set the house heating to 19 degrees."
    assert talk.say("a bit more", WARMER) == "I set the house heating to 20 degrees."


@pytest.mark.parametrize(
    ("state", "told", "after"),
    [
        ("off", "I turned on the house heating and set it to 21 degrees.", "on"),
        ("heat", "I set the house heating to 21 degrees.", "heat"),
    ],
)
def test_heating_is_turned_on_at_a_temperature(
    heated: Callable[..., Talk], state: str, told: str, after: str
) -> None:
    talk = heated("study", thermostat("House Heating", "hall", state))
    on_at = command("HassClimateSetTemperature", temperature=21, on=True)
    assert talk.say("heating on at twenty one", on_at) == told
    assert talk.state("climate.house_heating") == after


@pytest.mark.parametrize(("state", "told"), [("off", " It is off."), ("heat", "")])
def test_what_is_set_while_it_is_off_is_told_to_be_off(
    heated: Callable[..., Talk], state: str, told: str
) -> None:
    talk = heated("hall", thermostat("House Heating", "hall", state))
    set_it = command("HassClimateSetTemperature", temperature=21)
    assert talk.say("heating twenty one", set_it) == (
        f"I set the house heating to 21 degrees.{told}"
    )


def test_everything_of_a_room_is_its_heating_too(heated: Callable[..., Talk]) -> None:
    talk = heated("study", thermostat("House Heating", "hall", "heat"))
    talk.say("everything off in the hall", command("HassTurnOff", area="Hall"))
    assert talk.state("climate.house_heating") == "off"


def test_everything_on_in_a_room_heats_nothing(heated: Callable[..., Talk]) -> None:
    talk = heated("study", thermostat("House Heating", "hall", "off"))
    talk.say("everything on in the hall", command("HassTurnOn", area="Hall"))
    assert talk.state("climate.house_heating") == "off"
