"""BIO tags ↔ spans, their F1 by hand, and decoding that never breaks a span."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.training import bio

LABELS = ["O", "B-room", "I-room", "B-time", "I-time"]


@pytest.mark.parametrize(
    ("tags", "expected"),
    [
        ("O B-room I-room O", [(1, 3, "room")]),
        ("B-room B-room", [(0, 1, "room"), (1, 2, "room")]),
        ("B-room I-time", [(0, 1, "room"), (1, 2, "time")]),
        ("O I-room I-room", [(1, 3, "room")]),
        ("O O", []),
    ],
)
def test_spans_are_read_as_the_field_reads_them(
    tags: str, expected: list[tuple[int, int, str]]
) -> None:
    assert bio.spans(tags.split()) == expected


@given(st.lists(st.tuples(st.integers(1, 3), st.sampled_from(["", "room", "time"])), max_size=8))
def test_spans_survive_becoming_tags(parts: list[tuple[int, str]]) -> None:
    spans, start = [], 0
    for length, label in parts:
        if label:
            spans.append((start, start + length, label))
        start += length
    assert bio.spans(bio.tags(spans, start)) == spans


def test_f1_counts_exact_spans_with_their_labels() -> None:
    gold = [[(0, 1, "room"), (2, 4, "time")], [(0, 2, "room")]]
    given_ = [[(0, 1, "room"), (2, 3, "time")], [(0, 2, "time")]]
    assert bio.f1(gold, given_) == pytest.approx(1 / 3)
    assert bio.f1(gold, gold) == 1


@given(st.lists(st.lists(st.floats(-9, 9, width=32), min_size=5, max_size=5), min_size=1))
def test_decoding_never_goes_on_with_what_has_not_begun(rows: list[list[float]]) -> None:
    path = bio.decode(np.array(rows, np.float32), bio.allowed(LABELS))
    tags = [LABELS[index] for index in path]
    for before, tag in zip(["O", *tags], tags, strict=False):
        if tag.startswith("I-"):
            assert before[2:] == tag[2:]


def test_decoding_takes_the_best_where_nothing_forbids_it() -> None:
    logits = np.full((3, 5), -5, np.float32)
    logits[0, 1] = logits[1, 2] = logits[2, 0] = 5
    assert bio.decode(logits, bio.allowed(LABELS)) == [1, 2, 0]
