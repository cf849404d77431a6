"""Swaps the slot values of a set's sentences, so that a model learns contexts, not values."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence

from models.training.markup import Sentence, Span, replaced

Values = Mapping[tuple[str, str], Sequence[str]]
"""(Set, label) → values of that label in the set's training sentences, each once."""


def values(sentences: Iterable[Sentence]) -> Values:
    """The values by their set and label, which can replace each other."""
    found: dict[tuple[str, str], dict[str, None]] = {}
    for sentence in sentences:
        for span in sentence.spans:
            said = sentence.text[span.start : span.end]
            found.setdefault((sentence.origin, span.label), {})[said] = None
    return {key: list(unique) for key, unique in found.items()}


def swapped(sentence: Sentence, others: Values, draw: random.Random, share: float) -> Sentence:
    """The sentence with about this share of its values replaced by others of their label."""

    def other(span: Span, said: str) -> str:
        if draw.random() < share:
            return draw.choice(others[sentence.origin, span.label])
        return said

    return replaced(sentence, other)
