"""Lights and switches by name and room, their state on disk, and what the broker is told."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest

from assistant.core.messages import (
    DeviceChanged,
    HomeCommand,
    HomeReceipt,
    HomeStates,
    Message,
    SpokenReply,
)
from assistant.skill.testing import converse, memory_context
from skills.home import skill
from tests.support.house import sent
from tests.support.talking import EVENING, HOME, Talk, command


def broker(present: bool) -> DeviceChanged:
    return DeviceChanged(device="broker", present=present)


def told_to_broker(messages: list[Message]) -> list[tuple[str, str]]:
    return [(m.entity_id, m.state) for m in messages if isinstance(m, HomeCommand)]


def acknowledged(messages: list[Message]) -> HomeReceipt:
    """The bridge's report that the broker has the commands among `messages`."""
    return HomeReceipt(sent=tuple(i for m in sent(messages) for i in m.ids))


def test_a_device_is_switched_by_name(talk: Talk) -> None:
    assert talk.ask("HassTurnOn", name="Kettle") == "I turned on the kettle."
    assert talk.state("switch.kettle") == "on"
    assert talk.ask("HassTurnOff", name="switch.kettle") == "I turned off the kettle."
    assert talk.state("switch.kettle") == "off"


def test_the_lights_are_those_of_the_speakers_room(talk: Talk) -> None:
    told = talk.say("turn on the lights", command("HassTurnOn", domain="light"))
    assert told == "I turned on two lights in the kitchen."
    states = [talk.state(f"light.{name}") for name in ("ceiling", "counter", "desk")]
    assert states == ["on", "on", "on"]
    talk.say("turn off the lights", command("HassTurnOff", domain="light"))
    assert talk.state("light.desk") == "on"


def test_another_room_is_named(talk: Talk) -> None:
    assert talk.ask("HassTurnOff", domain="light", area="office") == "I turned off the desk lamp."


def test_all_the_lights_are_those_of_the_home(talk: Talk) -> None:
    told = talk.say("turn off all the lights", command("HassTurnOff", domain="light"))
    assert told == "I turned off three lights."


def test_all_of_another_command_is_not_all_of_this_one(talk: Talk) -> None:
    kettles = command("HassTurnOff", domain="switch")
    lights = command("HassTurnOn", domain="light")
    apart = msgspec.structs.replace(lights, text="turn on the lights")
    told = talk.say("all the switches off and turn on the lights", kettles, apart)
    assert told == "I turned off the kettle. I turned on two lights in the kitchen."


def test_without_a_room_of_its_own_the_device_means_the_home(talks: Callable[..., Talk]) -> None:
    talk = talks(area="")
    assert talk.ask("HassTurnOn", domain="light") == "I turned on three lights."


def test_what_is_not_there_is_told_and_nothing_done(talk: Talk) -> None:
    (reply,) = talk.hear("fans", command("HassTurnOn", domain="fan", area="Office"))
    assert (reply.text, reply.done, reply.acted) == (  # type: ignore[attr-defined]
        "I don't know of any fan in the office.",
        False,
        False,
    )


def test_a_light_is_dimmed(talk: Talk) -> None:
    told = talk.ask("HassLightSet", name="Desk Lamp", brightness=40)
    assert told == "I set the desk lamp to 40 percent."
    assert talk.state("light.desk") == "40%"
    assert talk.ask("HassGetState", name="Desk Lamp", state="on") == (
        "Yes, the desk lamp is at 40 percent."
    )
    talk.ask("HassLightSet", name="Desk Lamp", brightness=0)
    assert talk.state("light.desk") == "off"


def test_a_brightness_that_is_missing_is_asked_for(talk: Talk) -> None:
    assert talk.ask("HassLightSet", name="Desk Lamp") == "To how many percent?"
    assert talk.say("forty") == "I set the desk lamp to 40 percent."


def test_a_brightness_beyond_100_is_refused(talk: Talk) -> None:
    told = talk.ask("HassLightSet", name="Desk Lamp", brightness=140)
    assert told == "A brightness is from zero to 100 percent."
    assert talk.state("light.desk") == "on"


@pytest.mark.parametrize(
    ("slots", "told"),
    [
        ({"name": "Desk Lamp", "state": "on"}, "Yes, the desk lamp is on."),
        ({"name": "Desk Lamp", "state": "off"}, "No, the desk lamp is on."),
        ({"name": "Front Door", "state": "locked"}, "Yes, the front door is locked."),
        ({"name": "Front Door"}, "The front door is locked."),
        ({"domain": "light"}, "No light in the kitchen is on."),
        ({"domain": "light", "area": "Office"}, "The desk lamp is on."),
        (
            {"domain": "light", "state": "off"},
            "The ceiling and the counter are off in here.",
        ),
        ({"domain": "fan"}, "I don't know of any fan in the kitchen."),
    ],
)
def test_states_are_told(talk: Talk, slots: dict[str, str], told: str) -> None:
    assert talk.ask("HassGetState", **slots) == told


@pytest.mark.parametrize(
    ("text", "slots", "told"),
    [
        ("are any lights on", {}, "Yes, the desk lamp is on."),
        ("are the lights on", {}, "No, no light in the kitchen is on."),
        ("is the light off", {"state": "off"}, "Yes, the ceiling and the counter are off in here."),
        ("are all the lights on", {}, "No, the ceiling and the counter are off."),
        (
            "are all the lights off",
            {"state": "off"},
            "No, the desk lamp is on.",
        ),
        ("which lights are off", {"state": "off"}, "The ceiling and the counter are off in here."),
    ],
)
def test_yes_or_no_is_said_where_it_was_asked(
    talk: Talk, text: str, slots: dict[str, str], told: str
) -> None:
    assert talk.say(text, command("HassGetState", domain="light", **slots)) == told


def test_everything_is_what_can_be_switched(talk: Talk) -> None:
    talk.ask("HassTurnOn", name="Kettle")
    told = talk.say("turn everything in the house off", command("HassTurnOff"))
    assert told == "I turned off four devices."
    assert talk.state("lock.front_door") == "locked"


def test_asking_changes_nothing(talk: Talk) -> None:
    (reply,) = talk.hear("is it on", command("HassGetState", name="Desk Lamp", state="on"))
    assert reply.acted is False  # type: ignore[attr-defined]


def test_states_outlive_the_process(talk: Talk) -> None:
    talk.ask("HassTurnOn", name="Kettle")
    talk.restart()
    assert talk.ask("HassGetState", name="Kettle") == "The kettle is on."


def test_switching_is_taken_back(talk: Talk) -> None:
    talk.say("all the lights off", command("HassTurnOff", domain="light"))
    assert talk.ask("Undo") == "I took that back."
    states = [talk.state(f"light.{name}") for name in ("ceiling", "counter", "desk")]
    assert states == ["off", "off", "on"]


def test_the_skill_alone_works_on_a_home_in_memory() -> None:
    context = memory_context(HOME, area="office", now=EVENING)
    told = converse(skill, "HassTurnOff", context, domain="light", text="turn off the lights")
    assert told == ["I turned off the desk lamp."]


# ── the broker ──────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def bridged(talks: Callable[..., Talk]) -> Talk:
    return talks(broker=True)


def test_without_a_broker_nothing_is_sent(talk: Talk) -> None:
    assert told_to_broker(talk.hear("on", command("HassTurnOn", name="Kettle"))) == []


def test_a_change_is_sent_before_it_is_told(bridged: Talk) -> None:
    messages = bridged.hear("on", command("HassTurnOn", name="Kettle"))
    assert [type(m) for m in messages] == [HomeCommand, SpokenReply]
    assert told_to_broker(messages) == [("switch.kettle", "on")]


def test_the_broker_tells_states(bridged: Talk) -> None:
    bridged.feed(HomeStates(states={"light.desk": "off"}))
    assert bridged.ask("HassGetState", name="Desk Lamp") == "The desk lamp is off."


def test_a_device_that_the_home_does_not_hold_is_passed_over(bridged: Talk) -> None:
    bridged.feed(HomeStates(states={"light.unknown": "off"}))
    assert bridged.database.execute("SELECT count(*) FROM devices") == [(len(HOME.entities),)]


def test_what_the_broker_missed_is_sent_when_it_is_back(bridged: Talk) -> None:
    bridged.feed(broker(False))
    bridged.ask("HassTurnOn", name="Kettle")
    bridged.ask("HassTurnOff", name="Kettle")
    bridged.ask("HassTurnOff", name="Desk Lamp")
    missed = bridged.feed(broker(True))
    assert sorted(told_to_broker(missed)) == [("light.desk", "off"), ("switch.kettle", "off")]
    bridged.feed(acknowledged(missed))
    assert told_to_broker(bridged.feed(broker(True))) == []


def test_also_after_the_process_was_killed(bridged: Talk) -> None:
    bridged.feed(broker(False))
    bridged.ask("HassTurnOn", name="Kettle")
    bridged.restart()
    bridged.feed(broker(False))
    bridged.ask("HassTurnOff", name="Desk Lamp")
    missed = told_to_broker(bridged.feed(broker(True)))
    assert sorted(missed) == [("light.desk", "off"), ("switch.kettle", "on")]


def test_an_old_state_from_the_broker_does_not_overrule_what_it_missed(bridged: Talk) -> None:
    bridged.feed(broker(False))
    bridged.ask("HassTurnOn", name="Kettle")
    bridged.feed(HomeStates(states={"switch.kettle": "off"}))
    missed = bridged.feed(broker(True))
    assert told_to_broker(missed) == [("switch.kettle", "on")]
    bridged.feed(HomeStates(states={"switch.kettle": "off"}))
    assert bridged.state("switch.kettle") == "on"
    bridged.feed(acknowledged(missed))
    bridged.feed(HomeStates(states={"switch.kettle": "off"}))
    assert bridged.state("switch.kettle") == "off"


def test_many_states_are_one_transaction_and_known_ones_none(
    bridged: Talk, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun: list[None] = []
    transaction = bridged.database.transaction
    monkeypatch.setattr(
        bridged.database, "transaction", lambda: begun.append(None) or transaction()
    )
    flood = {f"light.{number}": "on" for number in range(1000)}
    states = flood | {"light.desk": "off", "light.ceiling": "40%", "switch.kettle": "off"}
    for _ in range(100):
        bridged.feed(HomeStates(states=states))
    assert len(begun) == 1
    assert [bridged.state(e) for e in ("light.desk", "light.ceiling")] == ["off", "40%"]
