"""The example sentence nearest to a text that nothing claims.

Words weigh by how few intents use them (inverse document frequency); the score is the cosine of
the two weighted word sets.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

from rapidfuzz import fuzz, process

from nlu.normalize import canonical, wish

_NEAR_ENOUGH = 0.4
_MISHEARD = 85.0
_LONGEST_TEXT = 40


class Nearest:
    """An index of example sentences by their words."""

    def __init__(self, examples: Mapping[str, Iterable[str]]) -> None:
        """Index the example sentences of each intent."""
        self._examples: list[str] = []
        words_of: list[frozenset[str]] = []
        intents_with: defaultdict[str, set[str]] = defaultdict(set)
        for intent, sentences in examples.items():
            for sentence in sorted(set(sentences)):
                words = _words(sentence)
                self._examples.append(sentence)
                words_of.append(words)
                for word in words:
                    intents_with[word].add(intent)
        most = len(examples) + 1
        self._weights = {w: math.log(most / len(i)) + 0.1 for w, i in sorted(intents_with.items())}
        self._unknown = math.log(most) + 0.1
        self._with: defaultdict[str, list[int]] = defaultdict(list)
        for index, words in enumerate(words_of):
            for word in words:
                self._with[word].append(index)
        self._norms = [math.sqrt(sum(self._weights[w] ** 2 for w in words)) for words in words_of]

    def __call__(self, text: str) -> str:
        """The sentence nearest to `text`, "" when none is near."""
        words = {self._known(word) for word in sorted(_words(text))[:_LONGEST_TEXT]}
        scores: Counter[int] = Counter()
        square = 0.0
        for word in sorted(words):
            weight = self._weights.get(word, self._unknown)
            square += weight**2
            for index in self._with.get(word, ()):
                scores[index] += weight**2  # type: ignore[assignment]
        best, score = "", _NEAR_ENOUGH * math.sqrt(square)
        for index, shared in sorted(scores.items()):
            if shared / self._norms[index] > score:
                best, score = self._examples[index], shared / self._norms[index]
        return best

    def _known(self, word: str) -> str:
        """The word of the examples that a misheard or misspelt one stands for, or itself."""
        if word in self._weights or len(word) < 4:
            return word
        found = process.extractOne(
            word, self._weights.keys(), scorer=fuzz.ratio, score_cutoff=_MISHEARD
        )
        return found[0] if found else word


def _words(text: str) -> frozenset[str]:
    return frozenset(word.removesuffix("s") for word in wish(canonical(text)).text.split())
