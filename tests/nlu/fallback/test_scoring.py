"""What a text holds for a command, and what the story before the command adds to it."""

from __future__ import annotations

from datetime import datetime

import pytest

from assistant.core.messages import SlotValue
from nlu.classifier.examples import Fixed, IntentLabel
from nlu.classifier.intent import Belief, Ranking
from nlu.fallback.scoring import TextEvidence
from nlu.fallback.slot_candidates import SlotFinder
from nlu.fallback.slot_patterns import SlotPattern, slot_patterns
from nlu.grammar.templates import Templates
from nlu.text.canonical import canonical
from tests.support.calibrations import INTENT, SLOTS

LIGHTS: Fixed = (("domain", "light"),)
EVERY_LIGHT: Fixed = (("domain", "light"), ("name", "all"))


@pytest.fixture(scope="module")
def patterns(templates: Templates) -> list[SlotPattern]:
    return [p for p in slot_patterns(templates.claims) if p.intent == "HassTurnOff"]


def believed(
    templates: Templates,
    patterns: list[SlotPattern],
    now: datetime,
    text: str,
    story: str,
    fixed: Fixed,
) -> tuple[dict[str, SlotValue], float]:
    """The slots of the likeliest guess, and its weight."""
    said, before = canonical(text), canonical(story)
    evidence = TextEvidence(SlotFinder(templates.lists), said, (), now, before, INTENT, SLOTS)
    ranking = Ranking(1.0, (Belief(IntentLabel("HassTurnOff", fixed), 1.0),))
    guess = max(evidence.fill(patterns, 1.0, ranking), key=lambda g: g.weight)
    return {slot.name: slot.value for slot in guess.command.slots}, guess.weight


@pytest.mark.parametrize(
    ("story", "text", "slots"),
    [
        ("nobody is even in the kitchen", "kill the lights", {"area": "Kitchen"}),
        ("nobody is even down there", "kill the lights", {}),
        ("from the kitchen to the study it blazes", "kill the lights", {}),
        ("nobody is even in the kitchen", "kill the study lights", {"area": "Study"}),
    ],
    ids=["one room", "none", "two rooms", "the command names one itself"],
)
def test_the_one_room_of_the_story_is_the_command_s(
    templates: Templates,
    patterns: list[SlotPattern],
    now: datetime,
    story: str,
    text: str,
    slots: dict[str, str],
) -> None:
    found, _ = believed(templates, patterns, now, text, story, LIGHTS)
    assert found == {"domain": "light"} | slots


def test_all_of_a_kind_are_nearly_that_kind(
    templates: Templates, patterns: list[SlotPattern], now: datetime
) -> None:
    _, exact = believed(templates, patterns, now, "kill the lights", "", LIGHTS)
    found, near = believed(templates, patterns, now, "kill every light", "", EVERY_LIGHT)
    _, other = believed(templates, patterns, now, "kill the lights", "", (("domain", "fan"),))
    assert found == {"domain": "light"}
    assert other < near < exact
