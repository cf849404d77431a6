"""Tells how likely a text is in the domain: as one of its sentences, and to end there."""

from __future__ import annotations

import math
from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from audio.asr.domain import FILLERS

_NO_WORD = 0


class Likelihood:
    """The domain's word network (a file in Sphinx's FSG format), walked along a text.

    The network knows how often what is said goes on: it was made of sentences weighed by usage, and
    of what this home has.
    """

    def __init__(self, network: Path) -> None:
        self._words = {"": _NO_WORD}
        self._start = self._final = 0
        # Tens of thousands of arcs take 8 MB as tuples, and half a MB as arrays.
        columns = array("i"), array("i"), array("i"), array("f")
        with network.open(encoding="utf-8") as lines:
            for line in lines:
                self._read(columns, *line.split())
        sources, targets, said, shares = (np.array(column) for column in columns)
        states = max(int(sources.max(initial=0)), int(targets.max(initial=0))) + 1
        _say_at_once(states, sources, targets, said, shares)
        order = np.argsort(sources, kind="stable")
        self._targets, self._said, self._shares = targets[order], said[order], shares[order]
        self._first = np.searchsorted(sources[order], np.arange(states + 1))
        self._open = self._phones_inside(sources[order])

    def of_ending(self, text: str) -> float:
        """How likely a sentence that begins with `text` ends there: 0 for no sentence's words."""
        places = self._after(text)
        begun = sum(places.values())
        return self._reached(places).get(self._final, 0.0) / begun if text and begun else 0.0

    def of(self, text: str) -> float:
        """The natural logarithm of how likely a sentence begins with `text`; -inf for none."""
        begun = sum(self._after(text).values())
        return math.log(begun) if begun > 0.0 else -math.inf

    def fits(self, text: str) -> bool:
        """Whether a text is a sentence in which anything may stand, with any words there."""
        known, opened = {self._start}, set[int]()
        for word in text.split():
            number = self._words.get(word)
            known, opened = self._all_reached(known), self._all_reached(opened)
            entered = self._after_anything(known | opened)
            known, opened = self._after_word(known, number), self._after_word(opened, number)
            opened |= entered
        return self._final in self._all_reached(opened)

    def opens(self, text: str) -> bool:
        """Whether anything may stand after the first words of a text."""
        places = self._all_reached({self._start})
        for word in text.split():
            number = self._words.get(word)
            places = self._all_reached(self._after_word(places, number))
            if not self._open.keys().isdisjoint(places):
                return True
        return False

    def _all_reached(self, places: Iterable[int]) -> set[int]:
        return set(self._reached(dict.fromkeys(places, 1.0)))

    def _after_word(self, places: Iterable[int], number: int | None) -> set[int]:
        return {target for place in places for target, _ in self._arcs(place, number)}

    def _after_anything(self, places: Iterable[int]) -> set[int]:
        return {target for place in places for target in self._open.get(place, ())}

    def _phones_inside(self, sources: NDArray[np.int32]) -> Mapping[int, set[int]]:
        """The states of phones inside sentences, with what follows one; before, they are talk."""
        before = self._reached({self._start: 1.0})
        phones = [number for word, number in self._words.items() if word in FILLERS]
        found: defaultdict[int, set[int]] = defaultdict(set)
        for arc in np.flatnonzero(np.isin(self._said, phones)):
            if int(sources[arc]) not in before:
                found[int(sources[arc])].add(int(self._targets[arc]))
        return dict(found)

    def _after(self, text: str) -> Mapping[int, float]:
        """The states after a text, each with the probability of its ways from the start."""
        places: Mapping[int, float] = {self._start: 1.0}
        for word in text.split():
            following: defaultdict[int, float] = defaultdict(float)
            for place, share in self._reached(places).items():
                for target, probability in self._arcs(place, self._words.get(word)):
                    following[target] += share * probability
            places = following
        return places

    def _read(
        self, columns: tuple[array[int] | array[float], ...], kind: str, *values: str
    ) -> None:
        match kind, values:
            case "TRANSITION", (source, target, probability, *word):
                number = self._words.setdefault("".join(word), len(self._words))
                arc = (int(source), int(target), number, float(probability))
                for column, value in zip(columns, arc, strict=True):
                    column.append(value)  # type: ignore[arg-type]
            case "START_STATE", (state,):
                self._start = int(state)
            case "FINAL_STATE", (state,):
                self._final = int(state)

    def _arcs(self, place: int, word: int | None) -> Iterator[tuple[int, float]]:
        """The arcs from a state that say a word, as targets with their probabilities."""
        if word is None or place + 1 >= len(self._first):
            return
        first, end = self._first[place], self._first[place + 1]
        for arc in first + np.flatnonzero(self._said[first:end] == word):
            yield int(self._targets[arc]), float(self._shares[arc])

    def _reached(self, places: Mapping[int, float]) -> Mapping[int, float]:
        """The places that are reached without a further word, these ones among them."""
        reached = defaultdict(float, places)
        waiting = list(places.items())
        for place, share in waiting:  # grows as it is walked
            for target, probability in self._arcs(place, _NO_WORD):
                reached[target] += share * probability
                waiting.append((target, share * probability))
        return reached


def _say_at_once(
    states: int,
    sources: NDArray[np.int32],
    targets: NDArray[np.int32],
    said: NDArray[np.int32],
    shares: NDArray[np.float32],
) -> None:
    """Let an arc without a word to a state with one arc, which is surely said, be that arc.

    They are many where a network is shared, and each is a step more to walk.
    """
    alone = (np.bincount(sources, minlength=states)[sources] == 1) & (shares == 1.0)
    only = np.full(states, -1)
    only[sources[alone & (said != _NO_WORD)]] = np.flatnonzero(alone & (said != _NO_WORD))
    leading = np.flatnonzero((said == _NO_WORD) & (only[targets] >= 0))
    following = only[targets[leading]]
    said[leading], targets[leading] = said[following], targets[following]
