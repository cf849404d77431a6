"""Finds the home's names in a text: as written, with words in between, misspelt, or misheard.

| found how              | example for "Bedroom Lamp", "John"    | likeness |
|------------------------|---------------------------------------|----------|
| word for word          | the bedroom lamp                      | 1        |
| its words, separated   | the lamp in the bedroom               | 0.9      |
| spelt nearly the same  | bedroom lamb                          | up to 1  |
| sounding the same      | jon                                   | 0.85     |
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Generic, NamedTuple, TypeVar

import jellyfish
import numpy as np
from rapidfuzz import fuzz, process

from assistant.english.stems import singular, without_possessive
from nlu.text.canonical import canonical

_APART = 0.9
_ALIKE = 0.8
"""Least similarity of the spelling (Indel ratio)."""
_SOUNDING = 0.85
_PLURAL = 0.8
"""Likeness of a name that differs by an ending. The "kitchen lights" are more likely all lights of
the kitchen than the kitchen light."""
_ALIKE_IN_SOUND = 0.6
"""Least similarity of the spelling where both sound the same, whose vowels do not count: "hot" is
no "heat"."""
_SHORTEST_ALIKE = 4
"""Fewest letters of a name that is searched by likeness: most short words are alike."""

_REMEMBERED = 4096
"""Most words, and groups of them, of which the sound is kept: parts of a text share them."""

Thing = TypeVar("Thing")


class NameMatch(NamedTuple, Generic[Thing]):
    """A thing that the tokens `at` of a text name, and how well they fit it, from 0 to 1."""

    thing: Thing
    at: frozenset[int]
    likeness: float


@dataclass(frozen=True)
class _Name(Generic[Thing]):
    tokens: tuple[str, ...]
    text: str
    sound: str
    thing: Thing


class Gazetteer(Generic[Thing]):
    """Things by their names."""

    def __init__(self, names: Iterable[tuple[str, Thing]]) -> None:
        self._names: list[_Name[Thing]] = []
        for written, thing in names:
            tokens = tuple(token.text for token in canonical(written).tokens)
            if tokens:
                text = " ".join(tokens)
                self._names.append(_Name(tokens, text, _sound(text), thing))
        self._texts = [name.text for name in self._names]
        self._places: defaultdict[tuple[str, ...], list[int]] = defaultdict(list)
        for place, name in enumerate(self._names):
            self._places[name.tokens].append(place)
        self._longest = max((len(name.tokens) for name in self._names), default=0)

    def find(self, tokens: Sequence[str]) -> list[NameMatch[Thing]]:
        """Every thing that canonical words name, the best reading of each place first."""
        tokens = [without_possessive(token) for token in tokens]
        found = [*self._exactly(tokens), *self._apart(tokens), *self._nearly(tokens)]
        return sorted(found, key=lambda n: (-n.likeness, -len(n.at)))

    def exactly(self, tokens: Sequence[str]) -> list[frozenset[int]]:
        """The places where something is named word for word."""
        return [named.at for named in self._exactly(tokens)]

    def _exactly(self, tokens: Sequence[str]) -> Iterator[NameMatch[Thing]]:
        words = tuple(tokens)
        found = sorted(
            (place, start, end)
            for start in range(len(words))
            for end in range(start + 1, min(start + self._longest, len(words)) + 1)
            for place in self._places.get(words[start:end], ())
        )
        for place, start, end in found:
            yield NameMatch(self._names[place].thing, frozenset(range(start, end)), 1.0)

    def _apart(self, tokens: Sequence[str]) -> Iterator[NameMatch[Thing]]:
        places = {token: i for i, token in reversed(list(enumerate(tokens)))}
        for name in self._names:
            if len(name.tokens) > 1 and all(token in places for token in name.tokens):
                yield NameMatch(name.thing, frozenset(places[t] for t in name.tokens), _APART)

    def _nearly(self, tokens: Sequence[str]) -> Iterator[NameMatch[Thing]]:
        longest = self._longest + 1
        windows = [
            (start, end)
            for start in range(len(tokens))
            for end in range(start + 1, min(start + longest, len(tokens)) + 1)
        ]
        texts = [" ".join(tokens[start:end]) for start, end in windows]
        if not texts or not self._texts:
            return
        alike = process.cdist(
            self._texts, texts, scorer=fuzz.ratio, score_cutoff=100 * _ALIKE, dtype=np.uint8
        )
        sounding: defaultdict[str, list[int]] = defaultdict(list)
        for at, text in enumerate(texts):
            sounding[_sound(text)].append(at)
        for name, scores in zip(self._names, alike, strict=True):
            if len(name.text) < _SHORTEST_ALIKE:
                continue
            same = sounding.get(name.sound, ())
            for at in sorted({*np.flatnonzero(scores).tolist(), *same}):
                likeness = scores[at] / 100 if scores[at] < 100 else 0.0
                if likeness and _bare(name.text) == _bare(texts[at]):
                    likeness = _PLURAL
                if at in same and fuzz.ratio(name.text, texts[at]) >= 100 * _ALIKE_IN_SOUND:
                    likeness = max(likeness, _SOUNDING)
                if likeness:
                    start, end = windows[at]
                    yield NameMatch(name.thing, frozenset(range(start, end)), likeness)


@lru_cache(maxsize=_REMEMBERED)
def _bare(text: str) -> str:
    """The text without the ending of its last word: "Anna's" and "lamps" are "Anna" and "lamp"."""
    return singular(without_possessive(text))


@lru_cache(maxsize=_REMEMBERED)
def _sound(text: str) -> str:
    return jellyfish.metaphone(text).replace(" ", "") or text
