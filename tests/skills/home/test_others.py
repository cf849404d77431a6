"""Robots, announcements and greetings; and that no sentence was given to any of them."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from assistant.core.messages import Message, PlaybackEnded, SatelliteChanged, SpokenReply
from skills.home import skill
from tests.support.talking import Talk, command


@pytest.mark.parametrize(
    ("intent", "slots", "told", "entity_id", "state"),
    [
        ("HassVacuumStart", {}, "I started Rover.", "vacuum.rover", "cleaning"),
        ("HassVacuumStart", {"name": "Rover"}, "I started Rover.", "vacuum.rover", "cleaning"),
        ("PauseVacuum", {"name": "Rover"}, "I paused Rover.", "vacuum.rover", "paused"),
        ("HassVacuumReturnToBase", {}, "I sent Rover home.", "vacuum.rover", "returning"),
        ("HassLawnMowerStartMowing", {}, "I started Moe.", "lawn_mower.moe", "mowing"),
        ("HassLawnMowerDock", {"name": "Moe"}, "I sent Moe home.", "lawn_mower.moe", "docked"),
    ],
)
def test_robots(
    house: Talk, intent: str, slots: dict[str, str], told: str, entity_id: str, state: str
) -> None:
    assert house.ask(intent, **slots) == told
    assert house.state(entity_id) == state


def test_one_room_of_the_house_is_more_than_they_can(house: Talk) -> None:
    kitchen = command("HassVacuumCleanArea", area="Kitchen")
    question = "I can only start Rover for the whole home. Shall I?"
    assert house.say("clean the kitchen", kitchen) == question
    assert house.say("no") == "Okay, I left it as it is."
    assert house.state("vacuum.rover") == "docked"
    house.say("clean the kitchen", kitchen)
    assert house.say("yes") == "I started Rover."
    assert house.state("vacuum.rover") == "cleaning"


def test_an_announcement_is_said(house: Talk) -> None:
    assert house.ask("HassBroadcast", message="dinner is ready") == "Dinner is ready."
    assert house.ask("Repeat") == "Dinner is ready."


def there_is(house: Talk, area: str, present: bool = True) -> None:
    house.feed(SatelliteChanged(satellite=f"sat-{area}", area=area, present=present))


def told(house: Talk, given: Iterable[Message]) -> list[tuple[str, str, str]]:
    """Where what was given is said, by whom, and its words; each is heard."""
    replies = [one for one in given if isinstance(one, SpokenReply)]
    for reply in replies:
        house.feed(PlaybackEnded(utterance_id=reply.utterance_id, peer=reply.peer))
    return [(reply.area, reply.peer, reply.text) for reply in replies]


def test_everyone_is_told_in_the_rooms_that_have_a_loudspeaker(house: Talk) -> None:
    there_is(house, "bedroom")
    there_is(house, "living")
    there_is(house, "living", present=False)
    given = house.hear("tell everyone", command("TellEveryone", message="to come down"))
    assert told(house, given) == [
        ("", "", "Okay, I will tell everyone."),
        ("bedroom", "sat-bedroom", "From the kitchen: come down."),
    ]
    assert told(house, house.wait(60)) == []


def test_one_room_is_told_and_answers(house: Talk) -> None:
    there_is(house, "bedroom")
    dinner = command("TellRoom", area="Bedroom", message="dinner is ready")
    assert told(house, house.hear("tell the bedroom", dinner)) == [
        ("", "", "Okay, I will say it in the bedroom."),
        ("bedroom", "sat-bedroom", "From the kitchen: dinner is ready."),
    ]
    coming = command("TellRoom", area="Kitchen", message="I am coming")
    reply = house.say_in("bedroom", "tell the kitchen", coming)
    assert reply == "Okay, I will say it in the kitchen."
    assert told(house, house.wait(25)) == [("kitchen", "", "From the bedroom: I am coming.")]


def test_a_room_that_is_not_to_be_disturbed_is_told_later(house: Talk) -> None:
    for area in ("bedroom", "living"):
        there_is(house, area)
    begun = house.say_in("bedroom", "do not disturb", command("DoNotDisturb"))
    assert begun == "Okay, I will only disturb you if it is urgent."
    given = house.hear("tell everyone", command("TellEveryone", message="dinner is ready"))
    assert [area for area, _, _ in told(house, given)] == ["", "living"]
    later = house.hear("you may speak again", command("EndDoNotDisturb"), area="bedroom")
    assert [text for _, _, text in told(house, later)] == [
        "Okay, I will speak up again.",
        "From the kitchen: dinner is ready.",
    ]


def test_a_room_without_a_loudspeaker_is_told_of(house: Talk) -> None:
    reply = house.ask("TellRoom", area="Bedroom", message="dinner is ready")
    assert reply == "I have no loudspeaker in the bedroom."
    there_is(house, "bedroom")
    house.wait(60)  # nothing was heard of it since: the service may have died
    assert house.ask("TellRoom", area="Bedroom", message="hello") == reply


def test_a_message_for_this_room_is_said_at_once(house: Talk) -> None:
    assert house.ask("TellRoom", area="Kitchen", message="dinner is ready") == "Dinner is ready."


@pytest.mark.parametrize(
    ("text", "told"),
    [("hello", "Hello."), ("where does my data go", "What you say stays on this device.")],
)
def test_greetings_are_answered(house: Talk, text: str, told: str) -> None:
    assert house.say(text, command("HassRespond")) == told


def test_the_word_network_holds_none_of_the_new_intents() -> None:
    manifest = skill.manifest()
    spoken = {schema.intent for schema in manifest.intents}
    lights = {"HassTurnOn", "HassTurnOff", "HassLightSet", "HassGetState"}
    assert spoken == {*lights, "WhatIsPlaying", "SetMode", "TellEveryone", "TellRoom"}
    assert all(not schema.sentences for schema in manifest.served)
    assert {"HassSetPosition", "HassListAddItem"} <= {schema.intent for schema in manifest.served}


def test_a_robot_on_another_floor_is_asked_about(house: Talk) -> None:
    question = "I can only start Rover for the whole home. Shall I?"
    assert house.ask("HassVacuumStart", floor="Upstairs") == question
    assert house.say("no") == "Okay, I left it as it is."
    assert house.ask("HassVacuumStart") == "I started Rover."
