"""Which list is meant: by name, kind, part of a name; lists that are made, and those there are."""

from __future__ import annotations

import pytest

from tests.support.conversation import Conversation

SHOPPING = "what's on the shopping list"


@pytest.mark.parametrize(
    "way", ["to-do list", "to do list", "jobs list", "list of chores", "list of things to do"]
)
def test_a_kind_of_list_is_the_homes_list_of_that_kind(say: Conversation, way: str) -> None:
    assert say(f"put mow the lawn on my {way}") == "I put mow the lawn on your to-do list."


def test_a_list_is_made_and_things_are_put_on_it(say: Conversation) -> None:
    assert say("make a list called Christmas") == "I made a christmas list."
    assert say("put tinsel, glue and Mum's scarf on it") == (
        "I put tinsel, glue and mum's scarf on your christmas list."
    )
    assert say("and stamps") == "I put stamps on your christmas list."
    say(SHOPPING)
    assert say("put nuts on christmas") == "I put nuts on your christmas list."
    assert say("right, what have I got there") == (
        "On your christmas list: tinsel, glue, mum's scarf, stamps and nuts."
    )


def test_a_list_is_made_once(say: Conversation) -> None:
    say("start a new list for the allotment")
    assert say("make an allotment list") == "Your allotment list is there already."


def test_a_list_that_there_is_not_is_offered(say: Conversation) -> None:
    offer = "There is no craft list. Shall I make one?"
    assert say("can you add glitter to the craft list") == offer
    assert say("no") == "Okay, never mind."
    say("add glitter to the craft list")
    assert say("yes") == "I put glitter on your craft list."
    assert say("what lists do I have") == "Your lists are shopping, to-do and craft."


def test_a_made_list_is_deleted_after_a_question_and_brought_back(say: Conversation) -> None:
    say("make a camping list")
    say("put pegs on it")
    assert say("delete the camping list") == (
        "Shall I delete your camping list with one thing on it?"
    )
    assert say("yes") == "I deleted your camping list."
    say("undo that")
    assert say("read the camping list") == "On your camping list: pegs."


def test_a_list_of_the_home_is_only_emptied(say: Conversation) -> None:
    assert say("delete the shopping list") == "Shall I take two things off your shopping list?"


@pytest.mark.parametrize(
    "text",
    [
        "read me the whole shopping list",
        "shopping list please",
        "what am i meant to get from the shop",
        "what's left to buy",
        "do i have anything on my shopping list",
    ],
)
def test_a_list_is_read(say: Conversation, text: str) -> None:
    assert say(text) == "On your shopping list: milk and butter."


def test_what_there_is_to_do_is_a_list_too(say: Conversation) -> None:
    say("put mow the lawn on the to-do list")
    assert say("what jobs have I got") == "On your to-do list: mow the lawn."


@pytest.mark.parametrize("text", ["off", "take it off", "just off then"])
def test_what_was_asked_about_is_taken_off(say: Conversation, text: str) -> None:
    assert say("is milk still there") != "I took milk off your shopping list."
    assert say("is milk on the shopping list") == "Yes, milk is on your shopping list."
    assert say("is butter still there") == "Yes, butter is on your shopping list."
    assert say(text) == "I took butter off your shopping list."


def test_off_means_no_list_where_the_thing_is_on_none(say: Conversation) -> None:
    say("is jam on the shopping list")
    assert "list" not in say("off")
