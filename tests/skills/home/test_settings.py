"""Colours, positions, speeds, degrees and volumes: kept, sent, and taken back."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from assistant.core.messages import Command, DeviceChanged, HomeReceipt, SlotValue
from assistant.skill.home import Home
from tests.support.house import attribute, replied, sent, thing
from tests.support.talking import Talk, command

Slots = dict[str, SlotValue]


@pytest.mark.parametrize(
    ("intent", "slots", "told", "entity_id", "name", "value"),
    [
        (
            *("HassLightSet", {"name": "Bed Light", "color": "red"}),
            *("I set the bed light to red.", "light.bed", "color", "red"),
        ),
        (
            *("HassLightSet", {"area": "Bedroom", "temperature": 2700}),
            *("I set the bed light to 2700 kelvin.", "light.bed", "color_temp_kelvin", 2700),
        ),
        (
            *("HassLightSet", {"floor": "Upstairs", "brightness": 30, "color": "blue"}),
            *("I set the bed light to 30 percent and blue.", "light.bed", "color", "blue"),
        ),
        (
            *("HassSetPosition", {"name": "Shade", "position": 40}),
            *("I set the shade to 40 percent.", "cover.shade", "position", 40),
        ),
        (
            *("HassFanSetSpeed", {"name": "Ceiling Fan", "percentage": 60}),
            *("I set the ceiling fan to 60 percent.", "fan.ceiling", "percentage", 60),
        ),
        (
            *("HassFanSetSpeed", {"area": "Living Room", "percentage": 5}),
            *("I set the ceiling fan to 5 percent.", "fan.ceiling", "percentage", 5),
        ),
        (
            *("HassClimateSetTemperature", {"temperature": 21.5, "area": "Bedroom"}),
            *("I set the radiator to 21.5 degrees.", "climate.bedroom", "temperature", 21.5),
        ),
        (
            *("HassSetVolume", {"name": "TV", "volume_level": 20}),
            *("I set the tv to 20 percent.", "media_player.tv", "volume_level", 0.2),
        ),
        (
            *("HassSetVolumeRelative", {"name": "TV", "volume_step": "up"}),
            *("I set the tv to 50 percent.", "media_player.tv", "volume_level", 0.5),
        ),
        (
            *("HassSetVolumeRelative", {"area": "Living Room", "volume_step": -25}),
            *("I set the tv to 15 percent.", "media_player.tv", "volume_level", 0.15),
        ),
        (
            *("HassMediaPlayerMute", {"name": "Radio"}),
            *("I muted the radio.", "media_player.radio", "is_volume_muted", True),
        ),
    ],
)
def test_a_setting_is_kept_told_sent_and_taken_back(
    bridged: Talk, intent: str, slots: Slots, told: str, entity_id: str, name: str, value: SlotValue
) -> None:
    before = attribute(bridged, entity_id, name), bridged.state(entity_id)
    messages = bridged.hear("words", command(intent, **slots))
    reply = replied(messages)
    assert (reply.text, reply.done, reply.acted) == (told, True, True)
    (wish,) = sent(messages)
    assert (wish.entity_id, wish.attributes) == (entity_id, {name: value})
    bridged.restart()
    assert attribute(bridged, entity_id, name) == value
    bridged.hear("words", command(intent, **slots))
    assert bridged.ask("Undo") == "I took that back."
    assert attribute(bridged, entity_id, name) == value  # as it was before the second time
    assert before[0] != value


def test_undo_takes_away_what_was_not_there(house: Talk) -> None:
    house.ask("HassSetPosition", name="Curtain Right", position=40)
    assert house.ask("HassGetState", name="Curtain Right") == (
        "The curtain right is 40 percent open."
    )
    house.ask("Undo")
    assert attribute(house, "cover.right", "position") is None
    assert house.state("cover.right") == "closed"


def test_a_colour_turns_a_light_on_and_replaces_the_white(house: Talk) -> None:
    house.ask("HassLightSet", name="Bed Light", temperature=4000)
    house.ask("HassLightSet", name="Bed Light", color="green")
    assert house.state("light.bed") == "on"
    assert attribute(house, "light.bed", "color_temp_kelvin") is None


@pytest.mark.parametrize(
    ("intent", "slots", "told"),
    [
        ("HassLightSet", {"color": "furious"}, "but I can't do that with what you named yet."),
        ("HassLightSet", {"temperature": 20}, "A white is from 1000 to 10000 kelvin."),
        ("HassSetPosition", {"name": "Shade", "position": 140}, "from zero to 100 percent."),
        ("HassSetPosition", {"name": "Counter", "position": 40}, "I don't know of any"),
        ("HassFanSetSpeed", {"percentage": -1}, "A speed is from zero to 100 percent."),
        (
            "HassClimateSetTemperature",
            {"temperature": 35, "name": "Radiator"},
            "The radiator takes 4 to 28 degrees.",
        ),
        ("HassSetVolume", {"volume_level": 101}, "A volume is from zero to 100 percent."),
        ("HassSetVolumeRelative", {"volume_step": "purple"}, "I can turn the volume up or down."),
    ],
)
def test_what_makes_no_sense_is_refused(house: Talk, intent: str, slots: Slots, told: str) -> None:
    reply = replied(house.hear("words", command(intent, **slots)))
    assert told in reply.text
    assert (reply.done, reply.acted) == (False, False)


def test_what_was_not_said_is_asked_for(house: Talk) -> None:
    assert house.ask("HassFanSetSpeed", name="Ceiling Fan") == "To how many percent?"
    assert house.say("forty") == "I set the ceiling fan to 40 percent."


@pytest.mark.parametrize(
    ("said", "speed", "told"),
    [
        ("fan at two", 2, 50),
        ("fan at fifty", 50, 50),
        ("fan to two percent", 2, 2),
        ("fan off", 0, 0),
        ("fan at five", 5, 5),  # of four speeds
    ],
)
def test_a_small_number_is_one_of_a_fans_speeds(
    talks: Callable[..., Talk], said: str, speed: int, told: int
) -> None:
    fan = thing("fan.attic", "Attic Fan", None, "on", percentage=25, percentage_step=25)
    talk = talks(home=Home(entities=(fan,)))
    talk.say(said, command("HassFanSetSpeed", percentage=speed, name="Attic Fan"))
    assert attribute(talk, "fan.attic", "percentage") == told


def test_which_of_several_thermostats_is_asked(house: Talk) -> None:
    told = house.say("all", command("HassClimateSetTemperature", temperature=20, name="all"))
    assert told == "Which thermostat: Thermostat or Radiator?"
    assert house.say("the second one") == "I set the radiator to 20 degrees."


def test_the_broker_is_told_what_it_missed(bridged: Talk) -> None:
    bridged.feed(DeviceChanged(device="broker", present=False))
    bridged.ask("HassLightSet", name="Bed Light", color="red")
    bridged.restart()
    bridged.feed(DeviceChanged(device="broker", present=False))
    (wish,) = sent(bridged.feed(DeviceChanged(device="broker", present=True)))
    assert (wish.entity_id, wish.state, wish.attributes) == ("light.bed", "on", {"color": "red"})
    bridged.feed(HomeReceipt(sent=wish.ids))
    assert sent(bridged.feed(DeviceChanged(device="broker", present=True))) == []


def test_only_lights_that_have_colours_get_one(bridged: Talk) -> None:
    both = bridged.hear("words", command("HassLightSet", name="all", color="red"))
    assert [(one.entity_id, one.attributes["color"]) for one in sent(both)] == [
        ("light.bed", "red")
    ]
    plain = bridged.hear("more words", command("HassLightSet", name="Counter", color="red"))
    assert replied(plain).text == "The counter has no colours."
    assert not sent(plain)


TOLD = Home(
    entities=(
        thing("cover.roller", "Roller", None, "open", current_position=60),
        thing("light.globe", "Globe", None, "on", rgb_color=[255, 147, 41]),
        thing("light.white", "White", None, "on", color_temp_kelvin=2700),
    )
)
"""Devices that have told how they stand, by other names than they are set by."""


@pytest.mark.parametrize(
    ("intent", "slots", "name", "before"),
    [
        ("HassSetPosition", {"name": "Roller", "position": 10}, "position", 60),
        (
            *("AdjustDevice", {"name": "Roller", "level": "position", "change": "-"}),
            *("position", 60),
        ),
        ("HassTurnOff", {"name": "Roller"}, "position", 60),
        ("HassTurnOn", {"name": "Roller"}, "position", 60),
        ("HassLightSet", {"name": "Globe", "color": "green"}, "color", "orange"),
        ("HassLightSet", {"name": "White", "color": "green"}, "color_temp_kelvin", 2700),
    ],
)
def test_what_a_device_has_told_is_sent_when_it_is_put_back(
    talks: Callable[..., Talk], intent: str, slots: Slots, name: str, before: SlotValue
) -> None:
    talk = talks(home=TOLD, broker=True)
    wanted = Command(
        intent=intent, slots=command(intent, **slots).slots, directions=("open", "close")
    )
    talk.hear("words", wanted)
    (message,) = sent(talk.hear("undo", command("Undo")))
    assert message.attributes == {name: before}


def test_a_cover_that_is_opened_stands_no_longer_where_it_was(talks: Callable[..., Talk]) -> None:
    talk = talks(home=TOLD)
    talk.ask("HassSetPosition", name="Roller", position=30)
    opening = Command(intent="HassTurnOn", slots=command("", name="Roller").slots)
    assert talk.say("open the roller", opening) == "I opened the roller."
    lower = command("AdjustDevice", name="Roller", level="position", change="- little")
    assert talk.say("a bit lower", lower) == "I set the roller to 88 percent."
