"""Robots, announcements and greetings; and that no sentence was given to any of them."""

from __future__ import annotations

import pytest

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
    assert spoken == {*lights, "WhatIsPlaying", "SetMode"}
    assert all(not schema.sentences for schema in manifest.served)
    assert {"HassSetPosition", "HassListAddItem"} <= {schema.intent for schema in manifest.served}


def test_a_robot_on_another_floor_is_asked_about(house: Talk) -> None:
    question = "I can only start Rover for the whole home. Shall I?"
    assert house.ask("HassVacuumStart", floor="Upstairs") == question
    assert house.say("no") == "Okay, I left it as it is."
    assert house.ask("HassVacuumStart") == "I started Rover."
