"""Commands are composed from their parts, in any order, and nothing that was said is dropped."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.core.messages import Command, Slot, When
from assistant.english.lists import word_list
from assistant.skill.home import Area, Entity, Floor, Home
from nlu.parts.composer import Composer
from nlu.text.canonical import canonical


def entity(entity_id: str, name: str, area: str | None = None, **attributes: Any) -> Entity:
    return Entity(id=entity_id, name=name, area=area, state="on", attributes=attributes)


HOME = Home(
    floors=(Floor(name="Ground Floor", id="ground"), Floor(name="First Floor", id="first")),
    areas=(
        Area(name="Kitchen", id="kitchen", floor="ground"),
        Area(name="Lounge", id="lounge", floor="ground"),
        Area(name="Nursery", id="nursery", floor="first"),
    ),
    entities=(
        entity("light.ceiling", "Ceiling Light", "kitchen"),
        entity("light.reading", "Reading Lamp", "lounge"),
        entity("light.spots", "Spots", "lounge"),
        entity("switch.coffee", "Coffee Machine", "kitchen"),
        entity("cover.kitchen", "Kitchen Blind", "kitchen", device_class="blind"),
        entity("cover.lounge", "Lounge Blind", "lounge", device_class="blind"),
        entity("cover.garage", "Garage Door", None, device_class="garage"),
        entity("lock.front", "Front Door"),
        entity("media_player.tv", "TV", "lounge", device_class="tv"),
        entity("media_player.radio", "Kitchen Radio", "kitchen"),
        entity("climate.lounge", "Lounge Thermostat", "lounge"),
        entity("climate.nursery", "Nursery Thermostat", "nursery"),
        entity("fan.nursery", "Fan", "nursery"),
        entity("vacuum.robbie", "Robbie", "lounge"),
    ),
)
COMPOSE = Composer(HOME, "lounge")

Meant = list[tuple[str, dict[str, Any]]]


def meant(text: str, *before: Command, strangers: Any = "") -> Meant | None:
    composed = COMPOSE(canonical(text), before, strangers)
    if composed is None:
        return None
    commands = [one.command for one in composed]
    return [(c.intent, {s.name: s.value for s in c.slots}) for c in commands]


def command(intent: str, **slots: Any) -> Command:
    return Command(
        intent=intent, slots=tuple(Slot(name=n, value=v, raw=str(v)) for n, v in slots.items())
    )


ON, OFF = "HassTurnOn", "HassTurnOff"
LAMP = {"name": "Reading Lamp"}
LAMP_ON = command(ON, name="Reading Lamp")
SPOTS_AT_50 = command("HassLightSet", name="Spots", brightness=50)
SPOTS_BRIGHTER = {"name": "Spots", "level": "brightness", "change": "+"}
KITCHEN_BLIND_AT_25 = {"name": "Kitchen Blind", "position": 25}
LIGHTS_ON = command(ON, domain="light", area="Lounge")


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("reading lamp on", [(ON, LAMP)]),
        ("open the reading lamp", [(ON, LAMP)]),
        ("close the tv", [(OFF, {"name": "TV"})]),
        ("close everything", [(OFF, {"domain": "cover"})]),
        ("switch the telly off", [(OFF, {"name": "TV"})]),
        ("coffee on", [(ON, {"name": "Coffee Machine"})]),
        (
            "radio to thirty percent",
            [("HassSetVolume", {"name": "Kitchen Radio", "volume_level": 30})],
        ),
        ("blind halfway down", [("HassSetPosition", {"name": "Lounge Blind", "position": 50})]),
        ("garage door up", [(ON, {"name": "Garage Door"})]),
        ("kitchen blind down", [(OFF, {"name": "Kitchen Blind"})]),
        ("lock the front door", [(ON, {"name": "Front Door"})]),
        ("stop the kitchen blind", [("HassStopMoving", {"name": "Kitchen Blind"})]),
        ("send robbie home", [("HassVacuumReturnToBase", {"name": "Robbie"})]),
        ("reading lamp on low", [("HassLightSet", LAMP | {"brightness": 20})]),
        ("everything off in here", [(OFF, {"area": "Lounge"})]),
        ("everything off upstairs", [(OFF, {"floor": "First Floor"})]),
        ("everything off down here", [(OFF, {"floor": "Ground Floor"})]),
        ("turn of the reading lamp", [(OFF, LAMP)]),
        (
            "blind up, coffee on, spots blue",
            [
                (ON, {"name": "Lounge Blind"}),
                (ON, {"name": "Coffee Machine"}),
                ("HassLightSet", {"name": "Spots", "color": "blue"}),
            ],
        ),
        ("the reading lamp and the spots off", [(OFF, LAMP), (OFF, {"name": "Spots"})]),
        (
            "make the spots red and half brightness",
            [
                ("HassLightSet", {"name": "Spots", "color": "red"}),
                ("HassLightSet", {"name": "Spots", "brightness": 50}),
            ],
        ),
        ("off, the spots", [(OFF, {"name": "Spots"})]),
        ("every light, off", [(OFF, {"name": "all", "domain": "light"})]),
        ("spots warm white", [("HassLightSet", {"name": "Spots", "temperature": 2700})]),
        ("leave the reading lamp on", [(ON, LAMP)]),
        ("the robbie thing, start", [("HassVacuumStart", {"name": "Robbie"})]),
        ("the lounge heating thing off", [(OFF, {"name": "Lounge Thermostat"})]),
        ("turn off whatever is still on upstairs", [(OFF, {"floor": "First Floor"})]),
        (
            "both lights on low",
            [
                ("HassLightSet", {"name": "Reading Lamp", "brightness": 20}),
                ("HassLightSet", {"name": "Spots", "brightness": 20}),
            ],
        ),
        (
            "heating back on at twenty one",
            [("HassClimateSetTemperature", {"temperature": 21, "on": True})],
        ),
        ("spots to a fifth", [("HassLightSet", {"name": "Spots", "brightness": 20})]),
        ("spots as dim as they go", [("HassLightSet", {"name": "Spots", "brightness": 1})]),
        ("the kitchen blind a quarter open", [("HassSetPosition", KITCHEN_BLIND_AT_25)]),
        (
            "spots brighter than the reading lamp",
            [("AdjustDevice", {**SPOTS_BRIGHTER, "than": "Reading Lamp"})],
        ),
        (
            "spots brighter than the other",
            [("AdjustDevice", {**SPOTS_BRIGHTER, "than": "Reading Lamp"})],
        ),
        ("turn the spots back on", [(ON, {"name": "Spots"})]),
        (
            "spots a bit darker like forty percent",
            [("HassLightSet", {"name": "Spots", "brightness": 40})],
        ),
        ("lock up", [(ON, {"name": "all", "domain": "lock"})]),
        ("spots full blast", [("HassLightSet", {"name": "Spots", "brightness": 100})]),
        ("turn the spots read", [("HassLightSet", {"name": "Spots", "color": "red"})]),
        ("can you do blue", [("HassLightSet", {"color": "blue"})]),
        (
            "reading lamp on and the one in the kitchen off",
            [(ON, LAMP), (OFF, {"domain": "light", "area": "Kitchen"})],
        ),
    ],
)
def test_parts_in_any_order_make_a_command(text: str, wanted: Meant) -> None:
    assert meant(text) == wanted


@pytest.mark.parametrize(
    ("text", "slots"),
    [
        ("a bit brighter", {"level": "brightness", "change": "+ little"}),
        ("much dimmer", {"level": "brightness", "change": "- much"}),
        ("twice as bright", {"level": "brightness", "change": "+2 x"}),
        ("half as loud", {"level": "volume", "change": "-2 x"}),
        ("louder by twenty percent", {"level": "volume", "change": "+20 %"}),
        ("two degrees warmer", {"level": "temperature", "change": "+2 °"}),
        ("a degree cooler", {"level": "temperature", "change": "-"}),
        ("turn the telly down a bit", {"name": "TV", "level": "volume", "change": "- little"}),
        (
            "lower the kitchen blind a little",
            {"name": "Kitchen Blind", "level": "position", "change": "- little"},
        ),
        (
            "dim the spots by a third",
            {"name": "Spots", "level": "brightness", "change": "-0.333333 /"},
        ),
    ],
)
def test_a_relative_change_is_no_level(text: str, slots: dict[str, Any]) -> None:
    ((intent, found),) = meant(text) or [("", {})]
    assert intent == "AdjustDevice"
    assert {n: v for n, v in found.items() if n != "area"} == slots


@pytest.mark.parametrize("text", ["fifty", "twenty five percent", "two"])
def test_a_number_alone_means_something_only_after_a_command(text: str) -> None:
    spots_on = command("HassTurnOn", name="Spots")
    assert meant(text) is None
    assert meant(text, spots_on) is not None
    assert meant(f"the spots {text}") is not None


@pytest.mark.parametrize(
    ("text", "before", "wanted"),
    [
        ("turn it off", LAMP_ON, [(OFF, LAMP)]),
        ("and the spots", LAMP_ON, [(ON, {"name": "Spots"})]),
        ("brighter", LAMP_ON, [("AdjustDevice", LAMP | {"level": "brightness", "change": "+"})]),
        ("no, the spots", LAMP_ON, [(ON, {"name": "Spots"})]),
        ("no the kitchen", LIGHTS_ON, [(ON, {"domain": "light", "area": "Kitchen"})]),
        ("the kitchen ones", LIGHTS_ON, [(ON, {"domain": "light", "area": "Kitchen"})]),
        (
            "i meant eighty",
            SPOTS_AT_50,
            [("HassLightSet", {"name": "Spots", "brightness": 80})],
        ),
        ("reading lamp the same", SPOTS_AT_50, [("HassLightSet", LAMP | {"brightness": 50})]),
        ("and the other one", command(ON, name="Lounge Blind"), [(ON, {"name": "Kitchen Blind"})]),
        ("close the other one", LAMP_ON, [(OFF, {"name": "Spots"})]),
        (
            "half that",
            SPOTS_AT_50,
            [
                (
                    "AdjustDevice",
                    {"name": "Spots", "level": "brightness", "change": "-2 x"},
                )
            ],
        ),
        ("both to full", SPOTS_AT_50, [("HassLightSet", {"brightness": 100})]),
        ("off", command("HassFanSetSpeed", percentage=50), [(OFF, {"domain": "fan"})]),
        ("it's fifty", SPOTS_AT_50, None),
        ("turn the spots", LAMP_ON, None),
        ("the kitchen one", None, None),
        ("turn it off", command("HassStartTimer", name="Eggs"), None),
    ],
)
def test_what_is_left_out_comes_from_the_command_before(
    text: str, before: Command | None, wanted: Meant | None
) -> None:
    assert meant(text, *([before] if before else [])) == wanted


def test_a_correction_replaces_what_was_done() -> None:
    (corrected,) = COMPOSE(canonical("no, the spots"), (LAMP_ON,)) or ()
    (further,) = COMPOSE(canonical("and the spots"), (LAMP_ON,)) or ()
    assert (corrected.command.instead, further.command.instead) == (True, False)


def test_what_goes_on_after_a_correction_corrects_nothing() -> None:
    red = command("HassLightSet", name="Spots", color="red")
    made = COMPOSE(canonical("no, green, and turn off the TV"), (red,)) or ()
    assert [one.command.intent for one in made] == ["HassLightSet", OFF]
    assert not any(one.command.instead for one in made)  # a new level needs nothing taken back


def test_what_only_goes_on_from_switching_opens_nothing() -> None:
    scene = Entity(id="scene.film", name="Film Night", area="lounge")
    compose = Composer(Home(areas=HOME.areas, entities=(*HOME.entities, scene)), "lounge")
    assert compose(canonical("and the blind too"), (command(ON, name="Film Night"),)) is None
    opened = command(ON, name="Kitchen Blind")
    assert compose(canonical("and the lounge blind too"), (opened,))


def test_what_the_home_does_not_have_takes_nothing_back() -> None:
    (made,) = COMPOSE(canonical("no, put the kettle on"), (LAMP_ON,), "any") or ()
    assert (made.command.slots[0].value, made.command.instead) == ("kettle", False)


@pytest.mark.parametrize(("directions", "change"), [(("down",), "- little"), ((), "+ little")])
def test_a_little_more_goes_on_the_way_that_was_said(
    directions: tuple[str, ...], change: str
) -> None:
    blind = command("HassSetPosition", name="Kitchen Blind", position=50)
    before = msgspec.structs.replace(blind, directions=directions)
    ((_, slots),) = meant("a little more", before) or ()
    assert slots == {"name": "Kitchen Blind", "level": "position", "change": change}


def test_only_one_takes_the_place_of_all() -> None:
    (narrowed,) = COMPOSE(canonical("only the spots"), (LIGHTS_ON,)) or ()
    assert narrowed.command.instead


def test_what_was_put_off_is_done_now() -> None:
    later = msgspec.structs.replace(LAMP_ON, when=When(kind="event", said="at sunset"))
    (now,) = COMPOSE(canonical("just do it now"), (later,)) or ()
    assert now.command == msgspec.structs.replace(LAMP_ON, instead=True)
    assert COMPOSE(canonical("just do it now"), (LAMP_ON,)) is None


def test_them_are_all_that_were_named() -> None:
    assert meant("turn them off", LAMP_ON, command(ON, name="Spots")) == [
        (OFF, LAMP),
        (OFF, {"name": "Spots"}),
    ]


def test_them_are_those_that_were_asked_about_last() -> None:
    asked = command("HassGetState", domain="light", state="on")
    assert meant("turn them all off", command("HassMediaPause"), asked) == [
        (OFF, {"domain": "light"})
    ]


def test_a_part_of_a_name_is_enough_for_what_is_in_the_room() -> None:
    here = Home(
        areas=HOME.areas,
        entities=(
            *HOME.entities,
            entity("light.lounge", "Lounge Ceiling Light", "lounge"),
            entity("switch.tea", "Tea Machine", "lounge"),
        ),
    )
    for area, name in (("lounge", "Lounge Ceiling Light"), ("kitchen", "Ceiling Light")):
        (made,) = Composer(here, area)(canonical("ceiling off")) or ()
        assert {s.name: s.value for s in made.command.slots} == {"name": name}
    assert Composer(here, "nursery")(canonical("ceiling off")) is None
    assert Composer(here, "kitchen")(canonical("machine off")) is None


def test_the_class_of_covers_is_that_of_those_in_the_room() -> None:
    shade = entity("cover.shade", "Nursery Shade", "nursery", device_class="shade")
    home = Home(areas=HOME.areas, entities=(*HOME.entities, shade))
    (made,) = Composer(home, "nursery")(canonical("blinds up")) or ()
    assert {s.name: s.value for s in made.command.slots}["device_class"] == "shade"


def test_a_kind_behind_a_name_is_part_of_it_or_nothing() -> None:
    assert meant("turn on the reading lamp light") == [(ON, LAMP)]
    assert meant("turn on the TV light") is None
    assert meant("turn on the TV and the light") is not None


def test_what_is_to_be_kept_is_left_as_it_is() -> None:
    assert meant("turn off the spots and keep the reading lamp") == [(OFF, {"name": "Spots"})]
    assert meant("turn off the spots and keep the reading lamp on") == [
        (OFF, {"name": "Spots"}),
        (ON, LAMP),
    ]


@pytest.mark.parametrize(
    "text", ["shut the blinds up", "open the blinds down", "the spots a little more less bright"]
)
def test_two_directions_that_differ_are_none(text: str) -> None:
    assert meant(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "is the reading lamp on",
        "which lights are on",
        "the spots, are they still going",
        "and the reading lamp is that on",
        "put radio four on",
        "lock the front and the back",
        "the reading lamp is broken",
        "she turned the spots off",
        "turn the reading lamp",
        "reading lamp",
        "turn the spots on and off",
        "play some jazz on the radio",
        "the film was louder than the telly",
        "reading lamp on the roof on",
        "",
    ],
)
def test_what_is_no_command_is_left_alone(text: str) -> None:
    assert meant(text) is None


@pytest.mark.parametrize(
    ("text", "kinds", "strange"),
    [
        ("turn off the light in the attic", (OFF, {"domain": "light", "area": "attic"}), True),
        ("open the conservatory blinds", (ON, {"name": "conservatory blinds"}), True),
        ("turn on the dishwasher", (ON, {"name": "dishwasher"}), False),
    ],
)
def test_what_the_home_does_not_have_is_named(
    text: str, kinds: tuple[str, dict[str, Any]], strange: bool
) -> None:
    assert meant(text) is None
    assert meant(text, strangers="any") == [kinds]
    assert (meant(text, strangers="kinds") is not None) is strange


@pytest.mark.parametrize(
    ("text", "intent", "named"),
    [
        ("warmer in the attic", "AdjustDevice", "area"),
        ("louder in the attic", "AdjustDevice", "area"),
        ("close everything in the attic", OFF, "area"),
    ],
)
def test_a_place_that_the_home_does_not_have_is_not_the_speakers_room(
    text: str, intent: str, named: str
) -> None:
    ((found, slots),) = meant(text, strangers="any") or [("", {})]
    assert (found, slots[named]) == (intent, "attic")
    assert "name" not in slots


WORDS = word_list(
    "turn on off up down the a lamp spots telly blind kitchen lounge reading red fifty percent "
    "bit brighter it them and no to by not never twice half degrees warmer one all everything "
    "please elephant"
)


@given(st.lists(st.sampled_from(WORDS), max_size=9), st.booleans())
def test_no_order_of_words_fails_or_turns_an_act_round(words: list[str], after: bool) -> None:
    composed = COMPOSE(canonical(" ".join(words)), (LAMP_ON,) if after else ())
    intents = {one.command.intent for one in composed or ()}
    if "off" in words and "on" not in words and not after:
        assert ON not in intents or {"up", "blind"} & set(words)
    if "elephant" in words:
        assert not composed


SOUNDING = Home(
    areas=(Area(name="Den", id="den"), Area(name="Loft", id="loft")),
    entities=(
        entity("media_player.telly", "Den Telly", "den"),
        entity("media_player.box", "Den Speaker", "den", device_class="speaker"),
        entity("media_player.bar", "Soundbar", "den", device_class="speaker"),
        entity("media_player.loft", "Loft Radio", "loft"),
        entity("light.dana", "Dana's Lamp", "den"),
        entity("light.lee", "Lee's Lamp", "den"),
    ),
)
SPEAKERS = {"domain": "media_player", "device_class": "speaker"}


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("kill the speakers", [("HassTurnOff", SPEAKERS)]),
        (
            "speakers and telly off",
            [("HassTurnOff", SPEAKERS), ("HassTurnOff", {"name": "Den Telly"})],
        ),
        ("radio off", [("HassTurnOff", {"name": "Loft Radio"})]),
        ("my lamp on, that's Lee's", [("HassTurnOn", {"name": "Lee's Lamp"})]),
        ("turn my lamp off, Dana's", [("HassTurnOff", {"name": "Dana's Lamp"})]),
    ],
)
def test_a_kind_of_players_and_whose_lamp(text: str, wanted: Meant) -> None:
    composed = Composer(SOUNDING, "den")(canonical(text)) or []
    commands = [one.command for one in composed]
    assert [(c.intent, {s.name: s.value for s in c.slots}) for c in commands] == wanted


@pytest.mark.parametrize(
    ("state", "text", "intent"),
    [("closed", "well shut it", OFF), ("open", "close it please", OFF), ("closed", "open it", ON)],
)
def test_it_is_what_opens_in_the_place_that_was_asked_about(
    state: str, text: str, intent: str
) -> None:
    asked = command("HassGetState", area="Kitchen", state=state)
    assert meant(text, asked) == [(intent, {"domain": "cover", "area": "Kitchen"})]


def test_but_not_after_a_question_about_what_is_switched() -> None:
    assert meant("shut it", command("HassGetState", area="Kitchen", state="on")) is None
