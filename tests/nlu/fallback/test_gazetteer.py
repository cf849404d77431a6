"""The user's own names are found as written, with other words between, misspelt, and misheard."""

from __future__ import annotations

import pytest

from nlu.fallback.gazetteer import Gazetteer

NAMES = Gazetteer(
    [(name, name) for name in ("Bedroom Lamp", "Lamp", "John", "Kitchen", "Living Room", "TV")]
)


@pytest.mark.parametrize(
    ("text", "thing", "words", "likeness"),
    [
        ("turn the bedroom lamp on", "Bedroom Lamp", {2, 3}, 1.0),
        ("the lamp in the bedroom", "Bedroom Lamp", {1, 4}, 0.9),
        ("call jon", "John", {1}, 0.85),
        ("living rooms lights", "Living Room", {0, 1}, 0.8),
        ("turn on the tv", "TV", {3}, 1.0),
    ],
)
def test_a_name_is_found(text: str, thing: str, words: set[int], likeness: float) -> None:
    best = next(named for named in NAMES.find(text.split()) if named.thing == thing)
    assert (best.thing, best.at) == (thing, words)
    assert best.likeness == pytest.approx(likeness, abs=0.06)


def test_a_name_without_its_possessive_is_no_misspelling() -> None:
    (found,) = Gazetteer([("Grandma's", "Grandma's")]).find(["grandma"])
    assert found.likeness == 0.8


def test_a_misspelt_name_is_likelier_the_nearer_it_is() -> None:
    near = next(n for n in NAMES.find(["kitchn"]) if n.thing == "Kitchen")
    assert 0.85 <= near.likeness < 1
    assert not [n for n in NAMES.find(["cabbage"]) if n.thing == "Kitchen"]


def test_short_names_are_not_found_in_words_that_look_like_them() -> None:
    assert not [n for n in NAMES.find(["i", "have", "to"]) if n.thing == "TV"]


def test_other_vowels_are_another_name() -> None:
    heat = Gazetteer([("Heat", "Heat")])
    assert heat.find(["hot", "tub"]) == []
    assert heat.find(["heet"])


def test_the_longer_name_comes_first() -> None:
    assert NAMES.find(["bedroom", "lamp"])[0].thing == "Bedroom Lamp"


def test_nothing_is_found_in_nothing() -> None:
    assert NAMES.find([]) == []
    assert Gazetteer[str]([]).find(["kitchen"]) == []
