"""What a text holds for a wish, and what the story before the wish adds to it."""

from __future__ import annotations

from datetime import datetime

import pytest

from assistant.core.messages import SlotValue
from nlu.classifier.examples import Fixed, IntentLabel
from nlu.classifier.intent import Belief, Ranking
from nlu.fallback.scoring import Look
from nlu.fallback.slot_candidates import SlotFinder
from nlu.fallback.slot_patterns import SlotPattern, shapes
from nlu.grammar.templates import Templates
from nlu.text.canonical import canonical
from tests.support.calibrations import INTENT, SLOTS

LIGHTS: Fixed = (("domain", "light"),)
EVERY_LIGHT: Fixed = (("domain", "light"), ("name", "all"))


@pytest.fixture(scope="module")
def forms(templates: Templates) -> list[SlotPattern]:
    return [shape for shape in shapes(templates.claims) if shape.intent == "HassTurnOff"]


def believed(
    templates: Templates,
    forms: list[SlotPattern],
    now: datetime,
    text: str,
    story: str,
    fixed: Fixed,
) -> tuple[dict[str, SlotValue], float]:
    """The slots of the likeliest form, and its weight."""
    said, told = canonical(text), canonical(story)
    look = Look(SlotFinder(templates.lists), said, (), now, told, INTENT, SLOTS)
    ranking = Ranking(1.0, (Belief(IntentLabel("HassTurnOff", fixed), 1.0),))
    guess = max(look.fill(forms, 1.0, ranking), key=lambda g: g.weight)
    return {slot.name: slot.value for slot in guess.command.slots}, guess.weight


@pytest.mark.parametrize(
    ("story", "text", "slots"),
    [
        ("nobody is even in the kitchen", "kill the lights", {"area": "Kitchen"}),
        ("nobody is even down there", "kill the lights", {}),
        ("from the kitchen to the study it blazes", "kill the lights", {}),
        ("nobody is even in the kitchen", "kill the study lights", {"area": "Study"}),
    ],
    ids=["one room", "none", "two rooms", "the wish names one itself"],
)
def test_the_one_room_of_the_story_is_the_wish_s(
    templates: Templates,
    forms: list[SlotPattern],
    now: datetime,
    story: str,
    text: str,
    slots: dict[str, str],
) -> None:
    found, _ = believed(templates, forms, now, text, story, LIGHTS)
    assert found == {"domain": "light"} | slots


def test_all_of_a_kind_are_nearly_that_kind(
    templates: Templates, forms: list[SlotPattern], now: datetime
) -> None:
    _, exact = believed(templates, forms, now, "kill the lights", "", LIGHTS)
    found, near = believed(templates, forms, now, "kill every light", "", EVERY_LIGHT)
    _, other = believed(templates, forms, now, "kill the lights", "", (("domain", "fan"),))
    assert found == {"domain": "light"}
    assert other < near < exact
