"""Questions about the home are read as a whole, and asked of what the home has."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec import structs

from assistant.core.messages import Command, Slot
from assistant.skill.home import Area, Entity, Floor, Home
from nlu.parts.questions import Questions
from nlu.text.canonical import canonical


def entity(entity_id: str, name: str, area: str | None = None, **attributes: Any) -> Entity:
    return Entity(id=entity_id, name=name, area=area, state="on", attributes=attributes)


HOME = Home(
    floors=(Floor(name="Ground Floor", id="ground"), Floor(name="First Floor", id="first")),
    areas=(
        Area(name="Kitchen", id="kitchen", floor="ground"),
        Area(name="Lounge", id="lounge", floor="ground"),
        Area(name="Ida's Room", id="ida", floor="first"),
        Area(name="Cellar", id="cellar", floor="ground"),
    ),
    entities=(
        entity("light.ceiling", "Ceiling Light", "kitchen"),
        entity("light.reading", "Reading Lamp", "lounge"),
        entity("light.moon", "Moon Lamp", "ida"),
        entity("switch.iron", "Iron", "cellar"),
        entity("cover.lounge", "Lounge Blind", "lounge", device_class="blind"),
        entity("cover.kitchen", "Kitchen Blind", "kitchen", device_class="blind"),
        entity("lock.front", "Front Door"),
        entity("binary_sensor.front", "Front Door", None, device_class="door"),
        entity("lock.side", "Side Door", "kitchen"),
        entity("binary_sensor.dryer", "Dryer Leak", "cellar", device_class="moisture"),
        entity("sensor.dryer", "Dryer Power", "cellar", device_class="power"),
        entity("sensor.oil", "Oil Tank Level"),
        entity("binary_sensor.cellar", "Cellar Motion", "cellar", device_class="motion"),
        entity("media_player.tv", "TV", "lounge", device_class="tv"),
        entity("climate.lounge", "Lounge Thermostat", "lounge"),
        entity("vacuum.robbie", "Robbie", "lounge"),
    ),
)
ASK = Questions(HOME, "lounge")

Meant = list[tuple[str, dict[str, Any]]] | None
STATE, WARMTH, LEVEL = "HassGetState", "HassClimateGetTemperature", "ReadLevel"
ALL_LOCKED = (STATE, {"name": "all", "state": "locked", "domain": "lock"})
MOTION = {"state": "on", "domain": "binary_sensor", "device_class": "motion"}
WATER = {"state": "on", "domain": "binary_sensor", "device_class": "moisture"}


def meant(text: str, *before: Command, strangers: bool = False) -> Meant:
    asked = ASK(canonical(text), before, strangers)
    if asked is None:
        return None
    return [(a.command.intent, {s.name: s.value for s in a.command.slots}) for a in asked]


def command(intent: str, **slots: Any) -> Command:
    return Command(
        intent=intent, slots=tuple(Slot(name=n, value=v, raw=str(v)) for n, v in slots.items())
    )


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("has the thermostat come on yet", [(STATE, {"state": "on", "domain": "climate"})]),
        ("is robbie charged", [(LEVEL, {"name": "Robbie", "level": "battery"})]),
        ("is he stuck again", [(STATE, {"name": "Robbie", "state": "stuck"})]),
        ("what's the tv got on at the moment", [(LEVEL, {"name": "TV", "level": "title"})]),
        ("is it freezing out there", [(LEVEL, {"level": "temperature", "outdoors": True})]),
        ("how much oil have we got left", [(STATE, {"name": "Oil Tank Level"})]),
        ("what's the oil tank at", [(STATE, {"name": "Oil Tank Level"})]),
        ("what's still on", [(STATE, {"name": "all", "state": "on"})]),
        ("have we left anything on", [(STATE, {"name": "all", "state": "on"})]),
        ("is everything off upstairs", [(STATE, {"floor": "First Floor", "state": "off"})]),
        ("anything open down here", [(STATE, {"floor": "Ground Floor", "state": "open"})]),
        ("did we lock up", [ALL_LOCKED]),
        ("is the house locked", [ALL_LOCKED]),
        ("did I leave the iron on", [(STATE, {"name": "Iron", "state": "on"})]),
        (
            "are the lights off in ida's room",
            [(STATE, {"area": "Ida's Room", "state": "off", "domain": "light"})],
        ),
        ("is ida's light on", [(STATE, {"area": "Ida's Room", "state": "on", "domain": "light"})]),
        (
            "is the front door open",
            [(STATE, {"name": "Front Door", "state": "open", "domain": "binary_sensor"})],
        ),
        (
            "did someone unlock the front door",
            [(STATE, {"name": "Front Door", "state": "unlocked", "domain": "lock"})],
        ),
        ("is anybody in the cellar", [(STATE, {"area": "Cellar", **MOTION})]),
        ("any leaks", [(STATE, WATER)]),
        ("is the dryer leaking", [(STATE, {"name": "Dryer Leak", "state": "on"})]),
        (
            "how bright is the reading lamp",
            [(LEVEL, {"name": "Reading Lamp", "level": "brightness"})],
        ),
        ("what's the heating set to", [(LEVEL, {"domain": "climate", "level": "target"})]),
        ("how warm is it in the kitchen", [(WARMTH, {"area": "Kitchen"})]),
        ("how warm is it", [(WARMTH, {"area": "Lounge"})]),
        ("how cold is it in the garden", [(LEVEL, {"level": "temperature", "outdoors": True})]),
        ("how much charge has robbie got left", [(LEVEL, {"name": "Robbie", "level": "battery"})]),
        ("how much power does the dryer use", [(LEVEL, {"name": "Dryer Power", "level": "power"})]),
        ("what's on the tv", [(LEVEL, {"name": "TV", "level": "title"})]),
        (
            "is the reading lamp at thirty percent",
            [(LEVEL, {"name": "Reading Lamp", "level": "brightness", "value": 30.0})],
        ),
        ("is the dryer running", [(STATE, {"name": "dryer", "state": "running"})]),
        (
            "did I shut the lounge",
            [(STATE, {"name": "Lounge Blind", "state": "closed", "domain": "cover"})],
        ),
        ("no lights on are there", [(STATE, {"state": "on", "domain": "light"})]),
        ("is the iron on or off", [(STATE, {"name": "Iron"})]),
        (
            "it's late, is the side door locked",
            [(STATE, {"name": "Side Door", "state": "locked", "domain": "lock"})],
        ),
        (
            "is the side door locked and the iron off",
            [
                (STATE, {"name": "Side Door", "state": "locked", "domain": "lock"}),
                (STATE, {"name": "Iron", "state": "off"}),
            ],
        ),
    ],
)
def test_a_question_names_what_is_asked_for(text: str, wanted: Meant) -> None:
    found = meant(text)
    assert found == wanted


@pytest.mark.parametrize(
    ("text", "slots"),
    [
        ("is the dishwasher on", {"name": "dishwasher", "state": "on"}),
        ("are the lights in the attic on", {"area": "attic", "state": "on", "domain": "light"}),
        ("is the loft window open", {"name": "loft window", "state": "open"}),
        ("is the attic light on", {"name": "attic light", "state": "on"}),
    ],
)
def test_what_the_home_does_not_have_is_named(text: str, slots: dict[str, Any]) -> None:
    assert meant(text) is None
    assert meant(text, strangers=True) == [(STATE, slots)]


@pytest.mark.parametrize(
    "text",
    [
        "is the library open",
        "what's on tonight",
        "is anything on tomorrow",
        "is the train running",
        "is the timer still running",
        "how cold is it in spain",
        "when was the reading lamp turned on",
        "why is the reading lamp on",
        "turn on the reading lamp",
        "the reading lamp",
        "is dinner ready",
        "what does the manual say about the thermostat",
    ],
)
def test_other_texts_are_left_alone(text: str) -> None:
    assert meant(text) is None
    assert meant(text, strangers=True) is None


FRONT_LOCKED = command(STATE, name="Front Door", state="locked", domain="lock")
LIGHTS_ON = command(STATE, floor="First Floor", state="on", domain="light")


@pytest.mark.parametrize(
    ("text", "before", "wanted"),
    [
        (
            "and the side door?",
            FRONT_LOCKED,
            (STATE, {"name": "Side Door", "state": "locked", "domain": "lock"}),
        ),
        ("and the other one", FRONT_LOCKED, (STATE, {"name": "Side Door", "state": "locked"})),
        ("and the side one", FRONT_LOCKED, (STATE, {"name": "Side Door", "state": "locked"})),
        (
            "what about downstairs",
            LIGHTS_ON,
            (STATE, {"floor": "Ground Floor", "state": "on", "domain": "light"}),
        ),
        (
            "and in the kitchen?",
            command(WARMTH, area="Lounge"),
            (WARMTH, {"area": "Kitchen"}),
        ),
        (
            "and outside",
            command(WARMTH, area="Lounge"),
            (LEVEL, {"level": "temperature", "outdoors": True}),
        ),
        (
            "and the ceiling light",
            command(LEVEL, name="Reading Lamp", level="brightness"),
            (LEVEL, {"name": "Ceiling Light", "level": "brightness"}),
        ),
        (
            "what is it set to",
            command("HassClimateSetTemperature", name="Lounge Thermostat", temperature=20),
            (LEVEL, {"name": "Lounge Thermostat", "level": "target"}),
        ),
        (
            "is it on",
            command("HassTurnOn", name="Reading Lamp"),
            (STATE, {"name": "Reading Lamp", "state": "on"}),
        ),
    ],
)
def test_a_question_goes_on_with_the_one_before(
    text: str, before: Command, wanted: tuple[str, dict[str, Any]]
) -> None:
    assert meant(text, before) == [wanted]


@pytest.mark.parametrize(
    "text",
    ["turn them off", "lock it", "brighter", "forget it", "turn of the iron i forgot", "thanks"],
)
def test_a_command_after_a_question_is_none(text: str) -> None:
    assert meant(text, LIGHTS_ON) is None


LOCKED = command("HassTurnOn", name="Front Door", domain="lock")
CLOSED = command("HassTurnOff", name="Lounge Blind", domain="cover")
RAN = command("HassTurnOn", name="Lock Up", domain="script")


@pytest.mark.parametrize(
    ("text", "before", "wanted"),
    [
        ("did you do the side door as well", LOCKED, {"state": "locked", "domain": "lock"}),
        ("have you done the kitchen blind", CLOSED, {"state": "closed", "domain": "cover"}),
        ("did you get the side door", RAN, {"domain": "lock"}),
    ],
)
def test_whether_the_same_was_done_to_another(
    text: str, before: Command, wanted: dict[str, str]
) -> None:
    asked = meant(text, before)
    assert asked is not None
    ((intent, slots),) = asked
    assert intent == STATE
    assert {name: value for name, value in slots.items() if name != "name"} == wanted


@pytest.mark.parametrize(
    "text",
    [
        "how much oil do I need",
        "what's in the tank",
        "did you do the washing",
        "what have I got on today",
        "how hot should the oven be",
    ],
)
def test_what_only_sounds_like_a_question_about_a_thing_of_the_home(text: str) -> None:
    assert meant(text, LOCKED) is None


@pytest.mark.parametrize(
    ("text", "sure"), [("what's the deductible on it", False), ("is the sauna on", True)]
)
def test_a_document_may_tell_of_what_the_home_does_not_have(text: str, sure: bool) -> None:
    """Only where a plain yes or no does not answer."""
    (asked,) = ASK(canonical(text), (), True) or ()
    assert (asked.command.confidence == 1.0) is sure


def test_a_part_of_a_name_has_no_level_that_it_cannot_have() -> None:
    scene = structs.replace(HOME, entities=(*HOME.entities, entity("scene.film", "Film Time")))
    assert Questions(scene, "lounge")(canonical("what time's dim some")) is None
    assert Questions(scene, "lounge")(canonical("how bright is the moon lamp")) is not None
