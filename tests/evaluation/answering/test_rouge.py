"""ROUGE against cases that were counted by hand."""

from __future__ import annotations

import pytest

from assistant.evaluation.answering.rouge import rouge


@pytest.mark.parametrize(
    ("summary", "reference", "one", "two", "longest"),
    [
        # Lin's own example: "kill" is not "killed", the rest stands in its order.
        ("police kill the gunman", "police killed the gunman", 3 / 4, 1 / 3, 3 / 4),
        ("the gunman kill police", "police killed the gunman", 3 / 4, 1 / 3, 2 / 4),
        # A word counts as often as both have it: 2 of "the" in 3 against 5 words.
        ("the the the", "the cat and the dog", 2 * 2 / 8, 0.0, 2 * 2 / 8),
        # Precision 2/2, recall 2/6; the one pair stands in 5.
        ("Filter: weekly!", "clean the filter weekly, by hand", 2 * 2 / 8, 2 * 1 / 6, 2 * 2 / 8),
        # a . c d of a b c d: in order 3 of 4 and 4.
        ("a x c d", "a b c d", 3 / 4, 1 / 3, 3 / 4),
        ("same words", "same words", 1.0, 1.0, 1.0),
        ("nothing alike", "other words", 0.0, 0.0, 0.0),
        ("", "words", 0.0, 0.0, 0.0),
        ("word", "word", 1.0, 0.0, 1.0),
    ],
)
def test_counted_by_hand(
    summary: str, reference: str, one: float, two: float, longest: float
) -> None:
    assert rouge(summary, reference) == pytest.approx((one, two, longest))
