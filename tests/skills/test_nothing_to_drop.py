"""Where something is to be gone, it is; or the reply says that there is nothing."""

from __future__ import annotations

import pytest

from tests.support.conversation import Conversation


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("cancel it", "There is nothing that I can cancel."),
        ("cancel that please", "There is nothing that I can cancel."),
        ("cancel", "Okay."),
        ("never mind", "Okay."),
        ("forget it", "Okay."),
        ("stop it", "Okay."),
    ],
)
def test_nothing_is_not_cancelled(say: Conversation, text: str, told: str) -> None:
    assert say(text) == told


def test_the_one_timer_is_asked_about_where_another_thing_was_spoken_of(say: Conversation) -> None:
    say("eggs ten minutes")
    say("turn on the kettle")
    say("what time is it")
    assert say("cancel it") == "Shall I cancel your eggs timer?"
    assert "eggs" in say.timers


def test_a_reason_without_a_pause_is_no_part_of_a_timers_name(say: Conversation) -> None:
    say("shoes one minute")
    assert "is cancelled" in say("ok cancel it he's done")
    assert say.timers == {}


@pytest.mark.parametrize("text", ["clear the rest", "delete the rest of them", "take the rest off"])
def test_the_rest_of_a_list_is_asked_about(say: Conversation, text: str) -> None:
    say("read the shopping list")
    assert say(text) == "Shall I take two things off your shopping list?"


def test_the_rest_is_of_a_list_only_where_one_was_spoken_of(say: Conversation) -> None:
    assert "Shall I" not in say("clear the rest")


def test_a_note_that_was_told_is_deleted(say: Conversation) -> None:
    assert say("new note, the vet said less salt") == "I noted: vet said less salt."
    assert say("what did I just note") == "You noted: vet said less salt."
    assert say("delete that") == "I deleted your note: vet said less salt."
    assert say("what did I note") == "You have no notes."


def test_a_note_is_no_longer_that_after_another_thing(say: Conversation) -> None:
    say("note that the vet said less salt")
    say("turn on the kettle")
    say("delete that")
    assert say("what did I note") == "You noted: vet said less salt."
