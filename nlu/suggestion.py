"""Finds the hint nearest to a text that nothing claims.

Hints are plain sentences about what there is in this home. A hint must share words with the text
and be near in meaning. A word weighs more the fewer hints use it (inverse document frequency), and
the score is the cosine of the two weighted word sets; the sentence encoder tells the meaning.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import islice

from rapidfuzz import fuzz, process

from assistant.english.commands.hints import HINTS, HINTS_OF_AREA, HINTS_OF_DOMAIN
from assistant.english.spoken import with_article
from assistant.english.stems import singular
from assistant.skill.home import Home
from nlu.grammar.templates import Templates
from nlu.text.canonical import Canonical, canonical, without_politeness

Likeness = Callable[[Canonical, Sequence[str]], Sequence[float]]
"""How near sentences are to a text in meaning, from 0, for another meaning, to 1 each."""

_NEAR_ENOUGH = 0.4
_MISHEARD = 85.0
_COMMON = 0.5
_LONGEST_TEXT = 40
_MOST_LOOKED_UP = 12
_COMPARED = 5
"""Most hints whose meaning is compared."""


def hints(templates: Templates) -> list[str]:
    """All hints for the home of these sentences, each once.

    Some may be for what its skills do not do; those that are near a text are looked up then.
    """
    of_home = [list(those) for those in _of_home(templates.home)]
    covered = frozenset(templates.served(those[0]) for those in of_home if those)
    every = (hint for those in of_home for hint in those)
    return list(dict.fromkeys((*every, *templates.plain_examples(covered))))


class Suggestion:
    """An index of hints by the words that tell them apart."""

    def __init__(
        self, hints: Iterable[str], served: Callable[[str], object] = lambda hint: True
    ) -> None:
        """Index the hints; only those that are `served` by a skill are given."""
        self._hints, self._served = list(hints), lru_cache(maxsize=None)(served)
        words = [_words(canonical(hint)) for hint in self._hints]
        used = Counter(word for each in words for word in each)
        count = len(self._hints) + 1
        self._unknown = math.log(count)
        self._weights = {
            word: math.log(count / number) if number <= max(1, _COMMON * count) else 0
            for word, number in sorted(used.items())
        }
        self._with: dict[str, list[tuple[int, float]]] = {word: [] for word in self._weights}
        for index, each in enumerate(words):
            weighty = [word for word in sorted(each) if self._weights[word]]
            norm = math.sqrt(sum(self._weights[word] ** 2 for word in weighty))
            for word in weighty:
                self._with[word].append((index, self._weights[word] ** 2 / norm))

    def __call__(self, said: Canonical, likeness: Likeness | None = None) -> str:
        """The hint nearest to a text, "" when none is near; by words alone without `likeness`."""
        sharing = filter(self._served, self._sharing_words(said)[:_MOST_LOOKED_UP])
        near = list(islice(sharing, _COMPARED))
        if likeness is None or not near:
            return next(iter(near), "")
        nearest, hint = max(zip(likeness(said, near), near, strict=True), key=lambda pair: pair[0])
        return hint if nearest else ""

    def _sharing_words(self, said: Canonical) -> list[str]:
        """The hints that share enough words with a text, the nearest first."""
        words = {self._known(word) for word in sorted(_words(said))[:_LONGEST_TEXT]}
        square = sum(self._weights.get(word, self._unknown) ** 2 for word in words)
        scores: dict[int, float] = {}
        for word in sorted(words):
            for index, share in self._with.get(word, ()):
                scores[index] = scores.get(index, 0.0) + share
        least = _NEAR_ENOUGH * math.sqrt(square)
        enough = (index for index, score in scores.items() if score >= least)
        return [self._hints[i] for i in sorted(enough, key=lambda i: (-scores[i], i))]

    def _known(self, word: str) -> str:
        """The hints' word that a misheard or misspelt word stands for, or the word itself."""
        if word in self._weights or len(word) < 4:
            return word
        found = process.extractOne(
            word, self._weights.keys(), scorer=fuzz.ratio, score_cutoff=_MISHEARD
        )
        return found[0] if found else word


def _of_home(home: Home) -> Iterator[Iterator[str]]:
    """The hints for a home; those that differ in the name alone are together."""
    yield from (iter((hint,)) for hint in HINTS)
    lit = {entity.area for entity in home.entities if entity.domain == "light"}
    rooms = [area.name for area in home.areas if area.id in lit]
    yield from ((_filled(hint, name) for name in rooms) for hint in HINTS_OF_AREA)
    for domain, those in HINTS_OF_DOMAIN.items():
        names = [entity.name for entity in home.entities if entity.domain == domain]
        yield from ((_filled(hint, name) for name in names) for hint in those)


def _filled(hint: str, name: str) -> str:
    """A hint about what has this name; "the" does not stand before "Anna's lamp"."""
    said = with_article(name).casefold()
    return hint.replace("the {}", "{}").format(said if "the {}" in hint else name.casefold())


def _words(said: Canonical) -> frozenset[str]:
    return frozenset(singular(token.text) for token in without_politeness(said).tokens)
