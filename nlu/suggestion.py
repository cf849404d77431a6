"""Finds the example sentence nearest to a text that nothing claims.

A word weighs more the fewer intents use it (inverse document frequency). The score is the cosine
of the two weighted word sets.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping

from rapidfuzz import fuzz, process

from assistant.english.stems import singular
from nlu.text.canonical import Canonical, canonical, without_politeness

_NEAR_ENOUGH = 0.4
_MISHEARD = 85.0
_COMMON = 0.5
_LONGEST_TEXT = 40


class Suggestion:
    """An index of example sentences by the words that distinguish intents."""

    def __init__(self, examples: Mapping[str, Iterable[str]]) -> None:
        """Index the example sentences of each intent."""
        intents_with: defaultdict[str, set[str]] = defaultdict(set)
        self._examples: list[str] = []
        for intent, sentences in examples.items():
            for sentence in sorted(set(sentences)):
                self._examples.append(sentence)
                for word in _words(canonical(sentence)):
                    intents_with[word].add(intent)
        count = len(examples) + 1
        self._unknown = math.log(count)
        self._weights = {
            word: math.log(count / len(intents)) if len(intents) <= max(1, _COMMON * count) else 0
            for word, intents in sorted(intents_with.items())
        }
        self._with: dict[str, list[tuple[int, float]]] = {word: [] for word in self._weights}
        for index, sentence in enumerate(self._examples):
            words = [word for word in sorted(_words(canonical(sentence))) if self._weights[word]]
            norm = math.sqrt(sum(self._weights[word] ** 2 for word in words))
            for word in words:
                self._with[word].append((index, self._weights[word] ** 2 / norm))

    def __call__(self, said: Canonical) -> str:
        """The sentence nearest to a text, "" when none is near."""
        words = {self._known(word) for word in sorted(_words(said))[:_LONGEST_TEXT]}
        square = sum(self._weights.get(word, self._unknown) ** 2 for word in words)
        scores: dict[int, float] = {}
        for word in sorted(words):
            for index, share in self._with.get(word, ()):
                scores[index] = scores.get(index, 0.0) + share
        best = max(scores, key=lambda index: (scores[index], -index), default=None)
        if best is None or scores[best] < _NEAR_ENOUGH * math.sqrt(square):
            return ""
        return self._examples[best]

    def _known(self, word: str) -> str:
        """The examples' word that a misheard or misspelt word stands for, or the word itself."""
        if word in self._weights or len(word) < 4:
            return word
        found = process.extractOne(
            word, self._weights.keys(), scorer=fuzz.ratio, score_cutoff=_MISHEARD
        )
        return found[0] if found else word


def _words(said: Canonical) -> frozenset[str]:
    return frozenset(singular(token.text) for token in without_politeness(said).tokens)
