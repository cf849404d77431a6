"""What is on lists as people name it: parts of names, what was told to be done, and "and"."""

from __future__ import annotations

import pytest

from tests.support.conversation import Conversation

SHOPPING, TO_DO = "what's on the shopping list", "what's on the to-do list"


def test_things_are_added_without_naming_a_list(say: Conversation) -> None:
    assert say("add tomatoes, red lentils and fresh yeast") == (
        "I put tomatoes, red lentils and fresh yeast on your shopping list."
    )
    assert say("not the yeast, I have some") == "I took fresh yeast off your shopping list."
    assert say("and capers") == "I put capers on your shopping list."


@pytest.mark.parametrize(
    "text",
    ["add ten", "add ten minutes", "add the lamp", "add a bit more light", "add it to my diary"],
)
def test_what_is_no_thing_is_on_no_list(say: Conversation, text: str) -> None:
    say(text)
    assert say(SHOPPING) == "On your shopping list: milk and butter."


@pytest.mark.parametrize(
    "text",
    [
        "put me on the list for the coach trip, would you, Jean",
        "swap milk for oats on the list",
        "add a few things to the shopping list",
    ],
)
def test_nobody_is_on_a_list_and_nothing_that_is_not_named(say: Conversation, text: str) -> None:
    say(text)
    say("never mind")
    assert say(SHOPPING) == "On your shopping list: milk and butter."


def test_several_acts_in_one_breath(say: Conversation) -> None:
    assert say("put cheese on my list and take the milk off") == (
        "I put cheese on your shopping list. I took milk off your shopping list."
    )


def test_a_list_is_one_of_them_by_its_name(say: Conversation) -> None:
    say("add flowers to the shopping list")
    assert say("and fix the gate on the to-do one") == "I put fix the gate on your to-do list."


def test_the_number_of_a_thing_may_follow_it(say: Conversation) -> None:
    assert say("add flour two bags") == "I put two bags of flour on your shopping list."
    assert say("and cat food six tins") == "I put six tins of cat food on your shopping list."
    assert say("tomatoes two tins") == "I put two tins of tomatoes on your shopping list."


def test_a_part_of_a_name_finds_it(say: Conversation) -> None:
    say("put basmati rice on the shopping list")
    assert say("is there still rice on the shopping list") == (
        "Yes, basmati rice is on your shopping list."
    )
    assert say("which list is the rice on") == "Basmati rice is on your shopping list."
    assert say("take it off") == "I took basmati rice off your shopping list."


def test_which_of_several_is_asked(say: Conversation) -> None:
    say("put brown rice and basmati rice on the shopping list")
    assert say("take the rice off") == "Which one: brown rice or basmati rice?"
    assert say("the brown one") == "I took brown rice off your shopping list."


@pytest.mark.parametrize(
    "text",
    [
        "I have rung the window cleaner, you can strike that",
        "I've rung the window cleaner",
        "the window cleaner's been rung, tick it off",
        "cross off the window cleaner",
    ],
)
def test_what_was_told_to_be_done_is_checked_off(say: Conversation, text: str) -> None:
    say("put ring the window cleaner on the to-do list")
    say("what time is it")
    assert say(text) == "I checked ring the window cleaner off your to-do list."


def test_another_deed_is_asked_about(say: Conversation) -> None:
    say("put ring the window cleaner on the to-do list")
    assert say("I've paid the window cleaner") == (
        "Shall I check ring the window cleaner off your to-do list?"
    )
    say("no")
    assert say(TO_DO) == "On your to-do list: ring the window cleaner."


@pytest.mark.parametrize("text", ["I need to ring the vet", "I rang my mum", "she rang the vet"])
def test_what_was_not_done_stays(say: Conversation, text: str) -> None:
    say("put ring the vet on the to-do list")
    say(text)
    assert say(TO_DO) == "On your to-do list: ring the vet."


def test_and_does_the_same_with_another(say: Conversation) -> None:
    assert say("take milk off the shopping list") == "I took milk off your shopping list."
    assert say("and the butter") == "I took butter off your shopping list."
    assert say("are there eggs on the shopping list") == "No, eggs are not on your shopping list."
    assert say("and jam") == "No, jam is not on your shopping list."


def test_what_has_run_out_is_offered(say: Conversation) -> None:
    assert say("we're out of coffee") == "Shall I put coffee on your shopping list?"
    assert say("yes") == "I put coffee on your shopping list."
    assert say("we've run out of soap, put it on the shopping list") == (
        "I put soap on your shopping list."
    )
