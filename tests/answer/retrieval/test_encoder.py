"""The shipped reader, whatever it is asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.answer.retrieval.encoder import PassageEncoder
from assistant.core.models.manifest import Library

PASSAGE = "The kettle holds 1.7 litres."


@pytest.fixture(scope="module")
def encoder() -> PassageEncoder:
    return PassageEncoder.load(Library(Path("/nowhere")))


@pytest.mark.parametrize("question", ["", "how much " * 2500, "?" * 3000, "\0 how", "🤷 の ﬀ"])
def test_any_question_can_be_asked_of_a_passage(encoder: PassageEncoder, question: str) -> None:
    (scored,) = encoder.score(question, [PASSAGE])
    assert len(scored.spans) == len(scored.places)
    assert PASSAGE[slice(*scored.places[-1])] == "."
    assert encoder.encode([question]).shape == (1, 384)


def test_of_a_long_passage_the_end_is_not_seen_and_the_question_is(encoder: PassageEncoder) -> None:
    (scored,) = encoder.score("How much does the kettle hold?", [PASSAGE * 100])
    assert 300 < len(scored.places) < 320
