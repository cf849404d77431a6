"""Tells from the words so far how likely it is that a sentence of the domain ends with them."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

_Arcs = dict[str, list[tuple[int, float]]]


class Ending:
    """The domain's word network (a file in Sphinx's FSG format), walked along a text.

    The network knows how often what is said goes on: it was made of sentences weighed by usage, and
    of what this home has.
    """

    def __init__(self, network: Path) -> None:
        self._from: dict[int, _Arcs] = {}
        self._start = self._final = 0
        with network.open(encoding="utf-8") as lines:
            for line in lines:
                self._read(*line.split())

    def likely(self, text: str) -> float:
        """How likely a sentence that begins with `text` ends there: 0 for no sentence's words."""
        places = {self._start: 1.0}
        for word in text.split():
            following: defaultdict[int, float] = defaultdict(float)
            for place, share in self._reached(places).items():
                for target, probability in self._from.get(place, {}).get(word, ()):
                    following[target] += share * probability
            places = following
        begun = sum(places.values())
        return self._reached(places).get(self._final, 0.0) / begun if text and begun else 0.0

    def _read(self, kind: str, *values: str) -> None:
        match kind, values:
            case "TRANSITION", (source, target, probability, *word):
                arcs = self._from.setdefault(int(source), {})
                arc = (int(target), float(probability))
                arcs.setdefault(word[0] if word else "", []).append(arc)
            case "START_STATE", (state,):
                self._start = int(state)
            case "FINAL_STATE", (state,):
                self._final = int(state)

    def _reached(self, places: dict[int, float]) -> dict[int, float]:
        """The places that are reached without a further word, these ones among them."""
        reached = defaultdict(float, places)
        waiting = list(places.items())
        for place, share in waiting:  # grows as it is walked
            for target, probability in self._from.get(place, {}).get("", ()):
                reached[target] += share * probability
                waiting.append((target, share * probability))
        return reached
