"""A network of words, spelled in the pieces of a language model's vocabulary.

The words that may follow a state, in every form in which they may be written, are one tree of
pieces; so are the phrases of a class, of which there is one wherever the class may stand. Trees are
grown when they are first reached. The price of a place inside a tree is that of its likeliest word,
so that a rare word is not found out too late (Ortmanns, Ney, Eiden and Coenen 1996).
"""

from __future__ import annotations

import heapq
import math
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from assistant.core.constrained.constraint import Options, Places, Way
from assistant.core.constrained.word_network import Arc, WordNetwork
from assistant.core.speakable import ANYTHING

_ANYTHING_PRICE = -3.0
"""What each piece of what may be anything costs."""
_MOST_PLACES = 24
"""Most places of one text: what it may mean beside these is far less likely."""
_NEVER = -math.inf


class _Node:
    """A place in a tree of pieces; `best` is the price of the likeliest word that goes on so."""

    __slots__ = ("best", "ended", "following", "options")

    def __init__(self) -> None:
        self.following: dict[int, _Node] = {}
        self.ended: list[tuple[float, str, int]] = []
        """Price, word and, unless it is of a class, state of each word that ends here."""
        self.best = _NEVER
        self.options: Options | None = None

    def add(self, pieces: Iterable[int], price: float, word: str, target: int) -> None:
        node = self
        node.best = max(node.best, price)
        for piece in pieces:
            node = node.following.setdefault(piece, _Node())
            node.best = max(node.best, price)
        node.ended.append((price, word, target))


class _State(NamedTuple):
    """What may follow a state of the network: words, phrases of classes, anything, or the end."""

    tree: _Node
    classes: Sequence[tuple[float, str, int]]
    """Price, class's word, and the state after it."""
    anything: Sequence[tuple[float, int]]
    end: float
    options: Options


class _Between(NamedTuple):
    """A place between two words."""

    state: int
    paused: bool = False
    """Whether a sign of punctuation stands there."""


class _Inside(NamedTuple):
    """A place inside a word, or inside a phrase that leads to the state `target`."""

    node: _Node
    target: int


class _Anything(NamedTuple):
    """A place inside of what may be anything, after which comes the state `target`."""

    target: int


class PieceNetwork:
    """All sentences of a network of words, as pieces. Implements `Constraint`.

    `classes` are a class's word → its phrases → how often each is said. `encode` gives the pieces
    of a text, which begins with a space, `decode` the text of pieces, and `written` the forms in
    which a spoken phrase may be written. `punctuation` are pieces that may stand between words.
    """

    def __init__(
        self,
        network: WordNetwork,
        classes: Mapping[str, Mapping[str, float]],
        encode: Callable[[str], Sequence[int]],
        decode: Callable[[list[int]], str],
        written: Callable[[str], Iterable[str]],
        punctuation: Sequence[int] = (),
    ) -> None:
        self._start, self._final = network.start, network.final
        self._classes, self._punctuation = classes, punctuation
        self._encode, self._decode, self._written = encode, decode, written
        self._arcs: defaultdict[int, list[Arc]] = defaultdict(list)
        for arc in network.arcs:
            self._arcs[arc.source].append(arc)
        self._states: dict[int, _State] = {}
        self._trees: dict[str, _Node] = {}
        self._spelled: dict[str, tuple[tuple[int, ...], ...]] = {}

    def start(self) -> Places:
        """The places before the first piece."""
        return {_Between(self._start, paused=True): Way(0.0, ())}

    def options(self, places: Places) -> Options:
        """The pieces that may follow, but for those of what may be anything."""
        found = [(self._options(place), way.price) for place, way in places.items()]
        return Options(
            np.concatenate([options.pieces for options, _ in found]),
            np.concatenate([options.prices + np.float32(price) for options, price in found]),
        )

    def opened(self, places: Places) -> float:
        """The price at which any piece may follow; -inf where none may."""
        prices = [way.price + self._anything(place) for place, way in places.items()]
        return max(prices, default=_NEVER) + _ANYTHING_PRICE

    def accept(self, places: Places, piece: int) -> Places:
        """The places after a further piece; none where it may not follow."""
        found: dict[Hashable, Way] = {}
        for place, way in places.items():
            if isinstance(place, _Inside):
                self._enter(found, place.node, piece, way, place.target)
            elif isinstance(place, _Between):
                self._leave(found, place, piece, way)
            elif isinstance(place, _Anything):
                self._go_on(found, place.target, piece, way)
        if len(found) > _MOST_PLACES:
            return dict(heapq.nlargest(_MOST_PLACES, found.items(), key=_likeliest))
        return found

    def ending(self, places: Places) -> Way | None:
        """The sentence that the pieces so far are; None where they are none."""
        ways = [
            Way(way.price + self._state(place.state).end, way.words)
            for place, way in places.items()
            if isinstance(place, _Between) and way.words
        ]
        best = max(ways, default=None, key=lambda way: way.price)
        return best if best is not None and best.price > _NEVER else None

    def text(self, way: Way) -> str:
        """The words of a sentence as they are spoken; what may be anything is as it was written."""
        said: list[str] = []
        pieces: list[int] = []
        for word in (*way.words, ""):
            if isinstance(word, int):
                pieces.append(word)
                continue
            said += [self._decode(pieces).strip(), word]
            pieces = []
        return " ".join(part for part in said if part)

    def _enter(
        self, found: dict[Hashable, Way], node: _Node, piece: int, way: Way, target: int = -1
    ) -> None:
        """Go from a place in a tree to the next one, and behind the words that end there."""
        after = node.following.get(piece)
        if after is None:
            return
        if after.following:
            _keep(found, _Inside(after, target), way)
        for price, word, state in after.ended:
            ended = Way(way.price + price, (*way.words, word))
            _keep(found, _Between(state if target < 0 else target), ended)

    def _leave(self, found: dict[Hashable, Way], place: _Between, piece: int, way: Way) -> None:
        """Go from a place between words into the next one, or past a sign of punctuation."""
        state = self._state(place.state)
        self._enter(found, state.tree, piece, way)
        for price, word, target in state.classes:
            self._enter(found, self._tree(word), piece, Way(way.price + price, way.words), target)
        for price, target in state.anything:
            self._go_on(found, target, piece, Way(way.price + price, way.words))
        if piece in self._punctuation and not place.paused:
            _keep(found, _Between(place.state, paused=True), way)

    @staticmethod
    def _go_on(found: dict[Hashable, Way], target: int, piece: int, way: Way) -> None:
        further = Way(way.price + _ANYTHING_PRICE, (*way.words, piece))
        _keep(found, _Anything(target), further)
        _keep(found, _Between(target), further)

    def _anything(self, place: Hashable) -> float:
        if isinstance(place, _Anything):
            return 0.0
        if isinstance(place, _Between):
            return max((price for price, _ in self._state(place.state).anything), default=_NEVER)
        return _NEVER

    def _options(self, place: Hashable) -> Options:
        if isinstance(place, _Inside):
            return _options_of(place.node)
        if not isinstance(place, _Between):
            return _NONE
        options = self._state(place.state).options
        if place.paused or not self._punctuation:
            return options
        free = np.zeros(len(self._punctuation), np.float32)
        signs = np.array(self._punctuation, np.int32)
        return Options(
            np.concatenate([options.pieces, signs]), np.concatenate([options.prices, free])
        )

    def _state(self, number: int) -> _State:
        if number not in self._states:
            self._states[number] = self._made(number)
        return self._states[number]

    def _made(self, number: int) -> _State:
        words: dict[tuple[str, int], float] = {}
        reached = self._reached(number)
        for source, before in reached.items():
            for arc in self._arcs[source]:
                if arc.word:
                    price = before + math.log(arc.probability)
                    key = arc.word, arc.target
                    words[key] = max(words.get(key, _NEVER), price)
        tree, classes, anything = _Node(), [], []
        for (word, target), price in words.items():
            if word[0] == ANYTHING:
                anything.append((price, target))
            elif word[0] in self._classes:
                classes.append((price, word, target))
            else:
                for pieces in self._spellings(word):
                    tree.add(pieces, price, word, target)
        trees = [(0.0, tree), *((price, self._tree(word)) for price, word, _ in classes)]
        options = [(price, _options_of(node)) for price, node in trees]
        return _State(
            *(tree, classes, anything, reached.get(self._final, _NEVER)),
            Options(
                np.concatenate([these.pieces for _, these in options]),
                np.concatenate([these.prices + np.float32(price) for price, these in options]),
            ),
        )

    def _reached(self, state: int) -> Mapping[int, float]:
        """The states that are reached without a word, with the price of the best way to each."""
        reached = {state: 0.0}
        waiting = [state]
        for source in waiting:  # grows as it is walked
            for arc in self._arcs[source]:
                price = reached[source] + (0.0 if arc.word else math.log(arc.probability))
                if not arc.word and price > reached.get(arc.target, _NEVER):
                    reached[arc.target] = price
                    waiting.append(arc.target)
        return reached

    def _tree(self, word: str) -> _Node:
        """The tree of a class's phrases; `word` is the class's own and the ending of them all."""
        if word not in self._trees:
            tree = _Node()
            phrases = self._classes[word[0]]
            whole = sum(phrases.values())
            for phrase, often in phrases.items():
                for pieces in self._spellings(phrase + word[1:]):
                    tree.add(pieces, math.log(often / whole), phrase + word[1:], -1)
            self._trees[word] = tree
        return self._trees[word]

    def _spellings(self, phrase: str) -> tuple[tuple[int, ...], ...]:
        if phrase not in self._spelled:
            forms = dict.fromkeys(self._written(phrase))
            self._spelled[phrase] = tuple({tuple(self._encode(form)): None for form in forms})
        return self._spelled[phrase]


_NONE = Options(np.zeros(0, np.int32), np.zeros(0, np.float32))


def _options_of(node: _Node) -> Options:
    if node.options is None:
        following = node.following
        node.options = Options(
            np.fromiter(following, np.int32, len(following)),
            np.fromiter((after.best for after in following.values()), np.float32, len(following)),
        )
    return node.options


def _keep(found: dict[Hashable, Way], place: Hashable, way: Way) -> None:
    known = found.get(place)
    if known is None or way.price > known.price:
        found[place] = way


def _likeliest(item: tuple[Hashable, Way]) -> float:
    place, way = item
    return way.price + (place.node.best if isinstance(place, _Inside) else 0.0)
