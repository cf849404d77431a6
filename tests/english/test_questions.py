"""Which texts can be questions for documents, and which have the form of a command."""

from __future__ import annotations

import pytest

from assistant.english.questions import (
    asks,
    commands,
    goes_on,
    leans,
    names,
    points_back,
    stands_for,
)

QUESTIONS = (
    "whats the code of the shed",
    "whereabouts are the spare bulbs",
    "we leave at nine, how soon do I have to be there",
    "when is the bin collection",
    "what's the excess on the car insurance",
    "how do I bleed a radiator",
    "tell me about the dishwasher",
    "could you tell me where the fuse box is",
    "does the lease allow pets",
    "she needs the policy number where do I find it",
    "covered for how many years?",
    "am I allowed to burn leaves here",
)
NAMES = (
    "the wifi password",
    "and the neighbour's number",
    "grandma's birthday",
    "recipe for pancakes",
    "could I have the guest Wi-Fi",
    "can we please have the plumber's number",
)
FRAGMENTS = ("and the price", "what about his number", "the blue one", "and the fan")
COMMANDS = (
    "can you empty the bin",
    "would you please read it to the cat",
    "fetch my slippers",
    "open a tin of beans",
    "I want you to iron the shirts",
    "could we put the oven on",
    "could I have the lights on",
)
NEITHER = (
    "good morning",
    "we're home",
    "the lights are too bright",
    "our dog barks a lot when you go",
    "that's what I said",
    "yippee",
    "I already did it",
    "it's only me",
)


@pytest.mark.parametrize("text", QUESTIONS)
def test_it_asks(text: str) -> None:
    assert asks(text)


@pytest.mark.parametrize("text", NAMES)
def test_it_names_what_it_is_after(text: str) -> None:
    assert names(text)
    assert not asks(text)


@pytest.mark.parametrize("text", [*FRAGMENTS, "the lamp I mean"])
def test_a_fragment_goes_on_from_a_question_at_most(text: str) -> None:
    assert goes_on(text)
    assert leans(text)


@pytest.mark.parametrize("text", ["and the fan", "the blue one", "the lamp I mean"])
def test_a_fragment_alone_names_nothing_to_look_up(text: str) -> None:
    assert not names(text)


@pytest.mark.parametrize("text", ["when does it run out", "and when is their meeting"])
def test_a_question_may_stand_on_the_one_before(text: str) -> None:
    assert stands_for(text)
    assert leans(text)
    assert not leans("when does the passport run out")


@pytest.mark.parametrize("text", [*COMMANDS, *NEITHER])
def test_it_asks_nothing(text: str) -> None:
    assert not asks(text)
    assert not names(text)


@pytest.mark.parametrize("text", COMMANDS)
def test_it_is_a_command(text: str) -> None:
    assert commands(text)


@pytest.mark.parametrize("text", NEITHER)
def test_it_is_no_command(text: str) -> None:
    assert not commands(text)


@pytest.mark.parametrize(
    "text",
    [
        "from when mustn't she eat",
        "isn't something due today",
        "the tablet is an hour late is that all right",
        "can i lean a ladder against the tank",
        "if that fails whom do i ring",
    ],
)
def test_permissions_negations_and_prepositions_ask_too(text: str) -> None:
    assert asks(text)
    assert not commands(text)


@pytest.mark.parametrize("text", ["what time?", "and when", "so how much then", "at what time"])
def test_a_question_without_a_subject_is_about_what_was_spoken_of(text: str) -> None:
    assert leans(text)


@pytest.mark.parametrize(
    ("text", "points"),
    [("what day is that", True), ("how long until then", True), ("what time is it", False)],
)
def test_it_may_be_the_time_but_that_points_back(text: str, points: bool) -> None:
    assert points_back(text) is points
