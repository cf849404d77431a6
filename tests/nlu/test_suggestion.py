"""A text that nothing claims in, a hint near it out, and every hint is understood."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

import pytest

from assistant.cli.shared.conversation import temporary_config
from assistant.composition import Composition
from nlu.grammar.templates import Templates
from nlu.interpreter import Interpreter
from nlu.suggestion import Suggestion, hints
from nlu.text.canonical import Canonical, canonical

REPOSITORY = Path(__file__).resolve().parents[2]
HOMES = ("assistant/demo/home.yaml", "tests/data/week/home.yaml")


@pytest.fixture(scope="module")
def nearest(templates: Templates) -> Suggestion:
    return Suggestion(hints(templates), templates.served)


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("switch of the coffee machin", "HassTurnOn"),
        ("is there any time left on that timer of mine", "HassTimerStatus"),
    ],
)
def test_a_hint_of_the_nearest_intent(
    templates: Templates, nearest: Suggestion, text: str, intent: str
) -> None:
    assert templates.served(nearest(canonical(text))) == intent


@pytest.mark.parametrize(
    "text", ["who wrote hamlet", "order me a pizza with cheese", "", "the", "lorem ipsum dolor"]
)
def test_nothing_is_near(nearest: Suggestion, text: str) -> None:
    assert nearest(canonical(text)) == ""


def test_words_that_few_hints_use_decide() -> None:
    nearest = Suggestion(
        ["turn on the light", "turn on the radio", "turn on the fan", "what time is it"]
    )
    assert nearest(canonical("the radio")) == "turn on the radio"
    assert nearest(canonical("turn on")) == ""
    assert nearest(canonical("turn on the raadio")) == "turn on the radio"


def test_a_hint_must_be_near_in_meaning_too() -> None:
    nearest = Suggestion(["turn on the radio", "turn off the radio", "what time is it"])
    meant = {"turn off the radio": 0.8, "turn on the radio": 0.7}

    def likeness(said: Canonical, sentences: Sequence[str]) -> list[float]:
        return [meant.get(sentence, 0.0) for sentence in sentences]

    assert nearest(canonical("the radio"), likeness) == "turn off the radio"
    assert nearest(canonical("time"), likeness) == ""


def test_what_no_skill_does_is_no_hint() -> None:
    found = [
        "turn on the kitchen radio",
        "turn off the kitchen radio",
        "what time is it",
        "play some music",
    ]
    assert Suggestion(found)(canonical("turn on the kitchen radio")) == "turn on the kitchen radio"
    served = Suggestion(found, "turn off the kitchen radio".__eq__)
    assert served(canonical("turn on the kitchen radio")) == "turn off the kitchen radio"


def test_no_hints_are_near_nothing() -> None:
    assert Suggestion([])(canonical("turn on the light")) == ""


@pytest.mark.parametrize("home", HOMES)
def test_every_hint_is_a_command_or_question_of_a_skill(home: str, now: datetime) -> None:
    templates = Composition(temporary_config(None, REPOSITORY / home)).understanding.templates
    found = list(filter(templates.served, hints(templates)))
    assert len(found) > 20
    interpret = Interpreter(templates)
    for hint in found:
        (command,) = interpret(canonical(hint), now).commands
        assert command.intent == templates.served(hint), hint
        assert not templates.traits(command.intent).only_talk
