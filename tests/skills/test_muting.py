"""Muting by voice: what is meant by it, what is not, and that nothing said ends it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from assistant.core.errors import StorageError
from assistant.core.messages import SpokenReply
from audio.mute.switch import MuteSwitch
from nlu.stage import NluStage
from tests.support.conversation import FAR_APART, HOUSE, Conversation
from tests.support.talking import Talk, command, unsure

MUTE = command("MuteMicrophone")


@pytest.fixture
def switch(tmp_path: Path) -> MuteSwitch:
    return MuteSwitch(tmp_path / "0", tmp_path)


@pytest.fixture
def muting(talks: Callable[..., Talk], nlu: NluStage, switch: MuteSwitch) -> Conversation:
    return Conversation(talks(home=HOUSE, mute=switch.mute), nlu, float(next(FAR_APART)))


@pytest.mark.parametrize(
    "text",
    [
        "mute yourself",
        "mute your microphone",
        "stop listening",
        "stop listening to us",
        "turn your microphone off",
        "please turn off the microphone",
        "don't listen to me any more",
    ],
)
def test_it_mutes_and_says_how_to_end_it(
    muting: Conversation, switch: MuteSwitch, text: str
) -> None:
    assert muting(text) == (
        "I no longer listen. To end it, run assistant unmute, or press the mute button."
    )
    assert switch.on


@pytest.mark.parametrize(
    "text",
    [
        "stop",
        "be quiet",
        "mute the tv",
        "are you listening",
        "leave me alone",
        "mute yourself in ten minutes",
        "stop listening for half an hour",
    ],
)
def test_what_means_another_thing_does_not(
    muting: Conversation, switch: MuteSwitch, text: str
) -> None:
    muting(text)
    assert not switch.on


def test_with_another_command_both_are_done(muting: Conversation, switch: MuteSwitch) -> None:
    assert "no longer listen" in muting("turn on the kettle and mute yourself")
    assert muting.talk.state("switch.kettle") == "on"
    assert switch.on


@pytest.mark.parametrize(
    "text", ["unmute yourself", "undo", "turn on your microphone", "listen to me again", "yes"]
)
def test_no_word_ends_it(muting: Conversation, switch: MuteSwitch, text: str) -> None:
    muting("mute yourself")
    muting(text)
    assert switch.on


@pytest.mark.parametrize("agreed", [True, False])
def test_a_guess_is_asked_about(
    talks: Callable[..., Talk], switch: MuteSwitch, agreed: bool
) -> None:
    talk = talks(mute=switch.mute)
    assert talk.say("mute", unsure(0.7, MUTE)) == "Shall I turn off my microphone?"
    assert not switch.on
    told = talk.say("yes" if agreed else "no")
    assert switch.on is agreed
    assert told.startswith("I no longer listen." if agreed else "Okay, never mind.")


def test_it_is_kept_before_it_is_said_and_said_to_be_done(
    talks: Callable[..., Talk], switch: MuteSwitch
) -> None:
    (reply,) = talks(mute=switch.mute).hear("mute yourself", MUTE)
    assert isinstance(reply, SpokenReply)
    assert (reply.acted, reply.intent) == (True, "MuteMicrophone")


def test_where_it_cannot_be_kept_nothing_is_promised(
    talks: Callable[..., Talk], tmp_path: Path
) -> None:
    file = tmp_path / "file"
    file.write_text("no folder")
    with pytest.raises(StorageError):
        talks(mute=MuteSwitch(file, file).mute).hear("mute yourself", MUTE)
