"""Who comes over Wyoming has the rights, and the conversation, of a room of its own."""

from __future__ import annotations

import pytest

from assistant.core.messages import Commit, Interpretation, Spoken
from assistant.core.settings.security import Profile
from assistant.core.settings.wyoming import PEER
from nlu.stage import NluStage
from tests.skills.rights.conftest import Ruled
from tests.support.conversation import HOUSE, nlu_of_rooms
from tests.support.talking import Talk, command


@pytest.fixture(scope="module")
def nlu() -> NluStage:
    """An understanding with a conversation for each room."""
    return nlu_of_rooms(HOUSE)


def test_what_it_may_not_is_not_done_for_it(ruled: Ruled) -> None:
    say = ruled(profiles={"guest": Profile(denied=("switch",))}, rooms={PEER: "guest"})
    assert say("turn on the kettle", PEER) == "Changing the kettle isn't allowed from here."
    assert say.talk.state("switch.kettle") == "off"
    say("turn on the kettle")
    assert say.talk.state("switch.kettle") == "on"


def test_it_means_what_was_said_there_and_not_to_the_device(ruled: Ruled) -> None:
    say = ruled()
    say("turn on the kettle")
    say("turn off the desk lamp", PEER)
    say("turn it off")
    assert (say.talk.state("switch.kettle"), say.talk.state("light.desk")) == ("off", "off")
    say("turn it on", PEER)
    assert (say.talk.state("switch.kettle"), say.talk.state("light.desk")) == ("off", "on")


def test_what_follows_goes_to_who_said_it(talk: Talk) -> None:
    on = command("HassTurnOn", name="Kettle")
    for commands in ((on,), ()):
        said = Interpretation(
            utterance_id=f"u{len(commands)}",
            revision=0,
            text="words",
            commands=commands,
            area=PEER,
            peer=PEER,
        )
        given = [*talk.feed(said), *talk.feed(Commit(utterance_id=said.utterance_id, revision=0))]
        spoken = [message for message in given if isinstance(message, Spoken)]
        assert [(one.area, one.peer) for one in spoken] == [(PEER, PEER)]
