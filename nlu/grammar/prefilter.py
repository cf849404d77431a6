"""Selects the sentences that can match a text at all, by the words that each one requires.

A sentence is skipped only when it cannot match, so no match is lost. This extends hassil's required
fragments to lists: "is {name} locked" cannot match a text that names no lock.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from hassil.expression import Alternative, Expression, Group, ListReference, Sentence, TextChunk
from hassil.intents import (
    Intent,
    IntentData,
    Intents,
    RangeSlotList,
    SlotList,
    TextSlotList,
    TextSlotValue,
)

from nlu.grammar.claim import Claim
from nlu.grammar.edges import Edges

Clause = frozenset[str]
"""Fragments of which a text must contain at least one; "{NAME}" stands for a list's value."""

_ALWAYS: frozenset[Clause] = frozenset()
_DIGIT = "0123456789"
_EVERYWHERE = frozenset(("a", "an", "and", "of", "the"))
"""Words of which nearly every text holds the letters."""
_MOST_SPELT = 10_000
"""Most words whose spelling is remembered."""


@dataclass(frozen=True)
class BoundData(IntentData):
    """hassil's block of sentences, already parsed."""

    bound: tuple[Sentence, ...] = ()

    @property
    def sentences(self) -> list[Sentence]:
        """The canonical sentences."""
        return list(self.bound)


class _Needing(NamedTuple):
    """A sentence and what a text needs to match it."""

    claim: int
    sentence: Sentence
    words: tuple[Clause, ...]
    lists: tuple[Clause, ...]
    """The clauses that a value of a list meets."""

    @property
    def clauses(self) -> tuple[Clause, ...]:
        """All of them."""
        return (*self.words, *self.lists)


class Prefilter:
    """The sentences of all claims, by the clauses that each needs."""

    def __init__(self, claims: Sequence[Claim], lists: Mapping[str, SlotList]) -> None:
        self._lists = lists
        numbers = {f"{{{n}}}" for n, v in self._lists.items() if isinstance(v, RangeSlotList)}
        self._values = {f"{{{n}}}": _fragments(v, numbers) for n, v in self._lists.items()}
        named, known = frozenset(self._values), dict[int, frozenset[Clause]]()
        self._sentences = [
            _needing(index, sentence, _needs(claim, sentence, known), named)
            for index, claim in enumerate(claims)
            for sentence in claim.bound
        ]
        parts = {p for needing in self._sentences for c in needing.clauses for p in c}
        self._words = sorted(parts - named)
        # A text is compared only with the sentences of its words, and with those of none.
        times = Counter(clause for needing in self._sentences for clause in needing.words)
        self._of_word: dict[str, list[int]] = {}
        self._of_none: list[int] = []
        for position, needing in enumerate(self._sentences):
            if needing.words:
                for word in min(needing.words, key=times.__getitem__):
                    self._of_word.setdefault(word, []).append(position)
            else:
                self._of_none.append(position)
        self._phrases = [word for word in self._words if " " in word]
        self._held: dict[str, frozenset[str]] = {}
        self._edges = Edges(lists, at_end=False), Edges(lists, at_end=True)
        self._edges_of: dict[int, tuple[tuple[str, ...], ...]] = {}
        self._pieces = _pieces(
            [
                *(needing.sentence.expression for needing in self._sentences),
                *(value.text_in for values in lists.values() for value in _texts(values)),
            ]
        )
        self._longest = max(map(len, self._pieces), default=0)
        self._spelt: dict[str, bool] = {}

    def intents(self, text: str) -> Intents | None:
        """The sentences that `text` may match; each claim is an intent named by its number."""
        found: dict[int, list[Sentence]] = {}
        for needing in self._alive(text, whole=True):
            found.setdefault(needing.claim, []).append(needing.sentence)
        if not found:
            return None
        intents = {
            str(index): Intent(
                name=str(index), data=[BoundData(sentence_texts=[], bound=tuple(sentences))]
            )
            for index, sentences in found.items()
        }
        # No language is given: hassil would look for number words, which canonical texts lack.
        return Intents("", intents, slot_lists=dict(self._lists))

    def may_hold(self, text: str) -> bool:
        """Whether any sentence may match a text, or a part of it."""
        return any(True for _ in self._alive(text, whole=False))

    def _alive(self, text: str, whole: bool) -> Iterator[_Needing]:
        """The sentences whose needs a text meets, in order; `whole` where no part of it may."""
        phrases = (phrase for phrase in self._phrases if phrase in text)
        held = frozenset(phrases).union(*map(self._held_by, set(text.split())))
        near = set(self._of_none).union(*(self._of_word.get(word, ()) for word in held))
        # hassil leaves out signs at either end of a text, and of what is left after a match.
        whole = whole and text[:1].isalnum() and text[-1:].isalnum()
        known: dict[str, bool] = {}
        for position in sorted(near):
            needing = self._sentences[position]
            if (
                not any(map(held.isdisjoint, needing.words))
                and not (whole and self._lacks_edges(text, position))
                and all(
                    not held.isdisjoint(clause) or any(self._holds(text, p, known) for p in clause)
                    for clause in needing.lists
                )
            ):
                yield needing

    def _held_by(self, token: str) -> frozenset[str]:
        """The words of clauses whose letters are in a word of a text."""
        if token not in self._held:
            if len(self._held) > _MOST_SPELT:
                self._held.clear()
            self._held[token] = frozenset(word for word in self._words if word in token)
        return self._held[token]

    def _lacks_edges(self, text: str, position: int) -> bool:
        """Whether a text begins or ends as a sentence cannot; they are looked for on first use."""
        if position not in self._edges_of:
            expression = self._sentences[position].sentence.expression
            self._edges_of[position] = tuple(edges.of(expression) for edges in self._edges)
        first, last = self._edges_of[position]
        return not (text.startswith(first) and text.endswith(last))

    def _holds(self, text: str, part: str, known: dict[str, bool]) -> bool:
        """Whether a text may hold a value of the list that `part` names."""
        if part not in known:
            values = self._values.get(part, ((frozenset(),),))
            known[part] = not values or any(
                all(any(f in text for f in clause) for clause in value) for value in values
            )
        return known[part]

    def words_of(self, claims: Container[int]) -> frozenset[str]:
        """The words and pieces of words in these claims' sentences, without lists' values."""
        own = (needing.sentence for needing in self._sentences if needing.claim in claims)
        return _pieces(sentence.expression for sentence in own)

    def spells(self, word: str) -> bool:
        """Whether a sentence without free text may have this word in it.

        It is made up of pieces of sentences and of lists' values, which may join inside a word.
        """
        if word not in self._spelt:
            if len(self._spelt) > _MOST_SPELT:
                self._spelt.clear()
            ends = [True, *(False for _ in word)]
            for end in range(1, len(word) + 1):
                starts = range(max(0, end - self._longest), end)
                ends[end] = (ends[end - 1] and word[end - 1] in _DIGIT) or any(
                    ends[start] and word[start:end] in self._pieces for start in starts
                )
            self._spelt[word] = ends[-1]
        return self._spelt[word]


def _texts(values: SlotList) -> Iterable[TextSlotValue]:
    return values.values if isinstance(values, TextSlotList) else ()


def _pieces(expressions: Iterable[Expression]) -> frozenset[str]:
    """The words of expressions, and pieces of words: "light[s]" has "light" and "s"."""
    waiting, seen, texts = list(expressions), set[int](), set[str]()
    while waiting:
        expression = waiting.pop()
        if isinstance(expression, TextChunk):
            texts.add(expression.text)
        elif isinstance(expression, Group) and id(expression) not in seen:
            seen.add(id(expression))  # many sentences share a rule
            waiting += expression.items
    return frozenset(piece for text in texts for piece in text.split())


def _needing(claim: int, sentence: Sentence, clauses: Iterable[Clause], lists: Clause) -> _Needing:
    words, of_lists = list[Clause](), list[Clause]()
    for clause in clauses:
        (words if clause.isdisjoint(lists) else of_lists).append(clause)
    return _Needing(claim, sentence, tuple(words), tuple(of_lists))


def _needs(
    claim: Claim, sentence: Sentence, known: dict[int, frozenset[Clause]]
) -> Iterable[Clause]:
    needs = set(_clauses(sentence.expression, known))
    if claim.block is not None and claim.block.keywords:
        needs.add(claim.block.keywords)
    return needs


def _fragments(values: SlotList, numbers: Container[str]) -> tuple[tuple[Clause, ...], ...]:
    """The clauses that each value of a list needs; () for a list of any words.

    A value that holds one of the lists of `numbers`, such as a duration, needs a digit.
    """
    if isinstance(values, TextSlotList):
        found = tuple(
            (frozenset((value.text_in.text,)),)
            if isinstance(value.text_in, TextChunk)
            else tuple(_of_words(_clauses(value.text_in, {}), numbers))
            for value in values.values
        )
        return found or ((frozenset(),),)
    return ((frozenset(_DIGIT),),) if isinstance(values, RangeSlotList) else ()


def _weakness(clause: Clause) -> tuple[bool, int]:
    """How little a clause tells: with a word that is in most texts, such as "a", nothing."""
    return not clause.isdisjoint(_EVERYWHERE), len(clause)


def _of_words(clauses: Iterable[Clause], numbers: Container[str]) -> Iterator[Clause]:
    """The clauses with digits for lists of numbers; none that needs a value of another list."""
    for clause in clauses:
        lists = {part for part in clause if "{" in part}
        if all(part in numbers for part in lists):
            yield (clause - lists) | frozenset(_DIGIT) if lists else clause


def _clauses(expression: Expression, known: dict[int, frozenset[Clause]]) -> frozenset[Clause]:
    """The clauses that a text needs to match an expression; `known` are those of rules, by id."""
    if isinstance(expression, TextChunk):
        return frozenset([frozenset((word,)) for word in expression.text.split()])
    if isinstance(expression, ListReference):
        return frozenset((frozenset((f"{{{expression.list_name}}}",)),))
    if id(expression) not in known:
        known[id(expression)] = _clauses_of_group(expression, known)
    return known[id(expression)]


def _clauses_of_group(
    expression: Expression, known: dict[int, frozenset[Clause]]
) -> frozenset[Clause]:
    if isinstance(expression, Alternative):
        if expression.is_optional:
            return _ALWAYS
        branches = [_clauses(item, known) for item in expression.items]
        if not all(branches):
            return _ALWAYS
        return frozenset((frozenset().union(*(min(b, key=_weakness) for b in branches)),))
    if isinstance(expression, Group):
        return frozenset(clause for item in expression.items for clause in _clauses(item, known))
    return _ALWAYS
