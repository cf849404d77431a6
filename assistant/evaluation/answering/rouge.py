"""How much of a reference a summary says, and how little else: ROUGE (Lin 2004).

Words are compared in lower case without stemming; all scores are F1 of precision and recall.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

_WORD = re.compile(r"[a-z0-9]+")


class Rouge(NamedTuple):
    """F1 of single words, of pairs of words, and of the longest common subsequence, 0 to 1."""

    one: float
    two: float
    longest: float


def rouge(summary: str, reference: str) -> Rouge:
    """Compare `summary` with one reference."""
    said, wanted = _words(summary), _words(reference)
    common = _longest_common(said, wanted)
    longest = _f1(common, len(said), len(wanted))
    return Rouge(_of_runs(said, wanted, 1), _of_runs(said, wanted, 2), longest)


def _of_runs(said: Sequence[str], wanted: Sequence[str], length: int) -> float:
    here, there = _runs(said, length), _runs(wanted, length)
    return _f1((here & there).total(), here.total(), there.total())


def _runs(words: Sequence[str], length: int) -> Counter[tuple[str, ...]]:
    return Counter(tuple(words[at : at + length]) for at in range(len(words) - length + 1))


def _longest_common(one: Sequence[str], other: Sequence[str]) -> int:
    row = [0] * (len(other) + 1)
    for word in one:
        corner = 0
        for at, against in enumerate(other, 1):
            above = row[at]
            row[at] = corner + 1 if word == against else max(above, row[at - 1])
            corner = above
    return row[-1]


def _f1(common: int, said: int, wanted: int) -> float:
    return 2 * common / (said + wanted) if common else 0.0


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())
