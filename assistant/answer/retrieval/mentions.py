"""What a question names, and whether a text that may answer it names the same.

Sentences about one room, person or year answer the same kinds of questions as those about another,
so a reader that only looks for what would fit an answer takes the one for the other.
"""

from __future__ import annotations

from collections.abc import Set

from rapidfuzz.distance import OSA

from assistant.english.asking.mentions import (
    EXACT,
    PARTICULARS,
    SYNONYMS,
)
from assistant.english.numbers import FIGURES
from assistant.english.stems import base_verb, short_stem, singular

SHORTEST_MISSPELT = 5
"""Fewest letters of a word for one of them, not the first, to be wrong."""


def exact(word: str) -> bool:
    """Whether only this very word will do: a number, or one of a closed set such as rooms."""
    return word in EXACT or any(map(str.isdigit, word))


def holds(known: Set[str], word: str) -> bool:
    """Whether `word`, or one that stands for it, is among the `known` words."""
    forms = SYNONYMS.get(word, frozenset((word,))) | PARTICULARS.get(word, frozenset())
    if not forms.isdisjoint(known) or FIGURES.get(word, word) in known:
        return True
    if exact(word):
        return singular(word) in {singular(other) for other in known}
    stems = {_stem(other) for other in known}
    if any(_stem(form) in stems for form in forms):
        return True
    if len(word) < SHORTEST_MISSPELT:
        return False
    return any(_alike(word, other) for other in known)


def _stem(word: str) -> str:
    return short_stem(base_verb(word))


def _alike(word: str, other: str) -> bool:
    """Whether one is heard or written for the other, or is a part of it."""
    if len(other) >= SHORTEST_MISSPELT and (word in other or other in word):
        return True
    near = other[:1] == word[0] and abs(len(other) - len(word)) < 2
    return near and OSA.distance(word, other, score_cutoff=1) <= 1
