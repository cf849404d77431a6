"""Corpus BLEU-4 with one reference each (Papineni et al. 2002), case kept, unsmoothed."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

ORDERS = 4
_TOKEN = re.compile(r"\d+(?:[.,:]\d+)*|\w+|[^\w\s]")


def tokens(text: str) -> list[str]:
    """Words, numbers and each punctuation mark."""
    return _TOKEN.findall(text)


def bleu(made: Sequence[str], references: Sequence[str]) -> float:
    """BLEU from 0 to 1; raises `ValueError` when the numbers of texts and references differ."""
    right, given = [0] * ORDERS, [0] * ORDERS
    length = wanted = 0
    for one, reference in zip(made, references, strict=True):
        said, expected = tokens(one), tokens(reference)
        length, wanted = length + len(said), wanted + len(expected)
        for order in range(ORDERS):
            ours, theirs = _runs(said, order + 1), _runs(expected, order + 1)
            right[order] += sum((ours & theirs).values())
            given[order] += sum(ours.values())
    if not all(right):
        return 0.0
    mean = sum(math.log(r / g) for r, g in zip(right, given, strict=True)) / ORDERS
    return math.exp(mean + min(0.0, 1 - wanted / length))


def _runs(words: Sequence[str], size: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(words[i : i + size]) for i in range(len(words) - size + 1))
