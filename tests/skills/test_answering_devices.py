"""A device that does not do what it is asked is told once, and counts as what it told last."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from assistant.core.messages import (
    DeviceChanged,
    HomeReceipt,
    HomeStates,
    Message,
    SpokenReply,
    Tick,
)
from assistant.skill.home import Entity, Home
from skills.devices.answers import PROMPT_S, SLOW_S
from tests.support.house import attribute, sent
from tests.support.talking import Talk, command

LAMP = Entity(name="Lamp", id="light.lamp", state="off")
SPOT = Entity(name="Spot", id="light.spot", state="off")
DOOR = Entity(name="Front Door", id="lock.door", state="unlocked")
BLINDS = Entity(name="Blinds", id="cover.blinds", state="open")
RADIO = Entity(name="Radio", id="media_player.radio", state="playing")
ALL = {"light.lamp": "off", "light.spot": "off", "lock.door": "unlocked", "cover.blinds": "open"}
SILENT = "I asked the lamp, but it does not answer."


@pytest.fixture
def talk(talks: Callable[..., Talk]) -> Talk:
    talk = talks(broker=True, area="", home=Home(entities=(LAMP, SPOT, DOOR, BLINDS, RADIO)))
    talk.feed(DeviceChanged(device="broker", present=True))
    talk.feed(HomeStates(states=ALL))
    return talk


def asked(talk: Talk, intent: str, **slots: Any) -> HomeReceipt:
    """Something is asked for, its reply is played, and the bridge reports that it was sent."""
    messages = talk.hear("do it", command(intent, **slots))
    for message in messages:
        if isinstance(message, SpokenReply):
            talk.play(message)
    receipt = HomeReceipt(sent=tuple(i for m in sent(messages) for i in m.ids))
    talk.feed(receipt)
    return receipt


def said(talk: Talk, after_s: float = 10.0) -> list[str]:
    """What is said by itself within these seconds."""
    told: list[str] = []
    for _ in range(round(after_s * 2)):
        talk.at_s += 0.5
        told += _texts(talk.feed(Tick(at_s=talk.at_s)))
    return list(dict.fromkeys(told))


def _texts(messages: list[Message]) -> list[str]:
    return [message.text for message in messages if isinstance(message, SpokenReply)]


def test_a_lamp_that_does_not_answer_is_told_once_and_is_still_off(talk: Talk) -> None:
    asked(talk, "HassTurnOn", name="Lamp")
    assert talk.state("light.lamp") == "on"
    assert said(talk) == [SILENT]
    assert talk.state("light.lamp") == "off"


@pytest.mark.parametrize("told", ["on", "40%"])
def test_a_lamp_that_answers_needs_no_word(talk: Talk, told: str) -> None:
    asked(talk, "HassTurnOn", name="Lamp")
    talk.feed(HomeStates(states={"light.lamp": told}))
    assert said(talk) == []
    assert talk.state("light.lamp") == told


@pytest.mark.parametrize("told", ["off", "unavailable"])
def test_a_lamp_that_tells_something_else_has_not_answered(talk: Talk, told: str) -> None:
    asked(talk, "HassTurnOn", name="Lamp")
    talk.feed(HomeStates(states={"light.lamp": told}))
    assert said(talk) == [SILENT]
    assert talk.state("light.lamp") == told


def test_a_lamp_that_is_on_already_has_nothing_to_tell(talk: Talk) -> None:
    talk.feed(HomeStates(states={"light.lamp": "on"}))
    asked(talk, "HassTurnOn", name="Lamp")
    assert said(talk) == []


def test_an_answer_before_the_receipt_counts(talk: Talk) -> None:
    messages = talk.hear("on", command("HassTurnOn", name="Lamp"))
    talk.feed(HomeStates(states={"light.lamp": "on"}))
    talk.feed(HomeReceipt(sent=tuple(i for m in sent(messages) for i in m.ids)))
    assert SILENT not in said(talk)


def test_several_are_told_in_one_sentence(talk: Talk) -> None:
    asked(talk, "HassTurnOn", domain="light")
    assert said(talk) == ["I asked the lamp and the spot, but they do not answer."]


def test_who_never_told_a_state_is_not_waited_for(talk: Talk) -> None:
    asked(talk, "HassMediaPause", name="Radio")
    assert said(talk, SLOW_S + 10) == []
    assert talk.state("media_player.radio") == "paused"


def test_what_the_broker_does_not_have_is_not_waited_for(talk: Talk) -> None:
    talk.hear("on", command("HassTurnOn", name="Lamp"))
    assert SILENT not in said(talk)
    assert talk.state("light.lamp") == "on"


def test_a_lock_has_longer_and_what_moves_has_answered(talk: Talk) -> None:
    asked(talk, "HassTurnOff", name="Blinds")
    talk.feed(HomeStates(states={"cover.blinds": "closing"}))
    asked(talk, "HassTurnOn", name="Front Door")
    assert said(talk, PROMPT_S + 6) == []
    assert said(talk, SLOW_S) == ["I asked the front door, but it does not answer."]


# ── levels ──────────────────────────────────────────────────────────────────────────────────


LEVELS = [
    (
        "light.lamp",
        "on",
        {"brightness": 204},
        "HassLightSet",
        {"brightness": 40},
        {"brightness": 102},
    ),
    (
        "fan.fan",
        "on",
        {"percentage": 33},
        "HassFanSetSpeed",
        {"percentage": 66},
        {"percentage": 67},
    ),
    (
        "media_player.radio",
        "playing",
        {"volume_level": 0.2},
        "HassSetVolume",
        {"volume_level": 50},
        {"volume_level": 0.5},
    ),
    (
        "climate.heating",
        "heat",
        {"temperature": 19},
        "HassClimateSetTemperature",
        {"temperature": 21},
        {"temperature": 21.2},
    ),
    (
        "cover.blinds",
        "open",
        {"position": 100},
        "HassSetPosition",
        {"position": 40},
        {"position": 90},
    ),
]
"""Device, its state and level, what is asked for, and a level that answers it."""


@pytest.fixture
def levels(talks: Callable[..., Talk]) -> Talk:
    heating = Entity(name="Heating", id="climate.heating", state="heat")
    fan = Entity(name="Fan", id="fan.fan", state="on")
    home = Home(entities=(LAMP, DOOR, BLINDS, RADIO, heating, fan))
    talk = talks(broker=True, area="", home=home)
    talk.feed(DeviceChanged(device="broker", present=True))
    return talk


def named(talk: Talk, entity_id: str) -> str:
    return next(e.name for e in talk.home.entities if e.id == entity_id)


@pytest.mark.parametrize(("device", "state", "before", "intent", "slots", "after"), LEVELS)
def test_a_level_that_is_not_told_is_told_once_and_is_as_before(
    levels: Talk, device: str, state: str, before: Any, intent: str, slots: Any, after: Any
) -> None:
    levels.feed(HomeStates(states={device: state}, attributes={device: before}))
    asked(levels, intent, name=named(levels, device), **slots)
    (name,) = before
    # What else changes there is no answer.
    levels.feed(HomeStates(states={device: state}, attributes={device: {**before, "battery": 7}}))
    called = named(levels, device).lower()
    assert said(levels, SLOW_S + 4) == [f"I asked the {called}, but it does not answer."]
    assert attribute(levels, device, name) == before[name]
    assert levels.state(device) == state


@pytest.mark.parametrize(("device", "state", "before", "intent", "slots", "after"), LEVELS)
def test_a_level_that_is_told_needs_no_word(
    levels: Talk, device: str, state: str, before: Any, intent: str, slots: Any, after: Any
) -> None:
    levels.feed(HomeStates(states={device: state}, attributes={device: before}))
    asked(levels, intent, name=named(levels, device), **slots)
    levels.feed(HomeStates(states={device: state}, attributes={device: after}))
    assert said(levels, SLOW_S + 4) == []
    (name,) = after
    assert attribute(levels, device, name) == after[name]


@pytest.mark.parametrize(("device", "state", "before", "intent", "slots", "after"), LEVELS)
def test_a_level_that_was_never_told_is_believed(
    levels: Talk, device: str, state: str, before: Any, intent: str, slots: Any, after: Any
) -> None:
    levels.feed(HomeStates(states={device: state}))
    asked(levels, intent, name=named(levels, device), **slots)
    assert said(levels, SLOW_S + 4) == []


def test_a_lamp_has_two_seconds_for_its_brightness(levels: Talk) -> None:
    levels.feed(HomeStates(states={"light.lamp": "80%"}))
    asked(levels, "HassLightSet", name="Lamp", brightness=40)
    assert said(levels, SLOW_S - 2) == [SILENT]
    assert levels.state("light.lamp") == "80%"


@pytest.mark.parametrize("state", ["%", "x%", "4.5%", "-1%", "²%"])
def test_a_state_that_is_no_share_is_no_level(levels: Talk, state: str) -> None:
    levels.feed(HomeStates(states={"light.lamp": state}))
    asked(levels, "HassLightSet", name="Lamp", brightness=40)
    assert said(levels) == []


def test_what_a_level_was_is_known_after_a_restart(levels: Talk) -> None:
    told = {"light.lamp": {"brightness": 204}}
    levels.feed(HomeStates(states={"light.lamp": "on"}, attributes=told))
    levels.restart()
    levels.feed(DeviceChanged(device="broker", present=True))
    asked(levels, "HassLightSet", name="Lamp", brightness=40)
    assert said(levels) == [SILENT]


def test_a_level_that_fails_is_as_before(levels: Talk) -> None:
    told = {"media_player.radio": {"volume_level": 0.2}}
    levels.feed(HomeStates(states={"media_player.radio": "playing"}, attributes=told))
    messages = levels.hear("louder", command("HassSetVolume", name="Radio", volume_level=50))
    levels.play(messages[-1])
    levels.feed(HomeReceipt(failed=tuple(i for m in sent(messages) for i in m.ids)))
    assert "I asked the radio, but that failed." in said(levels)
    assert attribute(levels, "media_player.radio", "volume_level") == 0.2


def test_another_wish_takes_the_place_of_the_first(talk: Talk) -> None:
    asked(talk, "HassTurnOn", name="Lamp")
    asked(talk, "HassTurnOff", name="Lamp")
    assert said(talk) == []


def test_also_after_a_restart_is_known_what_a_device_told(talk: Talk) -> None:
    talk.restart()
    talk.feed(DeviceChanged(device="broker", present=True))
    asked(talk, "HassTurnOn", name="Lamp")
    assert said(talk) == [SILENT]


def test_what_fails_is_told_at_once_and_was_not_done(talk: Talk) -> None:
    messages = talk.hear("on", command("HassTurnOn", name="Lamp"))
    failed = tuple(i for m in sent(messages) for i in m.ids)
    for message in messages:
        if isinstance(message, SpokenReply):
            talk.play(message)
    talk.feed(HomeReceipt(failed=failed))
    assert talk.state("light.lamp") == "off"
    assert said(talk) == ["I asked the lamp, but that failed."]


# ── attributes ──────────────────────────────────────────────────────────────────────────────


def report(talk: Talk, **attributes: Any) -> None:
    talk.feed(HomeStates(states={"light.lamp": "on"}, attributes={"light.lamp": attributes}))


def test_attributes_are_those_that_were_told_last(talk: Talk) -> None:
    report(talk, brightness=102, rgb_color=[255, 0, 0])
    assert attribute(talk, "light.lamp", "brightness") == 102
    report(talk, brightness=51)
    assert attribute(talk, "light.lamp", "brightness") == 51
    assert attribute(talk, "light.lamp", "rgb_color") is None
    talk.feed(HomeStates(states={"light.lamp": "off"}))
    assert attribute(talk, "light.lamp", "brightness") == 51


def test_what_was_set_and_not_acknowledged_is_not_overruled(talk: Talk) -> None:
    messages = talk.hear("red", command("HassLightSet", name="Lamp", color="red"))
    report(talk, color="blue")
    assert attribute(talk, "light.lamp", "color") == "red"
    talk.feed(HomeReceipt(sent=tuple(i for m in sent(messages) for i in m.ids)))
    report(talk, rgb_color=[0, 0, 255])
    assert attribute(talk, "light.lamp", "color") is None


def test_attributes_of_a_device_that_the_home_does_not_hold_are_passed_over(talk: Talk) -> None:
    talk.feed(HomeStates(states={"light.x": "on"}, attributes={"light.x": {"brightness": 1}}))
    assert talk.database.execute("SELECT count(*) FROM device_attributes") == [(0,)]
