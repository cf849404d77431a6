"""Commands to devices that Home Assistant is to carry out: it is handed them as intents."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec
import pytest

from assistant.core.messages import Command, SlotValue, SpokenReply
from assistant.core.settings.security import Profile, SecuritySettings
from assistant.core.settings.wyoming import PEER
from assistant.skill.home import Entity
from nlu.stage import NluStage
from skills.dialogs.handing import NOT_ADDED, NOT_KNOWN, NOT_TOLD, ONE_AT_A_TIME
from tests.support.conversation import FAR_APART, HOUSE, Conversation, nlu_of_rooms
from tests.support.talking import Talk, command

Begin = Callable[..., Conversation]
HEATED = msgspec.structs.replace(
    HOUSE,
    entities=(
        *HOUSE.entities,
        Entity(name="Radiator", id="climate.radiator", area="office", state="heat"),
        Entity(name="Thermostat", id="climate.thermostat", area="kitchen", state="heat"),
    ),
)


@pytest.fixture(scope="module")
def nlu() -> NluStage:
    return nlu_of_rooms(HEATED)


@pytest.fixture
def begin(talks: Callable[..., Talk], nlu: NluStage) -> Begin:
    """A conversation in a home whose devices Home Assistant commands."""

    def conversation(**settings: object) -> Conversation:
        talk = talks(home=HEATED, peer_acts=True, **settings)
        return Conversation(talk, nlu, float(next(FAR_APART)))

    return conversation


def handed(commands: Sequence[Command]) -> tuple[str, dict[str, SlotValue]]:
    """The one intent that is handed over, with its slots."""
    (command,) = commands
    return command.intent, {slot.name: slot.value for slot in command.slots}


def test_a_command_to_a_device_is_handed_over_and_not_carried_out(begin: Begin) -> None:
    say = begin()
    assert say("turn on the kettle", PEER) == "I turned on the kettle."
    assert handed(say.handed) == ("HassTurnOn", {"name": "Kettle"})
    assert say.talk.state("switch.kettle") == "off"


def test_it_is_carried_out_where_the_device_itself_is_told(begin: Begin) -> None:
    say = begin()
    say("turn on the kettle")
    assert (say.handed, say.talk.state("switch.kettle")) == ((), "on")


def test_without_the_setting_it_is_carried_out_here(begin: Begin) -> None:
    say = begin()
    say.talk.peer_acts = False
    say.talk.rebuild()
    say("turn on the kettle", PEER)
    assert (say.handed, say.talk.state("switch.kettle")) == ((), "on")


def test_what_is_no_device_is_done_here(begin: Begin) -> None:
    say = begin()
    assert say("set a timer for five minutes", PEER).startswith("Timer for five minutes")
    assert (say.handed, len(say.timers)) == ((), 1)
    say("add bread to the shopping list", PEER)
    assert say.handed == ()


@pytest.fixture
def talk(talks: Callable[..., Talk]) -> Talk:
    return talks(home=HEATED, peer_acts=True)


def told(talk: Talk, text: str, *commands: Command) -> SpokenReply:
    """The reply to what Home Assistant says."""
    given = talk.hear(text, *commands, area=PEER)
    (reply,) = (message for message in given if isinstance(message, SpokenReply))
    return reply


def test_a_value_that_it_asks_for_is_handed_over(talk: Talk) -> None:
    asked = told(talk, "words", command("HassLightSet", name="Desk Lamp"))
    assert (asked.text, asked.handed) == ("To how many percent?", ())
    slots = {"name": "Desk Lamp", "brightness": 40}
    assert handed(told(talk, "forty").handed) == ("HassLightSet", slots)


def test_a_device_that_it_asks_for_is_handed_over_by_its_id(talk: Talk) -> None:
    asked = told(talk, "words", command("HassClimateSetTemperature", temperature=20))
    assert asked.text == "Which thermostat: Radiator or Thermostat?"
    slots = {"temperature": 20, "name": "climate.radiator"}
    assert handed(told(talk, "Radiator").handed) == ("HassClimateSetTemperature", slots)


def test_one_command_of_a_sentence_is_handed_over(begin: Begin) -> None:
    say = begin()
    reply = say("turn on the kettle and turn off the desk lamp", PEER)
    assert reply == f"I turned on the kettle. {ONE_AT_A_TIME}"
    assert handed(say.handed) == ("HassTurnOn", {"name": "Kettle"})
    say("turn off the desk lamp", PEER)
    assert handed(say.handed) == ("HassTurnOff", {"name": "Desk Lamp"})


@pytest.mark.parametrize(
    ("text", "reply"),
    [
        ("turn on all the lights except the counter", NOT_ADDED),
        ("turn on the kettle in ten minutes", NOT_ADDED),
        ("make the desk lamp a bit brighter", NOT_KNOWN),
    ],
)
def test_what_it_cannot_take_is_declined(begin: Begin, text: str, reply: str) -> None:
    say = begin()
    assert (say(text, PEER), say.handed) == (reply, ())


def test_how_devices_are_is_told_only_where_it_is_known(begin: Begin) -> None:
    assert begin()("is the kettle on", PEER) == NOT_TOLD
    assert begin(broker=True)("is the kettle on", PEER) == "No, the kettle is off."


def test_what_is_not_allowed_is_not_handed_over(begin: Begin) -> None:
    rules = SecuritySettings(profiles={"guest": Profile(denied=("switch",))}, rooms={PEER: "guest"})
    say = begin(security=rules)
    assert say("turn on the kettle", PEER) == "Changing the kettle isn't allowed from here."
    assert say.handed == ()


def test_the_pin_is_asked_for_before_it_is_handed_over(begin: Begin) -> None:
    say = begin(security=SecuritySettings(pin_for=("switch",)), pin="1234")
    assert "PIN" in say("turn on the kettle", PEER)
    assert say.handed == ()
    say("one two three four", PEER)
    assert handed(say.handed) == ("HassTurnOn", {"name": "Kettle"})
