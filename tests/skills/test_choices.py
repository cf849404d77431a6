"""Near ties: what may be meant is asked about, and what is named is carried out."""

from __future__ import annotations

import pytest

from assistant.core.messages import Asked, Choice, Question, SpokenReply
from skills.picking import pick, refuses
from tests.support.talking import Talk, command, directed, unsure

LIGHT = Choice(sentence="turn on the ceiling", command=command("HassTurnOn", name="Ceiling"))
LAMP = Choice(sentence="turn off the desk lamp", command=command("HassTurnOff", name="Desk Lamp"))
OPTIONS = ("turn on the kitchen light", "turn on the kitchen fan")


def test_a_near_tie_is_asked_about_and_nothing_done(talk: Talk) -> None:
    asked, reply = talk.hear("tern the dealing", choices=(LIGHT, LAMP))
    assert isinstance(asked, Asked)
    assert {"turn on the ceiling", "the lamp", "the second one"} <= {*asked.answers}
    assert reply == (
        SpokenReply(
            utterance_id="u1",
            text='Did you mean "turn on the ceiling" or "turn off the desk lamp"?',
            listen=True,
        )
    )
    assert talk.state("light.ceiling") == "off"


@pytest.mark.parametrize("answer", ["the latter", "the second one", "the desk lamp", LAMP.sentence])
def test_the_one_that_is_named_is_carried_out(talk: Talk, answer: str) -> None:
    talk.hear("tern the dealing", choices=(LIGHT, LAMP))
    (reply,) = talk.hear(answer)
    assert reply == SpokenReply(
        utterance_id="u2",
        text="I turned off the desk lamp.",
        intent="HassTurnOff",
        acted=True,
    )
    assert talk.state("light.desk") == "off"


@pytest.mark.parametrize("answer", ["neither", "no", "none of them", "cancel", ""])
def test_or_none(talk: Talk, answer: str) -> None:
    talk.hear("tern the dealing", choices=(LIGHT, LAMP))
    assert talk.say(answer) == "Okay, never mind."
    assert (talk.state("light.ceiling"), talk.state("light.desk")) == ("off", "on")


def test_what_is_no_answer_is_asked_again(talk: Talk) -> None:
    talk.hear("tern the dealing", choices=(LIGHT, LAMP))
    assert talk.say("purple").startswith("Sorry, I didn't get that. Did you mean")
    assert talk.say("the first") == "I turned on the ceiling."


def test_a_command_instead_is_carried_out(talk: Talk) -> None:
    talk.hear("tern the dealing", choices=(LIGHT, LAMP))
    assert talk.say("what time is it", command("HassGetCurrentTime")) == "It's 6:30 pm."
    assert isinstance(talk.hear("the first")[0], Question)


def test_one_thing_alone_is_a_yes_or_no(talk: Talk) -> None:
    asked, reply = talk.hear("tern the dealing", choices=(LIGHT,))
    assert isinstance(asked, Asked)
    assert "yes please" in asked.answers
    assert isinstance(reply, SpokenReply)
    assert reply.text == 'Did you mean "turn on the ceiling"?'
    assert talk.say("yes") == "I turned on the ceiling."


def test_what_was_named_is_no_guess_any_more(talk: Talk) -> None:
    unlock = directed(command("HassTurnOff", domain="lock", name="Front Door"), "unlock")
    choices = (Choice(sentence="unlock the front door", command=unsure(0.4, unlock)), LIGHT)
    talk.hear("unlog the front or", choices=choices)
    assert talk.say("the first") == "I unlocked the front door."


def test_what_was_chosen_is_taken_back(talk: Talk) -> None:
    talk.hear("tern the dealing", choices=(LIGHT, LAMP))
    talk.say("the first")
    assert talk.ask("Undo") == "I took that back."
    assert talk.state("light.ceiling") == "off"


@pytest.mark.parametrize(
    ("answer", "place"),
    [
        ("first", 0),
        ("the first one please", 0),
        ("Number two", 1),
        ("the former", 0),
        ("number one", 0),
        ("the latter", 1),
        ("the last one", 1),
        ("the fan", 1),
        ("I mean the light", 0),
        ("no, the second", 1),
        ("turn on the kitchen fan", 1),
        ("the third", None),
        ("the kitchen", None),
        ("turn on the bedroom light", None),
        ("the fan and the light", None),
        ("", None),
    ],
)
def test_answers_pick_one_or_nothing(answer: str, place: int | None) -> None:
    assert pick(answer, OPTIONS) == (None if place is None else OPTIONS[place])


@pytest.mark.parametrize("answer", ["no", "No thanks", "neither of those", "none", "not that one"])
def test_a_refusal(answer: str) -> None:
    assert refuses(answer)
    assert pick(answer, OPTIONS) is None


@pytest.mark.parametrize("answer", ["no, the second", "the first", "not now but later"])
def test_no_refusal(answer: str) -> None:
    assert not refuses(answer)
