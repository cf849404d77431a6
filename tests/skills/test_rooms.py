"""Two rooms, each with a conversation of its own: what is open, said and done in one is not in the
other."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from assistant.core.messages import NothingHeard, SpokenReply
from assistant.core.settings.security import Profile, SecuritySettings
from nlu.stage import NluStage
from tests.support.conversation import FAR_APART, HOUSE, Conversation, nlu_of_rooms
from tests.support.talking import Talk

Begin = Callable[..., Conversation]
OFFICE = "office"


@pytest.fixture(scope="module")
def nlu() -> NluStage:
    return nlu_of_rooms(HOUSE)


@pytest.fixture
def begin(talks: Callable[..., Talk], nlu: NluStage) -> Begin:
    """A conversation with a device in the kitchen, of which another microphone is in the office."""

    def conversation(**settings: object) -> Conversation:
        return Conversation(talks(home=HOUSE, **settings), nlu, float(next(FAR_APART)))

    return conversation


def test_the_lights_are_those_of_the_room_where_it_was_said(begin: Begin) -> None:
    say = begin()
    say("turn off the lights", OFFICE)
    assert say.talk.state("light.desk") == "off"
    say("turn on the lights")
    assert (say.talk.state("light.ceiling"), say.talk.state("light.desk")) == ("on", "off")


def test_it_is_what_was_spoken_of_in_that_room(begin: Begin) -> None:
    say = begin()
    say("turn off the desk lamp", OFFICE)
    say("turn on the kettle")
    say("turn it on", OFFICE)
    assert (say.talk.state("light.desk"), say.talk.state("switch.kettle")) == ("on", "on")
    say("turn it off")
    assert (say.talk.state("light.desk"), say.talk.state("switch.kettle")) == ("on", "off")


def test_the_last_act_of_a_room_is_taken_back_there_also_after_a_restart(begin: Begin) -> None:
    say = begin()
    say("turn off the desk lamp", OFFICE)
    say("turn on the kettle")
    say.talk.restart()
    assert say("undo that", OFFICE) == "I took that back."
    assert (say.talk.state("light.desk"), say.talk.state("switch.kettle")) == ("on", "on")
    assert say("undo that", OFFICE) != "I took that back."
    assert say("undo that") == "I took that back."
    assert say.talk.state("switch.kettle") == "off"


def test_a_question_is_open_in_the_room_where_it_was_asked(begin: Begin) -> None:
    say = begin()
    asked = say("set a timer", OFFICE)
    assert asked == "For how long?"
    assert say("turn on the kettle") == "I turned on the kettle."
    say("five minutes", OFFICE)
    assert len(say.timers) == 1


def test_silence_in_one_room_leaves_the_question_of_another_open(begin: Begin) -> None:
    say = begin()
    say("set a timer", OFFICE)
    assert say.talk.feed(NothingHeard(utterance_id="q")) == []
    say("five minutes", OFFICE)
    assert len(say.timers) == 1
    say("set a timer", OFFICE)
    (reply,) = say.talk.feed(NothingHeard(utterance_id="q", area=OFFICE))
    assert isinstance(reply, SpokenReply)
    assert reply.area == OFFICE
    say("five minutes", OFFICE)
    assert len(say.timers) == 1


def test_a_room_has_the_rights_of_its_profile(begin: Begin) -> None:
    child = SecuritySettings(profiles={"child": Profile(denied=("lock",))}, rooms={OFFICE: "child"})
    say = begin(security=child)
    assert say("unlock the front door", OFFICE).endswith("isn't allowed from here.")
    assert say("unlock the front door") == "I unlocked the front door."


def test_what_was_planned_in_a_room_is_taken_back_there(begin: Begin) -> None:
    say = begin()
    say("turn off the desk lamp in five minutes", OFFICE)
    say("turn on the kettle")
    say.talk.wait(400)
    assert say.talk.state("light.desk") == "off"
    assert say("repeat that", OFFICE) != say("repeat that")
    assert say("undo that", OFFICE) == "I took that back."
    assert (say.talk.state("light.desk"), say.talk.state("switch.kettle")) == ("on", "on")
