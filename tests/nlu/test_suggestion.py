"""A text that nothing claims in, an example of something near it out."""

from __future__ import annotations

import pytest

from nlu.grammar.templates import Templates
from nlu.suggestion import Suggestion
from nlu.text.canonical import canonical


@pytest.fixture(scope="module")
def nearest(templates: Templates) -> Suggestion:
    return Suggestion(templates.examples())


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("dim the kitchen lights to purple", "HassLightSet"),
        ("switch of the coffee machin", "HassTurnOff"),
        ("is there any time left on that timer of mine", "HassTimerStatus"),
        ("unlock every door", "HassUnlock"),
        ("i'd love a latte with oat foam", "orderCoffee"),
    ],
)
def test_an_example_of_the_nearest_intent(
    templates: Templates, nearest: Suggestion, text: str, intent: str
) -> None:
    example = nearest(canonical(text))
    assert intent in {match.intent for match in templates.match(example)}


@pytest.mark.parametrize(
    "text", ["who wrote hamlet", "order me a pizza with cheese", "", "the", "lorem ipsum dolor"]
)
def test_nothing_is_near(nearest: Suggestion, text: str) -> None:
    assert nearest(canonical(text)) == ""


def test_words_that_few_intents_use_decide() -> None:
    nearest = Suggestion(
        {
            "Light": ["turn on the light"],
            "Radio": ["turn on the radio"],
            "Fan": ["turn on the fan"],
            "Clock": ["what time is it"],
        }
    )
    assert nearest(canonical("the radio")) == "turn on the radio"
    assert nearest(canonical("turn on")) == ""
    assert nearest(canonical("turn on the raadio")) == "turn on the radio"


def test_no_examples_are_near_nothing() -> None:
    assert Suggestion({})(canonical("turn on the light")) == ""
