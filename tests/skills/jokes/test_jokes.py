"""A joke is told for the asking, and another after it."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from nlu.stage import NluStage
from skills.jokes import JOKES
from tests.support.conversation import FAR_APART, Conversation
from tests.support.talking import Talk

LONGEST = 120


@pytest.fixture
def said(talks: Callable[..., Talk], nlu: NluStage) -> Conversation:
    return Conversation(talks(), nlu, float(next(FAR_APART)))


def test_no_joke_comes_twice_while_one_asks_for_more(said: Conversation) -> None:
    told = [said("tell me a joke"), *(said("another one") for _ in JOKES[1:])]
    assert sorted(told) == sorted(JOKES)


def test_a_joke_about_something_says_that_it_is_not(said: Conversation) -> None:
    reply = said("tell us a joke about cheese")
    assert reply.startswith("I know none about cheese, but this one. ")
    assert reply.endswith(JOKES)
    assert said("one more please") in JOKES


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("that was not funny", "Nobody laughed at the first wheel, either."),
        ("ha ha", "I'm glad that you like it."),
    ],
)
def test_what_is_said_of_a_joke(said: Conversation, text: str, told: str) -> None:
    assert said(text) != told
    said("make me laugh")
    assert said(text) == told


def test_after_anything_else_another_is_no_joke(said: Conversation) -> None:
    said("what time is it")
    assert said("another one") not in JOKES


def test_jokes_are_short_and_each_there_once() -> None:
    assert len(set(JOKES)) == len(JOKES) >= 20
    assert max(map(len, JOKES)) <= LONGEST
