"""Which tokens may come next, so that a reply says every one of its facts, and no others.

Words are paths of tokens in a tree. Every lower-case word is allowed, because the words around the
values are not in the prompt. Numbers and capitalized words must be those of the values and of the
facts' names, or come from a closed list of words that begin sentences. A value of several words is
one path. What has been said is not said again, and no reply ends before everything is said.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from assistant.answer.generation.prompt import Mark, Notation, Prompt
from assistant.english.contractions import CONTRACTED
from assistant.english.stop_words import COMMON, POLITE

Mask = NDArray[np.bool_]
_SPACE = "Ġ"
"""How byte-level BPE writes the space before a word."""
_CLOSING = frozenset(".,?!:;") | CONTRACTED
_ENDING = frozenset(".?!")
_BARE = ".,;:!?()[]\"'“”’"
_LETTERS = re.compile(r"[a-z]+")
_OPENERS = COMMON | POLITE
"""Words that state nothing; a sentence may begin with any of them, then with a capital."""


def missing(text: str, values: Sequence[str]) -> list[str]:
    """The values that `text` does not hold as separate words, each in a place of its own.

    So the 2 of "275 Main Street" is not a fact's "2", and two facts of "2" are said twice.
    """
    left, unsaid = text.lower(), []
    for value in sorted(values, key=len, reverse=True):
        found = re.search(rf"(?<!\w){re.escape(' '.join(value.lower().split()))}(?!\w)", left)
        if found is None:
            unsaid.append(value)
        else:
            # The replacement is no word and joins no two words.
            left = f"{left[: found.start()]}|{left[found.end() :]}"
    return unsaid


@dataclass
class Node:
    """A place in the tree of words."""

    below: dict[int, Node] = field(default_factory=dict)
    whole: bool = False
    """Whether a word ends here."""

    def add(self, ids: Sequence[int]) -> None:
        """Add one word's tokens."""
        node = self
        for token in ids:
            node = node.below.setdefault(token, Node())
        node.whole = True


class Tokens:
    """What each token of a vocabulary is; computed once."""

    def __init__(self, notation: Notation) -> None:
        self.notation = notation
        self.size = notation.tokenizer.get_vocab_size()
        texts = [notation.tokenizer.id_to_token(n) or "" for n in range(self.size)]
        self.texts = texts
        self.closing = self._which(text in _CLOSING for text in texts)
        self.lower_start = self._which(
            t.startswith(_SPACE) and bool(_LETTERS.fullmatch(t[1:])) for t in texts
        )
        self.lower = self._which(bool(_LETTERS.fullmatch(text)) for text in texts)
        self.end = notation.marks[Mark.END]
        self.openers = Node()
        for word in _OPENERS:
            self.openers.add(notation.text_ids(word.capitalize()))

    def _which(self, found: Iterable[bool]) -> Mask:
        return np.fromiter(found, np.bool_, self.size)


class Constraint:
    """The state of one reply: `allowed` gives the tokens now, `take` accepts the chosen one."""

    def __init__(
        self, tokens: Tokens, prompt: Prompt, required: Sequence[str], weight: float
    ) -> None:
        """`required` are the values of the prompt's facts that the reply must hold.

        `weight` is added to the scores of what still must be said: a higher one says more of it, a
        lower one sounds more natural.
        """
        self.weight = weight
        self._tokens, self._required = tokens, required
        self.room = sum(len(tokens.notation.text_ids(value)) for value in required)
        """Number of tokens in the values."""
        self._names = Node()
        for mark, text in prompt:
            if mark is not Mark.IS:
                self._add(text)
        self._unsaid = list(required)
        self._values = self._tree()
        self._said: list[int] = []
        self._places: list[Node] = []
        """Nodes that the last tokens lead to in words that are not free …"""
        self._begun: list[Node] = []
        """… and those of them in values that are still to be said."""
        self._in_free_word = False
        self._between = True
        """Whether the reply stands between two words."""

    def allowed(self) -> Mask:
        """bool[vocabulary]: the tokens that may come next."""
        tokens = self._tokens
        mask = np.zeros(tokens.size, np.bool_)
        for place in self._places:
            mask[list(place.below)] = True
        if self._in_free_word:
            mask |= tokens.lower
        if self._between:
            for root in self._roots():
                mask[list(root.below)] = True
            mask |= tokens.lower_start
            if self._said and not tokens.closing[self._said[-1]]:
                mask |= tokens.closing
            mask[tokens.end] = self._may_end()
        return mask

    def leaning(self) -> list[int]:
        """Tokens that continue a value, or, if none was begun, that start one of those still to be
        said.

        No others are preferred in the middle of a value, or it would be left for another one.
        """
        goes_on = [token for place in self._begun for token in place.below]
        return goes_on or (list(self._values.below) if self._between else [])

    def take(self, token: int) -> None:
        """Continue after `token`, which was allowed."""
        tokens, between = self._tokens, self._between
        closes = between and bool(tokens.closing[token])
        self._begun = _behind([*self._begun, *([self._values] if between else ())], token)
        self._places = _behind([*self._places, *(self._roots() if between else ())], token)
        goes_on = self._in_free_word and tokens.lower[token]
        self._in_free_word = bool(goes_on or (between and tokens.lower_start[token]))
        whole = any(place.whole for place in self._places)
        self._between = closes or self._in_free_word or whole
        self._said.append(token)
        self._strike()

    def _roots(self) -> tuple[Node, ...]:
        return self._values, self._names, self._tokens.openers

    def _strike(self) -> None:
        """Remove what has been said by now; a value that was begun continues."""
        unsaid = missing(self._tokens.notation.text(self._said), self._required)
        if unsaid != self._unsaid:
            self._unsaid = unsaid
            self._values = self._tree()

    def _tree(self) -> Node:
        """The values still to be said, as they are and as they begin a sentence."""
        tree = Node()
        for value in self._unsaid:
            for form in (value, value[:1].upper() + value[1:]):
                tree.add(self._tokens.notation.text_ids(form))
        return tree

    def _may_end(self) -> bool:
        ended = bool(self._said) and self._tokens.texts[self._said[-1]] in _ENDING
        return ended and not self._unsaid

    def _add(self, text: str) -> None:
        """Add the words of a fact's name that are not free, as they are and capitalized."""
        for chunk in text.split():
            bare = chunk.strip(_BARE)
            for form in {chunk, bare, bare.capitalize(), *re.split(r"[-/–—]", bare)}:
                if form:
                    self._names.add(self._tokens.notation.text_ids(form))


def _behind(places: Iterable[Node], token: int) -> list[Node]:
    return [place.below[token] for place in places if token in place.below]
