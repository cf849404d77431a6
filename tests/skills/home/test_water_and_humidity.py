"""Water heaters, humidifiers and their modes, said in the kitchen and taken back."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from assistant.core.messages import SlotValue
from assistant.skill.home import Area, Home
from nlu.interpreter import Interpreter
from nlu.parts.composer import Composer
from nlu.parts.questions import Questions
from nlu.stage import NluStage
from tests.support.conversation import FAR_APART, Conversation
from tests.support.grammars import templates_of
from tests.support.house import attribute, thing
from tests.support.talking import EVENING, Talk

BOILER, HUMIDIFIER = "water_heater.boiler", "humidifier.bed"
THERMOSTAT, FAN = "climate.kitchen", "fan.kitchen"
HOME = Home(
    areas=(Area(name="Kitchen", id="kitchen"), Area(name="Bedroom", id="bedroom")),
    entities=(
        thing(
            *(BOILER, "Boiler", "kitchen", "eco"),
            temperature=50,
            max_temp=65,
            operation_list=["off", "eco", "heat_pump"],
        ),
        thing(
            *(HUMIDIFIER, "Bedside Humidifier", "bedroom", "on"),
            humidity=45,
            min_humidity=30,
            max_humidity=80,
            mode="normal",
            available_modes=["normal", "sleep"],
        ),
        thing(THERMOSTAT, "Thermostat", "kitchen", "heat", temperature=20),
        thing(FAN, "Ceiling Fan", "kitchen", "on", percentage=50, preset_mode="auto"),
    ),
)


@pytest.fixture(scope="module")
def nlu() -> NluStage:
    templates = templates_of(HOME)
    here = (HOME, "kitchen")
    parts = (Composer(*here), Questions(*here))
    return NluStage(
        *(templates, Interpreter(templates.in_area("kitchen"), None, *parts), lambda: EVENING)
    )


@pytest.fixture
def say(talks: Callable[..., Talk], nlu: NluStage) -> Conversation:
    return Conversation(talks(home=HOME), nlu, float(next(FAR_APART)))


@pytest.mark.parametrize(
    ("text", "entity_id", "name", "value"),
    [
        ("set the boiler to fifty five degrees", BOILER, "temperature", 55),
        ("set the water temperature to sixty degrees", BOILER, "temperature", 60),
        ("turn the boiler down to forty five", BOILER, "temperature", 45),
        ("hot water two degrees warmer", BOILER, "temperature", 52),
        ("make it warmer", THERMOSTAT, "temperature", 21),
        ("set the temperature to nineteen degrees", THERMOSTAT, "temperature", 19),
        ("set the humidity to fifty percent", HUMIDIFIER, "humidity", 50),
        ("bedside humidifier sixty percent", HUMIDIFIER, "humidity", 60),
        ("turn the bedside humidifier up", HUMIDIFIER, "humidity", 50),
        ("make it less humid in the bedroom", HUMIDIFIER, "humidity", 40),
        ("set the bedside humidifier to sleep", HUMIDIFIER, "mode", "sleep"),
        ("put the humidifier on sleep mode", HUMIDIFIER, "mode", "sleep"),
        ("switch the ceiling fan to sleep mode", FAN, "preset_mode", "sleep"),
        ("put the heating on away", THERMOSTAT, "preset_mode", "away"),
    ],
)
def test_they_are_set_and_put_back(
    say: Conversation, text: str, entity_id: str, name: str, value: SlotValue
) -> None:
    before = attribute(say.talk, entity_id, name)
    assert before != value
    say(text)
    assert attribute(say.talk, entity_id, name) == value
    say.talk.ask("Undo")
    assert attribute(say.talk, entity_id, name) == before


@pytest.mark.parametrize(
    ("text", "entity_id", "state"),
    [
        ("set the boiler to heat pump", BOILER, "heat_pump"),
        ("put the heating on auto", THERMOSTAT, "auto"),
        ("set the thermostat to cool", THERMOSTAT, "cool"),
    ],
)
def test_a_mode_may_be_a_state(say: Conversation, text: str, entity_id: str, state: str) -> None:
    before = say.talk.state(entity_id)
    say(text)
    assert say.talk.state(entity_id) == state
    say.talk.ask("Undo")
    assert say.talk.state(entity_id) == before


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("set the boiler to seventy degrees", "The boiler takes 4 to 65 degrees."),
        ("set the humidity to ninety percent", "The bedside humidifier takes 30 to 80 percent."),
        ("set the boiler to turbo", "The boiler has no mode turbo; it has eco and heat pump."),
        ("set the humidifier to eco", "The bedside humidifier has no mode eco; it has normal and"),
        ("what is the boiler set to", "The boiler is set to 50 degrees."),
        ("what is the bedside humidifier set to", "The bedside humidifier is set to 45 percent."),
        ("what mode is the bedside humidifier in", "The bedside humidifier is set to normal."),
        ("what mode is the boiler in", "The boiler is set to eco."),
    ],
)
def test_limits_modes_and_levels_are_told(say: Conversation, text: str, told: str) -> None:
    assert say(text).startswith(told)


def test_one_that_is_off_stays_off_and_says_so(say: Conversation) -> None:
    say("turn off the bedside humidifier")
    told = say("set the humidity to fifty percent")
    assert told == "I set the bedside humidifier to 50 percent. It is off."
    assert say.talk.state(HUMIDIFIER) == "off"
