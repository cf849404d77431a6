"""Selects the sentences that can match a text at all, by the words that each one requires.

A sentence is skipped only when it cannot match, so no match is lost. This extends hassil's required
fragments to lists: "is {name} locked" cannot match a text that names no lock.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from hassil.expression import Alternative, Expression, Group, ListReference, Sentence, TextChunk
from hassil.intents import Intent, IntentData, Intents, RangeSlotList, SlotList, TextSlotList

from nlu.grammar.claim import Claim

Clause = frozenset[str]
"""Fragments of which a text must contain at least one; "{NAME}" stands for a list's value."""

_ALWAYS: frozenset[Clause] = frozenset()
_DIGIT = "0123456789"


@dataclass(frozen=True)
class BoundData(IntentData):
    """hassil's block of sentences, already parsed."""

    bound: tuple[Sentence, ...] = ()

    @property
    def sentences(self) -> list[Sentence]:
        """The canonical sentences."""
        return list(self.bound)


class Prefilter:
    """The sentences of all claims, by the clauses that each needs."""

    def __init__(self, claims: Sequence[Claim], lists: Mapping[str, SlotList]) -> None:
        self._lists = lists
        self._sentences = [(i, s) for i, claim in enumerate(claims) for s in claim.bound]
        self._all = (1 << len(self._sentences)) - 1
        needing: dict[Clause, int] = {}
        for position, (index, sentence) in enumerate(self._sentences):
            for clause in _needs(claims[index], sentence):
                needing[clause] = needing.get(clause, 0) | 1 << position
        # Clauses that most sentences need come first: those they exclude need no further check.
        by_size = sorted(needing.items(), key=lambda item: -item[1].bit_count())
        self._needing = [(tuple(clause), bits) for clause, bits in by_size]
        self._values = {f"{{{name}}}": _fragments(values) for name, values in self._lists.items()}

    def intents(self, text: str) -> Intents | None:
        """The sentences that `text` may match; each claim is an intent named by its number."""
        alive, known = self._all, dict[str, bool]()
        for clause, bits in self._needing:
            if alive & bits:
                for part in clause:
                    if self._holds(text, part, known):
                        break
                else:
                    alive &= ~bits
        if not alive:
            return None
        found: dict[int, list[Sentence]] = {}
        while alive:
            position = alive.bit_length() - 1
            alive ^= 1 << position
            index, sentence = self._sentences[position]
            found.setdefault(index, []).append(sentence)
        intents = {
            str(index): Intent(
                name=str(index), data=[BoundData(sentence_texts=[], bound=tuple(sentences[::-1]))]
            )
            for index, sentences in sorted(found.items())
        }
        # No language is given: hassil would look for number words, which canonical texts lack.
        return Intents("", intents, slot_lists=dict(self._lists))

    def _holds(self, text: str, part: str, known: dict[str, bool]) -> bool:
        if part not in known:
            values = self._values.get(part)
            if values is None:
                known[part] = part in text
            else:
                known[part] = not values or any(
                    all(any(f in text for f in clause) for clause in value) for value in values
                )
        return known[part]


def _needs(claim: Claim, sentence: Sentence) -> Iterable[Clause]:
    needs = set(_clauses(sentence.expression))
    if claim.block is not None and claim.block.keywords:
        needs.add(claim.block.keywords)
    return needs


def _fragments(values: SlotList) -> tuple[tuple[Clause, ...], ...]:
    """The clauses that each value of a list needs; () for a list of any words."""
    if isinstance(values, TextSlotList):
        found = tuple(
            (frozenset((value.text_in.text,)),)
            if isinstance(value.text_in, TextChunk)
            else tuple(c for c in _clauses(value.text_in) if not any("{" in f for f in c))
            for value in values.values
        )
        return found or ((frozenset(),),)
    return ((frozenset(_DIGIT),),) if isinstance(values, RangeSlotList) else ()


def _clauses(expression: Expression) -> frozenset[Clause]:
    if isinstance(expression, TextChunk):
        return frozenset(frozenset((word,)) for word in expression.text.split())
    if isinstance(expression, ListReference):
        return frozenset((frozenset((f"{{{expression.list_name}}}",)),))
    if isinstance(expression, Alternative):
        branches = [_clauses(item) for item in expression.items]
        if expression.is_optional or not all(branches):
            return _ALWAYS
        return frozenset((frozenset().union(*(min(b, key=len) for b in branches)),))
    if isinstance(expression, Group):
        return frozenset(clause for item in expression.items for clause in _clauses(item))
    return _ALWAYS
