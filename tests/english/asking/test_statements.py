"""What only states something is told from what may ask for something."""

from __future__ import annotations

import pytest

from assistant.english.asking.statements import states


@pytest.mark.parametrize(
    "text",
    [
        "I've already locked it",
        "oh, that was only the cat",
        "the kids are in bed",
        "we ate already",
        "it's only the wind",
        "I'll do it later",
        "never mind, I found it",
        "I turned it down already",
        "he'll be late again you know",
        "they will love that",
        "smells lovely, if I say so myself",
        "the soup tastes funny",
        "that sounds nice",
    ],
)
def test_what_is_told_is_a_statement(text: str) -> None:
    assert states(text)


@pytest.mark.parametrize(
    "text",
    [
        "it's too dark in here",
        "the lamp is still on",
        "I left the garage open",
        "turned it off, now open the blinds",
        "we want the heating on",
        "did you lock it",
        "my room is cold",
        "the bath is done, put the fan off",
        "lights on",
        "coffee",
        "look up the recipe",
        "look for my phone",
        "it will need to be brighter",
        "it looks dark in here",
        "that feels cold",
        "will it rain",
        "you will remind me at six",
    ],
)
def test_what_may_ask_for_something_is_none(text: str) -> None:
    assert not states(text)
