"""Converts spans to BIO tags and back, and computes the F1 of spans as seqeval does."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

OUTSIDE = "O"

Found = tuple[int, int, str]
"""A span: index of its first word, index after its last word, label."""


def spans(tags: Sequence[str]) -> list[Found]:
    """The spans of BIO tags; an I- tag that continues no span begins one, as in CoNLL's script."""
    found: list[Found] = []
    start, label = 0, ""
    for index, tag in enumerate([*tags, OUTSIDE]):
        inside = tag[2:] if tag != OUTSIDE else ""
        if label and not (tag.startswith("I-") and inside == label):
            found.append((start, index, label))
            label = ""
        if inside and not label:
            start, label = index, inside
    return found


def tags(found: Iterable[Found], words: int) -> list[str]:
    """The BIO tags of spans that do not overlap."""
    result = [OUTSIDE] * words
    for start, end, label in found:
        result[start:end] = [f"B-{label}", *[f"I-{label}"] * (end - start - 1)]
    return result


def f1(expected: Iterable[Iterable[Found]], predicted: Iterable[Iterable[Found]]) -> float:
    """The micro F1, 0 to 1, of exact spans with their labels over all sentences."""
    right = wanted = given = 0
    for gold, guess in zip(expected, predicted, strict=True):
        gold_set, guess_set = set(gold), set(guess)
        right += len(gold_set & guess_set)
        wanted += len(gold_set)
        given += len(guess_set)
    return 2 * right / max(1, wanted + given)


def allowed(labels: Sequence[str]) -> NDArray[np.float32]:
    """The transition scores [from, to]: 0, or -inf where an I- tag would continue no span."""
    scores = np.zeros((len(labels), len(labels)), np.float32)
    for to, tag in enumerate(labels):
        if tag.startswith("I-"):
            for before, previous in enumerate(labels):
                if previous[2:] != tag[2:] or previous == OUTSIDE:
                    scores[before, to] = -np.inf
    return scores


def decode(logits: NDArray[np.float32], transitions: NDArray[np.float32]) -> list[int]:
    """The best sequence of label indices that the transitions allow (Viterbi).

    `logits` is float32[words, labels] with "O" as label 0, which stands before the sentence.
    """
    best = transitions[0] + logits[0]
    back: list[NDArray[np.intp]] = []
    for row in logits[1:]:
        scores = best[:, None] + transitions
        back.append(scores.argmax(axis=0))
        best = scores.max(axis=0) + row
    path = [int(best.argmax())]
    for pointers in reversed(back):
        path.append(int(pointers[path[-1]]))
    return path[::-1]
