"""What a question names, and whether a text that may answer it names the same.

Sentences about one room, person or year answer the same kinds of questions as those about another,
so a reader that only looks for what would fit an answer takes the one for the other.
"""

from __future__ import annotations

from collections.abc import Iterator, Set

from rapidfuzz.distance import OSA

from assistant.english.asking.mentions import (
    DO_SUPPORT,
    EXACT,
    OPENINGS,
    PARTICULARS,
    PRONOUNS,
    SYNONYMS,
    naming,
)
from assistant.english.numbers import FIGURES
from assistant.english.stems import base_verb, short_stem, singular
from assistant.english.words import words

SHORTEST_MISSPELT = 5
"""Fewest letters of a word for one of them, not the first, to be wrong."""


def named(question: str) -> tuple[str, ...]:
    """The words by which `question` names what it is about, each once."""
    return tuple(dict.fromkeys(_named(words(question))))


def exact(word: str) -> bool:
    """Whether only this very word will do: a number, or one of a closed set such as rooms."""
    return word in EXACT or any(map(str.isdigit, word))


def _named(tokens: list[str]) -> Iterator[str]:
    for run, supported in _runs(tokens):
        # "Where do the swifts nest": the verb ends what stands behind its auxiliary.
        subject = run[:-1] if supported and len(run) > 1 else run
        for word in subject:
            if naming(word):
                yield word


def _runs(tokens: list[str]) -> Iterator[tuple[list[str], bool]]:
    """Words in a row behind an opening; whether the last of them is perhaps a verb."""
    run: list[str] = []
    opened = supported = False
    for token in [*tokens, ""]:
        if token and token not in OPENINGS and token not in PRONOUNS and token not in DO_SUPPORT:
            if opened:
                run.append(token)
            continue
        if run:
            yield run, supported
            run, supported = [], False
        if token in DO_SUPPORT:
            supported = opened = True
        elif token in PRONOUNS:
            supported = opened = False
        else:
            opened = token in OPENINGS


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
