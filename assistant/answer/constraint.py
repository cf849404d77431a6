"""Which tokens may come next, so that a reply is made of its prompt's words.

Words are paths of tokens in a tree. A reply's words are those of the prompt, in the forms that
English gives them, and those that state nothing (`wording.ALLOWED`). When facts are to be said,
every lower-case word is free, for what is said around values is not in the prompt; numbers and
capitals stay bound, a value of several words is one path, and no reply ends before all are said.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from assistant.answer.prompt import Mark, Notation, Prompt
from assistant.answer.wording import ALLOWED, forms

Mask = NDArray[np.bool_]
_SPACE = "Ġ"
"""How byte-level BPE writes the space before a word."""
_CLOSING = frozenset((".", ",", "?", "!", ":", ";", "'s", "'t", "'d", "'ll", "'re", "'ve", "'m"))
_ENDING = frozenset(".?!")
_BARE = ".,;:!?()[]\"'“”’"
_LETTERS = re.compile(r"[a-z]+")

LEANING = 11.0
"""What is added to the scores of what must be said and has not been. Chosen on dev: more says more
of it, less says it more naturally."""


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
    """What each token of a vocabulary is; made once."""

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
        self.allowed = Node()
        self._spelt: dict[str, list[int]] = {}
        for word in ALLOWED:
            for form in (word, word.capitalize()):
                self.allowed.add(notation.text_ids(form))

    def _which(self, found: Iterable[bool]) -> Mask:
        return np.fromiter(found, np.bool_, self.size)


class Constraint:
    """The state of one reply: `allowed` tokens now, then `take` the one that was chosen."""

    def __init__(
        self,
        tokens: Tokens,
        prompt: Prompt,
        required: Sequence[str] = (),
        weight: float = LEANING,
    ) -> None:
        """With `required` values the prompt is of facts, without of a document's sentences."""
        self.weight = weight
        self._tokens, self._required = tokens, required
        self._wanted = required or [text for mark, text in prompt if mark is Mark.IS]
        self._free = bool(required)
        self._own = Node()
        for text in required or (text for _, text in prompt):
            self._add(text, whole=self._free)
        if self._free:
            for mark, text in prompt:
                if mark is not Mark.IS:
                    self._add(text, whole=False)
        self._values = Node()
        for value in self._wanted:
            self._spell(self._values, value)
        self._begun: list[Node] = []
        """Where in the values that are wanted the last tokens lead."""
        self._said: list[int] = []
        self._places: list[Node] = []
        self._in_free_word = False

    def allowed(self) -> Mask:
        """bool[vocabulary]: what may come next."""
        tokens = self._tokens
        mask = np.zeros(tokens.size, np.bool_)
        for place in self._places:
            mask[list(place.below)] = True
        if self._in_free_word:
            mask |= tokens.lower
        if self._whole():
            mask[list(self._own.below)] = True
            mask[list(tokens.allowed.below)] = True
            if self._free:
                mask |= tokens.lower_start
            if self._said and not self._closed():
                mask |= tokens.closing
            mask[tokens.end] = self._may_end()
        return mask

    def take(self, token: int) -> None:
        """Go on behind a token that was allowed."""
        tokens = self._tokens
        further = _behind(self._places, token)
        self._begun = _behind([*self._begun, *([self._values] if self._whole() else ())], token)
        if self._whole():
            roots = (self._own, tokens.allowed)
            further += _behind(roots, token)
        free = tokens.lower[token] if self._in_free_word else False
        self._in_free_word = bool(free or (self._free and tokens.lower_start[token]))
        self._places = further
        self._said.append(token)

    def _whole(self) -> bool:
        """Whether no word is half said."""
        if not self._said or self._closed() or self._in_free_word:
            return True
        return any(place.whole for place in self._places)

    def _closed(self) -> bool:
        return bool(self._said) and bool(self._tokens.closing[self._said[-1]])

    def _may_end(self) -> bool:
        if not self._said or self._tokens.texts[self._said[-1]] not in _ENDING:
            return False
        return not self.missing()

    def leaning(self) -> list[int]:
        """What values, or an answer, that are still to be said begin with, or go on with."""
        goes_on = [token for place in self._begun for token in place.below]
        if not self._whole():
            return goes_on
        encode = self._tokens.notation.text_ids
        return [*goes_on, *(encode(value)[0] for value in self._unsaid(self._wanted))]

    def missing(self) -> list[str]:
        """The required values that have not been said yet."""
        return self._unsaid(self._required)

    def _unsaid(self, values: Sequence[str]) -> list[str]:
        said = self._tokens.notation.text(self._said).lower()
        return [value for value in values if value.lower() not in said]

    def _spell(self, tree: Node, value: str) -> None:
        """A value as it is, and as it begins a sentence."""
        for form in (value, value[:1].upper() + value[1:]):
            tree.add(self._tokens.notation.text_ids(form))

    def _add(self, text: str, whole: bool) -> None:
        encode = self._tokens.notation.text_ids
        if whole:
            self._spell(self._own, text)
            return
        for chunk in text.split():
            bare = chunk.strip(_BARE)
            shapes = {chunk, bare, bare.removesuffix("'s")}
            if _LETTERS.fullmatch(bare.lower()):
                shapes |= forms(bare.lower()) if bare.islower() else {bare.lower()} - {bare}
                shapes |= {bare.lower().capitalize()} if bare.islower() else set()
            else:
                shapes |= set(re.split(r"[-/–—]", bare))
            for shape in shapes:
                if shape:
                    self._own.add(encode(shape))


def _behind(places: Iterable[Node], token: int) -> list[Node]:
    return [place.below[token] for place in places if token in place.below]
