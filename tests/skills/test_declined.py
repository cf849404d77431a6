"""What no skill can carry out is told as it was understood, and never half obeyed."""

from __future__ import annotations

import importlib.resources
import json

import pytest

from assistant.core.messages import SpokenReply
from assistant.skill import Request
from skills.declined import ACTIONS, declined
from tests.support.grammars import manifests
from tests.support.talking import Talk, command

CANNOT = command("HassHumidifierMode", mode="quiet")


def test_an_intent_of_no_skill_is_told_as_it_was_understood(talk: Talk) -> None:
    assert talk.hear("the humidifier on quiet", CANNOT) == [
        SpokenReply(
            utterance_id="u1",
            text="I understood that you want to set the mode of a humidifier,"
            " but I can't do that yet.",
            intent="HassHumidifierMode",
            done=False,
        )
    ]


def test_the_other_commands_of_the_breath_are_carried_out(talk: Talk) -> None:
    on, off = command("HassTurnOn", name="Kettle"), command("HassTurnOff", name="Desk Lamp")
    (reply,) = talk.hear("kettle on, the humidifier on quiet and lamp off", on, CANNOT, off)
    assert isinstance(reply, SpokenReply)
    assert reply.text == (
        "I turned on the kettle. I understood that you want to set the mode of a humidifier, "
        "but I can't do that yet. I turned off the desk lamp."
    )
    assert (reply.done, reply.acted) == (False, True)
    assert (talk.state("switch.kettle"), talk.state("light.desk")) == ("on", "off")


def test_a_slot_that_the_skill_does_not_take_is_no_half_obedience(talk: Talk) -> None:
    talk.ask("HassStartTimer", duration=600)
    assert talk.ask("HassCancelAllTimers", floor="Ground Floor") == (
        "I understood that you want to cancel all timers, "
        "but I can't do that for one floor alone yet."
    )
    assert talk.timers() == 1


def test_nor_is_a_command_that_is_to_follow(talk: Talk) -> None:
    later = command("HassStartTimer", duration=300, conversation_command="open the garage")
    assert "with a command that is to follow" in talk.say("open the garage in five minutes", later)
    assert talk.timers() == 0


@pytest.mark.parametrize(
    ("intent", "slots", "told"),
    [
        ("HassTurnOn", {"area": "Attic"}, "I don't know of any attic."),
        ("HassStartTimer", {"duration": "soon"}, "but I can't do that with what you named yet."),
    ],
)
def test_a_value_that_the_skill_cannot_use_is_told(
    talk: Talk, intent: str, slots: dict[str, str], told: str
) -> None:
    (reply,) = talk.hear("words", command(intent, **slots))
    assert isinstance(reply, SpokenReply)
    assert reply.text.endswith(told)
    assert (reply.done, reply.acted) == (False, False)


def test_an_intent_of_the_users_own_sentences_is_named_by_its_words() -> None:
    told = declined(Request(utterance_id="u", text="", intent="OpenTheGate")).text
    assert told == 'I understood "open the gate", but I can\'t do that yet.'


def test_every_intent_of_home_assistants_vocabulary_has_words() -> None:
    file = importlib.resources.files("home_assistant_intents") / "data" / "en.json"
    intents = set(json.loads(file.read_bytes())["intents"])
    assert intents - ACTIONS.keys() == set()


def test_words_are_kept_for_what_a_skill_serves_too() -> None:
    served = {s.intent for m in manifests() for s in m.intents}
    assert {name for name in served if name.startswith("Hass")} <= ACTIONS.keys()
