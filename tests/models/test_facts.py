"""Our own patterns of a skill's facts: each saying holds all of them."""

from __future__ import annotations

import random

from assistant.answer.generation.prompt import Mark
from models.training import facts


def test_every_saying_of_every_pattern_holds_every_slot() -> None:
    assert len(facts.patterns()) > 30
    for pattern in facts.patterns():
        assert set(pattern.slots.values()) <= facts.SORTS.keys()
        for saying in pattern.sayings:
            assert all("{" + name + "}" in saying for name in pattern.slots), saying


def test_an_example_says_the_values_of_its_prompt() -> None:
    for seed in range(100):
        prompt, said = facts.example(random.Random(seed))
        values = [text for mark, text in prompt if mark is Mark.IS]
        assert values
        assert all(value.lower() in said.lower() for value in values)
