"""Labels become spans, whatever order a model gives them in."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlu.classifier.tagger import TaggedSpan, decode

LABELS = ("O", "B-room", "I-room", "B-device", "I-device")


def probabilities(
    *labels: str, sure: float = 0.9
) -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    rows = np.full((len(labels), len(LABELS)), (1 - sure) / (len(LABELS) - 1), np.float32)
    for row, label in enumerate(labels):
        rows[row, LABELS.index(label)] = sure
    return rows


@pytest.mark.parametrize(
    ("labels", "spans"),
    [
        ((), []),
        (("O", "O"), []),
        (("B-room", "I-room", "O"), [("room", 0, 2)]),
        (("B-room", "B-room"), [("room", 0, 1), ("room", 1, 2)]),
        (("B-room", "I-device"), [("room", 0, 1), ("device", 1, 2)]),
        (("O", "I-room", "I-room"), [("room", 1, 3)]),
        (("B-device", "O", "B-room"), [("device", 0, 1), ("room", 2, 3)]),
    ],
)
def test_spans_of_labels(labels: tuple[str, ...], spans: list[tuple[str, int, int]]) -> None:
    assert [span[:3] for span in decode(probabilities(*labels), LABELS)] == spans


def test_a_span_is_as_sure_as_its_least_sure_word() -> None:
    rows = np.concatenate([probabilities("B-room"), probabilities("I-room", sure=0.6)])
    (span,) = decode(rows, LABELS)
    assert span == TaggedSpan("room", 0, 2, pytest.approx(0.6))


@given(st.lists(st.sampled_from(LABELS), max_size=12))
def test_spans_neither_overlap_nor_leave_the_text(labels: list[str]) -> None:
    spans = list(decode(probabilities(*labels), LABELS))
    ends = [0, *(place for span in spans for place in (span.start, span.end))]
    assert ends == sorted(ends)
    assert all(span.start < span.end <= len(labels) for span in spans)
    assert sum(span.end - span.start for span in spans) == sum(label != "O" for label in labels)
