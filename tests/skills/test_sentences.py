"""What people usually say to the built-in skills is understood; what only sounds near is not."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
import yaml

from assistant.core.messages import Interpretation, SlotValue, Transcript
from nlu.interpreter import Interpreter
from nlu.stage import NluStage
from skills.fixed.unserved import SUBJECTS
from tests.support.grammars import manifests, templates_of
from tests.support.talking import EVENING, HOME

Slots = dict[str, SlotValue]
SAID: dict[str, list[str] | dict[str, Slots | None]] = yaml.safe_load(
    (Path(__file__).parent / "sentences.yaml").read_text("utf-8")
)
CASES = [
    pytest.param(text, intent, said[text] if isinstance(said, dict) else {}, id=text)
    for intent, said in SAID.items()
    for text in said
]
ELSEWHERE = {
    *("AddEvent", "MoveEvent", "CancelEvent", "WhenReminded", "RemindAtEvent", "TellJoke"),
    "SensorsWrong",
}
"""Intents whose cases are their skill's own tests: most have free text or numbers throughout."""

NOT_FOR_US = (
    "five minutes",
    "what's the weather",
    "open the garage door",
    "don't turn on the lights",
    "the lights are too bright",
    "i wonder what time it is in tokyo",
    "she said turn on the lights",
    "turn on the charm",
    "my timer is broken",
)


@cache
def stage() -> NluStage:
    templates = templates_of(HOME)
    return NluStage(templates, Interpreter(templates), lambda: EVENING)


def understood(text: str) -> list[tuple[str, Slots]]:
    said = Transcript(utterance_id="u", revision=1, text=text)
    (meant,) = (m for m in stage().feed(said) if isinstance(m, Interpretation))
    return [(c.intent, {s.name: s.value for s in c.slots}) for c in meant.commands]


@pytest.mark.parametrize(("text", "intent", "slots"), CASES)
def test_it_is_understood(text: str, intent: str, slots: Slots | None) -> None:
    ((meant, found),) = understood(text)
    assert (meant, found) == (intent, found if slots is None else slots)


@pytest.mark.parametrize("text", NOT_FOR_US)
def test_it_is_left_alone(text: str) -> None:
    assert understood(text) == []


def test_every_intent_of_the_built_in_skills_has_a_case() -> None:
    intents = {schema.intent for manifest in manifests() for schema in manifest.intents}
    unserved = {subject.intent for subject in SUBJECTS}
    assert (intents | unserved) - ELSEWHERE == set(SAID)
