"""Notes: kept in the user's words, read back, found by what they are about, and on no list."""

from __future__ import annotations

import pytest

from tests.support.conversation import Conversation


@pytest.mark.parametrize(
    "text",
    [
        "note that Pickle has had her lunch",
        "make a note that Pickle has had her lunch",
        "remember that Pickle has had her lunch",
        "write down that Pickle has had her lunch",
        "take a note: Pickle has had her lunch",
    ],
)
def test_a_note_is_kept(say: Conversation, text: str) -> None:
    assert say(text).casefold() == "i noted: pickle has had her lunch."
    told = "you noted: pickle has had her lunch."
    assert say("what did I ask you to note").casefold() == told
    assert say("read me my notes").casefold() == told


def test_a_note_is_on_no_list(say: Conversation) -> None:
    say("what's on the shopping list")
    say("note that the blue folder is in my locker")
    assert say("what's on the shopping list") == "On your shopping list: milk and butter."
    assert "note" not in say("what lists do I have")


def test_what_to_note_is_asked(say: Conversation) -> None:
    assert say("take a note") == "What shall I note?"
    assert say("bins on thursday") == "I noted: bins on thursday."


def test_a_note_is_found_by_what_it_is_about(say: Conversation) -> None:
    say("note that the spare key is under the pot")
    say("note that the boiler man comes on tuesday")
    found = say("where did I say the spare key is")
    assert found == "You noted: spare key is under the pot."
    assert say("delete the note about the boiler") == (
        "I deleted your note: boiler man comes on tuesday."
    )
    assert say("what are my notes") == found
    say("undo")
    assert say("delete all my notes") == "Shall I delete two notes?"
    assert say("yes") == "I deleted two notes."
    assert say("any notes") == "You have no notes."


@pytest.mark.parametrize("text", ["note down jam on the shopping list", "jot jam on the list"])
def test_what_is_written_on_a_list_is_no_note(say: Conversation, text: str) -> None:
    assert say(text) == "I put jam on your shopping list."
    assert say("any notes") == "You have no notes."
