"""Lists as people talk of them: which one is meant, what is on it, and what is no list at all."""

from __future__ import annotations

import pytest

from tests.support.conversation import Conversation

SHOPPING, TO_DO = "what's on the shopping list", "what's on the to-do list"


@pytest.mark.parametrize(
    ("text", "reply"),
    [
        ("did I already put butter on?", "Yes, butter is on your shopping list."),
        ("have we put the milk on already", "Yes, milk is on your shopping list."),
        ("did I put suet on", "No, suet is on none of your lists."),
        ("is there butter on the list", "Yes, butter is on your shopping list."),
        ("have we got butter on the shopping list", "Yes, butter is on your shopping list."),
        ("is butter on any of our lists", "Yes, butter is on your shopping list."),
        ("which list is the jam on", "Jam is on none of your lists."),
        ("did we get butter down on the list", "Yes, butter is on your shopping list."),
        ("did we add butter to the list", "Yes, butter is on your shopping list."),
        ("did I put the kettle on", ""),
    ],
)
def test_what_is_on_is_asked_and_nothing_is_added(say: Conversation, text: str, reply: str) -> None:
    assert say(text) == reply
    assert say(SHOPPING) == "On your shopping list: milk and butter."


def test_what_is_asked_about_next_is_a_thing_and_no_other_wish(say: Conversation) -> None:
    say("is there butter on the list")
    assert say("and suet") == "No, suet is not on your shopping list."
    told = say("okay and make it turn the music down would you, I can't hear myself think")
    assert "list" not in told


@pytest.mark.parametrize(
    ("text", "item"),
    [
        ("put for tins of kidney beans on my list", "four tins of kidney beans"),
        ("add too large onions to the shopping list", "two large onions"),
        ("put for the cat something on the list", "for the cat something"),
        ("put salt and vinegar crisps on the shopping", "salt and vinegar crisps"),
        ("add, um, washing powder to the list", "washing powder"),
    ],
)
def test_a_thing_is_put_on_as_it_was_meant(say: Conversation, text: str, item: str) -> None:
    say(text)
    assert say(SHOPPING) == f"On your shopping list: milk, butter and {item}."


@pytest.mark.parametrize("text", ["did I put the kettle on", "did we put the heating on"])
def test_what_may_be_a_device_is_sought_on_no_list(say: Conversation, text: str) -> None:
    say(SHOPPING)
    assert "list" not in say(text)


def test_hesitations_are_no_things(say: Conversation) -> None:
    say("add, um, washing powder and, er, clothes pegs to the shopping list")
    assert say("what else is on it") == (
        "On your shopping list: milk, butter, washing powder and clothes pegs."
    )


def test_how_many_is_no_thing(say: Conversation) -> None:
    assert (
        say("how many on my list now")
        == "There are two things on your shopping list: milk and butter."
    )


def test_a_list_that_is_named_wins_over_the_one_spoken_of(say: Conversation) -> None:
    say("put milk on the to-do list")
    say("put paint on the to-do list")
    assert say("is there paint on the shopping list") == "No, paint is not on your shopping list."
    say(TO_DO)
    assert say("is there paint on the list") == "Yes, paint is on your to-do list."
    assert say("take the milk off the shopping list") == "I took milk off your shopping list."
    say(TO_DO)
    assert say("what's on the list") == "On your to-do list: milk and paint."
    assert say("put nails on the list") == "I put nails on your to-do list."
    assert say(SHOPPING) == "On your shopping list: butter."


@pytest.mark.parametrize(
    "text",
    ["take the butter off, we've got some in", "we've got butter, take it off", "no butter"],
)
def test_a_thing_is_taken_off_the_list_that_it_is_on(say: Conversation, text: str) -> None:
    say(SHOPPING)
    say(text)
    assert say(SHOPPING) == "On your shopping list: milk."


@pytest.mark.parametrize(
    "text",
    [
        "that's everything, clear it",
        "that's the lot, empty it",
        "right that's the paint done, clear the list",
        "wipe the list",
    ],
)
def test_a_list_is_cleared_after_a_question(say: Conversation, text: str) -> None:
    say("put paint on the to-do list")
    assert say(text) == "Shall I take one thing off your to-do list?"
    say("no")
    assert say(TO_DO) == "On your to-do list: paint."


def test_the_number_of_a_thing_is_no_list(say: Conversation) -> None:
    say(TO_DO)
    assert say("add to toothbrushes to it") == "I put two toothbrushes on your to-do list."


def test_what_was_not_spoken_of_is_not_cleared(say: Conversation) -> None:
    assert say("that's everything, clear it") == ""
    say("carrots ten minutes")
    say(SHOPPING)
    assert say("clear it") == "Shall I take two things off your shopping list?"
    assert list(say.timers) == ["carrots"]


def test_things_need_no_joint_and_the_last_is_taken_back_alone(say: Conversation) -> None:
    assert say("add eggs tuna and brown sugar") == (
        "I put eggs, tuna and brown sugar on your shopping list."
    )
    assert say("scratch the last one") == "I took brown sugar off your shopping list."
    assert say("not the eggs") == "I took eggs off your shopping list."
    assert say(SHOPPING) == "On your shopping list: milk, butter and tuna."


def test_the_last_of_one_is_that(say: Conversation) -> None:
    say("add eggs")
    assert say("scratch the last one") == "I took that back."
    assert say(SHOPPING) == "On your shopping list: milk and butter."


@pytest.mark.parametrize(
    ("text", "item"),
    [
        ("add oat milk, no sorry, almond milk to the shopping list", "almond milk"),
        ("chuck on string", "string"),
    ],
)
def test_what_was_put_right_goes_on_alone(say: Conversation, text: str, item: str) -> None:
    say(SHOPPING)
    say(text)
    assert say(SHOPPING) == f"On your shopping list: milk, butter and {item}."


def test_what_is_to_be_cleared_off_is_not_put_on(say: Conversation) -> None:
    say(SHOPPING)
    assert say("oh and clear off the butter, found some") == "I took butter off your shopping list."
