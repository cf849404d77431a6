"""What households buy is told apart without any joint between, and all else stays together."""

from __future__ import annotations

import pytest

from assistant.english.commands.groceries import divided


@pytest.mark.parametrize(
    ("said", "things"),
    [
        ("eggs butter", ["eggs", "butter"]),
        ("onions tomatoes cherries", ["onions", "tomatoes", "cherries"]),
        ("brown sugar", ["brown sugar"]),
        ("milk tomato soup two lemons", ["milk", "tomato soup", "two lemons"]),
        ("tomatoes soup", ["tomatoes", "soup"]),
        ("half a kilo of curd a dozen eggs", ["half a kilo of curd", "a dozen eggs"]),
        ("dog food Cheddar ripe bananas", ["dog food", "Cheddar", "ripe bananas"]),
        ("plasters cotton wool", ["plasters", "cotton wool"]),
        # Whatever is not known, be it one word, leaves all of it as it was said.
        ("worm the hoggs", ["worm the hoggs"]),
        ("milk for the hoggs", ["milk for the hoggs"]),
        ("milk two pints", ["milk two pints"]),
        ("deck screws", ["deck screws"]),
    ],
)
def test_things_are_told_apart(said: str, things: list[str]) -> None:
    assert [" ".join(words) for words in divided(said.split())] == things
