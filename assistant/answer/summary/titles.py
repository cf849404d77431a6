"""The document, and the part of it, that a name means: by its words, and by their spelling.

A name may have come through speech recognition, so that "merin dish washer" must find the manual of
the Merren dishwasher. Rare words of titles count most.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from rapidfuzz import fuzz

from assistant.answer.knowledge.passages import BELOW
from assistant.answer.knowledge.sources import DocumentSource
from assistant.core.errors import AnswerError
from assistant.english.documents import (
    KINDS_OF_DOCUMENTS,
    PART_OF_A_DOCUMENT,
    TITLE_STOP_WORDS,
)
from assistant.english.numbers import FIGURES
from assistant.english.spoken import joined
from assistant.english.stems import singular
from assistant.english.words import words

NEAREST = 3
"""Most titles or places that are suggested instead of an unknown one."""
ENOUGH = 0.5
"""Share of the words for a place that a heading must exceed."""
ENOUGH_OF = 0.5
"""Share of a name's weight that a title must have …"""
ENOUGH_WITH_PLACE = 0.3
"""… or this share, if the rest of the name is a place in the document."""
MOST_TIED = 20
"""Most documents with equally fitting titles that are searched for a place."""
ALIKE = 80.0
"""Similarity in spelling, out of 100, from which words count as the same."""
PAIR_ALIKE = 0.9
"""The same for a word split in two, out of 1: else "pump manual" would be much like "manual"."""
SHORTEST_ALIKE = 4
"""Fewest letters of a word that may be spelt in another way."""

KIND_WEIGHT = 0.25
"""Weight of a word for the kind of document, which says less than a word for its subject."""


class TitleMatch(NamedTuple):
    """A document and the place in it, "" for all of it."""

    document: DocumentSource
    place: str


class _Fit(NamedTuple):
    """The share of a name's weight that is in a document's title, the share of the title that is in
    the name, and the words of the name that are left."""

    document: DocumentSource
    merit: float
    share: float
    left: tuple[str, ...]


def named(
    name: str,
    documents: Sequence[DocumentSource],
    places: Callable[[DocumentSource], Sequence[str]],
) -> TitleMatch:
    """The match for `name`; `places` gives a document's in order, such as "Cleaning > The filter".

    Raises `AnswerError`, with the nearest titles or places, for a name that is unknown or
    ambiguous.
    """
    for document in documents:
        if Path(name).name == document.path.name:
            return TitleMatch(document, "")
    place, title = _split(name)
    every = _fits(terms(title), documents)
    known = _placed(every, place, places)
    if not known:
        raise AnswerError("documents.unknown", _unknown(name, every))
    fit, at = known[0]
    titles = list(dict.fromkeys(one.document.title for one, _ in known))[:NEAREST]
    if len(titles) > 1 and fit.share < 1:
        message = f'"{name}" fits {joined(titles)}; say more of the title.'
        raise AnswerError("documents.unclear", message)
    if place and not at:
        raise AnswerError("documents.no_part", _no_place(place, fit.document, places))
    return TitleMatch(fit.document, at)


def _placed(
    fits: Sequence[_Fit], place: str, places: Callable[[DocumentSource], Sequence[str]]
) -> list[tuple[_Fit, str]]:
    """The documents that fit best, each with the place in it, if they fit well enough."""
    least = max(ENOUGH_WITH_PLACE, 0.99 * fits[0].merit) if fits else 0.0
    best = [fit for fit in fits if fit.merit >= least][:MOST_TIED]
    found = [(fit, place_in(places(fit.document), terms(place) or fit.left)) for fit in best]
    # Of several manuals the one that has such a chapter is meant.
    found = [(fit, at) for fit, at in found if at] or found
    return [(fit, at) for fit, at in found if fit.merit >= ENOUGH_OF or (at and not place)]


def inside(place: str, within: str) -> bool:
    """Whether `place` is `within` or a part of it; everything is within ""."""
    return not within or place == within or place.startswith(f"{within}{BELOW}")


def place_in(places: Sequence[str], wanted: Sequence[str]) -> str:
    """The place whose heading fits `wanted` best, or the third for "3"; "" for none."""
    best, merit = "", (ENOUGH, 0.0)
    for place in dict.fromkeys(places):
        path = place.split(BELOW)
        for depth, heading in enumerate(path, 1):
            words = terms(heading)
            covered = sum(_covered(wanted, words))
            told = (covered / max(1, len(wanted)), covered / max(1, len(words)))
            if told > merit:
                best, merit = BELOW.join(path[:depth]), told
    return best or _counted(places, wanted)


def _counted(places: Sequence[str], wanted: Sequence[str]) -> str:
    chapters = list(dict.fromkeys(place.split(BELOW)[0] for place in places if place))
    number = int(wanted[0]) if len(wanted) == 1 and wanted[0].isdecimal() else 0
    return chapters[number - 1] if 0 < number <= len(chapters) else ""


def terms(text: str) -> list[str]:
    """The significant words: folded, without plural, numbers as digits."""
    told = map(singular, words(text))
    return [FIGURES.get(word, word) for word in told if word not in TITLE_STOP_WORDS]


def _split(name: str) -> tuple[str, str]:
    """The place and the title that `name` distinguishes; the place may be ""."""
    for pattern in PART_OF_A_DOCUMENT:
        if found := pattern.fullmatch(name.strip(" .?!")):
            return found["place"], found["title"]
    return "", name


def _fits(wanted: Sequence[str], documents: Sequence[DocumentSource]) -> list[_Fit]:
    """How well each document fits `wanted`, the best first."""
    words = [{*terms(d.title), *terms(d.path.stem)} for d in documents]
    seen = Counter(word for each in words for word in each)
    weights = [
        math.log(1 + len(documents) / max(1, seen[word]))
        * (KIND_WEIGHT if word in KINDS_OF_DOCUMENTS else 1)
        for word in wanted
    ]
    fits = []
    for document, known in zip(documents, words, strict=True):
        covered = _covered(wanted, known)
        weight = sum(share * weight for share, weight in zip(covered, weights, strict=True))
        title = max(1, len(set(terms(document.title))))
        left = tuple(word for word, share in zip(wanted, covered, strict=True) if not share)
        fits.append(_Fit(document, weight / max(sum(weights), 1e-9), sum(covered) / title, left))
    return sorted(fits, key=lambda fit: (-fit.merit, -fit.share))


def _covered(wanted: Sequence[str], known: Iterable[str]) -> list[float]:
    """Similarity of each word of `wanted`, or it with a neighbour, to any of `known`: 0 to 1."""
    known = tuple(known)
    alike = [max((_likeness(word, one) for one in known), default=0.0) for word in wanted]
    for at in range(len(wanted) - 1):
        pair = wanted[at] + wanted[at + 1]
        both = max((_likeness(pair, one) for one in known), default=0.0)
        both = both if both >= PAIR_ALIKE else 0.0
        alike[at], alike[at + 1] = max(alike[at], both), max(alike[at + 1], both)
    return alike


@lru_cache(maxsize=100_000)
def _likeness(word: str, known: str) -> float:
    if word == known:
        return 1.0
    if min(len(word), len(known)) < SHORTEST_ALIKE:
        return 0.0
    return fuzz.ratio(word, known, score_cutoff=ALIKE) / 100


def _unknown(name: str, fits: Sequence[_Fit]) -> str:
    if not fits:
        return "There are no documents yet; add some with assistant documents add."
    nearest = sorted(fits, key=lambda fit: (-fit.merit, -_spelt(name, fit.document.title)))
    titles = list(dict.fromkeys(fit.document.title for fit in nearest))[:NEAREST]
    return f'I have no document "{name}"; the nearest are {joined(titles)}.'


def _no_place(
    place: str, document: DocumentSource, places: Callable[[DocumentSource], Sequence[str]]
) -> str:
    known = [at.split(BELOW)[0] for at in places(document) if at]
    if not known:
        return f'"{document.title}" has no parts; ask for all of it.'
    nearest = sorted(dict.fromkeys(known), key=lambda at: -_spelt(place, at))
    there = joined(nearest[:NEAREST])
    return f'"{document.title}" has no part "{place}"; the nearest are {there}.'


def _spelt(one: str, other: str) -> float:
    """Similarity of two names in spelling, out of 100."""
    return fuzz.partial_ratio(" ".join(terms(one)), " ".join(terms(other)))
