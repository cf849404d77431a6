"""The measuring of summaries: what it finds of good ones, bad ones and those of other texts."""

from __future__ import annotations

import pytest

from assistant.answer.summary.summariser import Summariser
from benchmarks.answers.summaries import (
    Task,
    TimedSummariser,
    best,
    drawn,
    lead,
    lead_as_long,
    references,
    row,
    shelf,
    tasks,
)
from tests.support.fake_encoder import FakeEncoder

PIE = Task(
    "Pie",
    ["Flour is white.", "Bake the pie for an hour.", "Dogs bark.", "Let the pie cool first."],
    "Bake the pie for an hour and let it cool.",
)


@pytest.fixture(scope="module")
def documents() -> list[Task]:
    told = references("dev")
    with shelf(told) as knowledge:
        return list(tasks(knowledge, told))[: len(told)]


def test_the_best_sentences_beat_the_first_and_those_beat_none() -> None:
    found = row("dev", "best", [PIE], best)
    assert found.rouge_1 > row("dev", "lead", [PIE], lead).rouge_1 > 0
    assert row("dev", "lead", [PIE], lead_as_long).words == 16
    assert row("dev", "random", [PIE], drawn).rouge_1 < found.rouge_1


def test_summaries_are_told_from_those_of_other_documents(documents: list[Task]) -> None:
    wrong = [
        task._replace(reference=other.reference)
        for task, other in zip(documents, [*documents[1:], documents[0]], strict=True)
    ]
    with shelf(references("dev")) as knowledge:
        ours = TimedSummariser(Summariser(knowledge.sources, FakeEncoder()))
        own = row("dev", "own", documents, ours)
        others = row("dev", "others'", wrong, ours)
    assert own.rouge_1 > others.rouge_1 + 0.1
    assert own.rouge_2 > 3 * others.rouge_2
    assert own.rouge_2 > row("dev", "random", documents, drawn).rouge_2
