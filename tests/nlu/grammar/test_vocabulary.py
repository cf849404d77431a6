"""Home Assistant's sentences beside the skills': what fits, whose room it is, which one wins."""

from __future__ import annotations

from datetime import datetime
from functools import cache

import pytest

from assistant.core.messages import SlotValue
from assistant.skill.home import Home, read_home
from assistant.skill.manifest import SkillManifest, SlotSchema
from nlu.grammar.match import Match
from nlu.grammar.templates import Templates
from nlu.grammar.vocabulary import built_in
from tests.support.stand_ins import intent

FLAT = {
    "floors": [{"name": "First Floor", "id": "first"}],
    "areas": [
        {"name": "Kitchen", "id": "kitchen", "floor": "first"},
        {"name": "Living Room", "id": "living", "aliases": ["lounge"]},
    ],
    "entities": [
        {"name": "Ceiling Light", "id": "light.ceiling", "area": "kitchen"},
        {"name": "Pet Door", "id": "binary_sensor.pet", "attributes": {"device_class": "door"}},
        {"name": "Front Door", "id": "lock.front"},
        {"name": "Curtain Left", "id": "cover.left", "attributes": {"device_class": "curtain"}},
        {"name": "Furnace", "id": "sensor.hot", "attributes": {"device_class": "temperature"}},
        {"name": "Floor Lamp 2", "id": "sensor.lamp", "attributes": {"device_class": "power"}},
        {"name": "Rover", "id": "vacuum.rover"},
        {"name": "Trader Joe[']s", "id": "todo.trader"},
        {"name": "TV", "id": "media_player.tv", "area": "living"},
        {"name": "Party Mode", "id": "scene.party"},
    ],
}
HOME = read_home(FLAT, "the flat")

ROOM = SlotSchema(name="area", kind="area", required=False)
TIMER_NAME = SlotSchema(name="name", kind="choice", choices=("kitchen", "pizza"), required=False)
LAMPS = SkillManifest(
    name="lamps",
    api=1,
    intents=(
        intent("HassTurnOn", "turn on [the] lights [in {area}]", slots=(ROOM,), domain="light"),
        intent("HassTurnOn", "turn on [the] fans", domain="fan"),
        intent("HassPauseTimer", "pause [the] {name} timer", slots=(TIMER_NAME,)),
        intent("Greet", "(hello|hi) there"),
    ),
)


@cache
def templates(with_lamps: bool = False) -> Templates:
    return Templates.compile((LAMPS,) if with_lamps else (), HOME, built_in())


def best(text: str, area: str = "", with_lamps: bool = False) -> Match | None:
    return next(iter(templates(with_lamps).in_area(area).match(text)), None)


def meant(text: str, area: str = "") -> tuple[str, dict[str, SlotValue]] | None:
    match = best(text, area)
    if match is None:
        return None
    slots = templates().slots(match, datetime(2026, 11, 20, 19).astimezone())
    return match.intent, {slot.name: slot.value for slot in slots or ()}


@pytest.mark.parametrize(
    ("text", "name", "slots"),
    [
        (
            "is the pet door closed",
            "HassGetState",
            {
                "name": "Pet Door",
                "state": "off",
                "domain": "binary_sensor",
                "device_class": "door",
            },
        ),
        (
            "is the front door locked",
            "HassGetState",
            {"name": "Front Door", "state": "locked", "domain": "lock"},
        ),
        (
            "is curtain left shut",
            "HassGetState",
            {"name": "Curtain Left", "state": "closed", "domain": "cover"},
        ),
        (
            "what is the temperature of the furnace",
            "HassGetState",
            {"name": "Furnace", "domain": "sensor", "device_class": "temperature"},
        ),
        (
            "what's floor lamp 2's power",
            "HassGetState",
            {"name": "Floor Lamp 2", "domain": "sensor", "device_class": "power"},
        ),
        ("start rover", "HassVacuumStart", {"name": "Rover"}),
        ("unlock the front door", "HassTurnOff", {"name": "Front Door"}),
        ("party mode", "HassTurnOn", {"name": "Party Mode", "domain": "scene"}),
        ("clean the first floor", "HassVacuumStart", {"floor": "First Floor"}),
        (
            "turn off the lights in the lounge",
            "HassTurnOff",
            {"area": "Living Room", "domain": "light"},
        ),
        ("turn all the fans off", "HassTurnOff", {"domain": "fan", "name": "all"}),
        ("make the ceiling light blue", "HassLightSet", {"name": "Ceiling Light", "color": "blue"}),
        (
            "set kitchen brightness to the maximum",
            "HassLightSet",
            {"area": "Kitchen", "brightness": 100},
        ),
        (
            "set the color temperature in the kitchen to warm white",
            "HassLightSet",
            {"area": "Kitchen", "temperature": 2700},
        ),
        ("set the temperature to 20.5 degrees", "HassClimateSetTemperature", {"temperature": 20.5}),
        ("turn the TV volume down by 10%", None, None),
        (
            "TV volume down by 10%",
            "HassSetVolumeRelative",
            {"name": "TV", "volume_step": -10},
        ),
        (
            "add 5 minutes to the pizza timer",
            "HassIncreaseTimer",
            {"duration": 300, "name": "pizza"},
        ),
        (
            "cancel the 1 hour 20 timer",
            "HassCancelTimer",
            {"start_duration": 4800},
        ),
        (
            "add apples to my Trader Joe's list",
            "HassListAddItem",
            {"item": "apples", "name": "Trader Joes"},
        ),
        (
            "can you put apples on the trader joes list please",
            "HassListAddItem",
            {"item": "apples", "name": "Trader Joes"},
        ),
    ],
)
def test_what_the_vocabulary_understands(
    text: str, name: str | None, slots: dict[str, SlotValue] | None
) -> None:
    assert meant(text) == (None if name is None else (name, slots))


@pytest.mark.parametrize(
    "text",
    [
        "is the ceiling light locked",
        "start the front door",
        "unlock rover",
        "turn on the pet door",
        "make rover blue",
    ],
)
def test_a_device_of_another_kind_does_not_fit(text: str) -> None:
    assert best(text) is None


def test_the_speakers_room_is_a_slot_where_it_is_known() -> None:
    text, slots = "turn on the lights", {"domain": "light"}
    assert meant(text) == ("HassTurnOn", slots)
    assert meant(text, "kitchen") == ("HassTurnOn", {**slots, "area": "Kitchen"})
    assert meant(text, "Kitchen") == meant(text, "kitchen")
    assert meant(text, "attic") == meant(text)
    in_the_lounge = f"{text} in the lounge"
    assert meant(in_the_lounge, "kitchen") == meant(in_the_lounge)


@pytest.mark.parametrize(
    ("text", "item"),
    [
        ("play the beatles", "the beatles"),
        ("play some jazz", "some jazz"),
        ("play the album the wall", "the wall"),
        ("play the abbey road album", "abbey road"),
    ],
)
def test_free_text_keeps_its_article_unless_the_sentence_has_one(text: str, item: str) -> None:
    match = best(text)
    assert match is not None
    assert next(s.raw for s in match.slots if s.schema.name == "search_query") == item


def test_what_is_to_be_done_later_must_be_something_that_can_be_done() -> None:
    later = "turn on the ceiling light in five minutes"
    assert meant(later) == (
        "HassStartTimer",
        {"conversation_command": "turn on the ceiling light", "duration": 300},
    )
    assert best("i will be back in five minutes") is None


def test_a_skills_own_sentence_comes_first_where_both_tell_the_same() -> None:
    match = best("turn on the lights", "", with_lamps=True)
    assert match is not None
    assert match.skill == "lamps"
    assert match.precedence == (1, 0)
    hello = best("hello there", "", with_lamps=True)
    assert hello is not None
    assert hello.intent == "Greet"


def test_of_the_same_command_the_reading_with_more_slots_is_taken() -> None:
    in_here = best("turn on the lights", "kitchen", with_lamps=True)
    assert in_here is not None
    assert dict(in_here.fixed) == {"domain": "light", "area": "Kitchen"}
    # The skill serves the intent in other sentences than its own, too.
    assert in_here.skill == "lamps"


def test_a_room_of_the_home_comes_before_a_word_that_is_its_name() -> None:
    kitchen, pizza = (
        best(f"pause the {name} timer", "", with_lamps=True) for name in ("kitchen", "pizza")
    )
    assert kitchen is not None
    assert pizza is not None
    assert [(s.schema.name, s.value) for s in kitchen.slots] == [("area", "Kitchen")]
    assert [(s.schema.name, s.value) for s in pizza.slots] == [("name", "pizza")]


def test_my_room_need_not_be_where_it_is_said() -> None:
    assert meant("turn off the lights in this room", "kitchen") is not None
    assert meant("turn off the lights in my room", "kitchen") is None


def test_an_intent_that_no_skill_serves_names_none() -> None:
    rover = best("start rover", "", with_lamps=True)
    assert rover is not None
    assert rover.skill == ""


def test_skip_words_may_stand_anywhere() -> None:
    assert meant("turn please on the ceiling light") == ("HassTurnOn", {"name": "Ceiling Light"})
    assert meant("I'd like the ceiling light on") == ("HassTurnOn", {"name": "Ceiling Light"})


def test_every_intent_of_the_package_is_claimed() -> None:
    claimed = {claim.schema.intent for claim in templates().claims}
    assert claimed == {block.intent for block in built_in().blocks}
    assert len(claimed) == 41
    bound = sum(len(claim.bound) for claim in templates().claims)
    assert bound == sum(len(block.sentences) for block in built_in().blocks)


def test_a_home_without_devices_still_has_rooms() -> None:
    bare = Templates.compile((), Home(areas=HOME.areas), built_in())
    assert [m.intent for m in bare.match("turn on the kitchen lights")][:1] == ["HassTurnOn"]
    assert bare.match("start rover") == ()
