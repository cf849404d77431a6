"""Sentence in, intents and slots out."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from typing import Any

import pytest
import yaml

from nlu.grammar.templates import Templates
from nlu.interpreter import Interpreter
from nlu.text.canonical import canonical
from nlu.understood import Understood

TABLE = yaml.safe_load((Path(__file__).parent / "sentences.yaml").read_text("utf-8"))
CASES = [
    pytest.param(sentence, wanted if isinstance(wanted, list) else [wanted], id=sentence or "empty")
    for group in TABLE.values()
    for sentence, wanted in group.items()
]


def read(templates: Templates, sentence: str, now: datetime) -> Understood:
    return Interpreter(templates)(canonical(sentence), now)


def meant(templates: Templates, sentence: str, now: datetime) -> list[dict[str, dict[str, Any]]]:
    understood = read(templates, sentence, now)
    return [{c.intent: {s.name: s.value for s in c.slots}} for c in understood.commands]


@pytest.mark.parametrize(("sentence", "wanted"), CASES)
def test_a_sentence_means_its_intents_and_slots(
    templates: Templates, now: datetime, sentence: str, wanted: list[dict[str, dict[str, Any]]]
) -> None:
    assert meant(templates, sentence, now) == wanted


def test_the_table_has_at_least_a_hundred_sentences() -> None:
    assert len(CASES) >= 100


def test_raw_words_are_those_spoken(templates: Templates, now: datetime) -> None:
    (command,) = read(templates, "Please set a timer for Twenty-Five minutes.", now).commands
    assert [(slot.name, slot.raw) for slot in command.slots] == [
        ("duration", "twenty five minutes")
    ]


def test_free_text_is_less_sure_than_exact_words(templates: Templates, now: datetime) -> None:
    exact = read(templates, "cancel the five minute timer", now)
    free = read(templates, "cancel the pizza timer", now)
    assert (exact.exact, exact.commands[0].confidence) == (True, 1.0)
    assert (free.exact, free.commands[0].confidence) == (False, 0.9)


def test_a_missing_slot_is_no_exact_sentence(templates: Templates, now: datetime) -> None:
    assert not read(templates, "set a timer", now).exact
    assert read(templates, "set a timer for one minute", now).exact
