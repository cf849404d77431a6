"""Draws sentences of a grammar as people speak them, for a language model and for examples.

At each choice, the alternative taken least often for its weight is taken next, so that all of them
appear as early as the number of draws allows. An alternative's weight grows with the logarithm of
its number of sentences, so that no large list crowds out the others.
"""

from __future__ import annotations

import math
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

from hassil.expression import (
    Alternative,
    Expression,
    Group,
    ListReference,
    Permutation,
    TextChunk,
)
from hassil.intents import RangeSlotList, SlotList, TextSlotList, WildcardSlotList

from assistant.core.speakable import NO_NAMES, GivenNames
from assistant.english import phrases
from assistant.english.numbers import is_digits, spell
from assistant.english.spoken import articles
from assistant.english.templates import ACTIONS, DOUBLED, FREE_TEXT, JOINTS, POLITE, THINGS
from nlu.grammar import value_classes
from nlu.grammar.binding import IGNORED
from nlu.grammar.claim import Claim
from nlu.grammar.grammar import Grammar
from nlu.grammar.lists import WRITTEN
from nlu.grammar.value_classes import ValueClasses
from nlu.text.canonical import spoken_words

_EXAMPLES = 40
_EXAMPLE_LENGTH = 25

_TRIES = 10
_LEAST = 8.0
"""Weight of an intent with only one sentence: what is said most often ("stop") is short."""

_POLITE_SHARE = 0.04
_JOINED_SHARE = 0.02
_ANSWERED_SHARE = 0.04


class Sampler:
    """Draws sentences of `claims`, framed and joined as people do, and bare answers.

    What is drawn of a claim depends on no other claim, but for the sentences that are joined to
    its own: with one skill more, recognition goes on expecting the same of the others. With
    `classes`, a word of theirs stands for any value of a long list. `given` are names that stand in
    slots of free text.
    """

    def __init__(
        self,
        grammar: Grammar,
        claims: Sequence[Claim],
        seed: int,
        classes: ValueClasses | None = None,
        given: GivenNames = NO_NAMES,
    ) -> None:
        self._seed = seed
        self._names = _names(claims)
        self._sources = [
            SentenceSource(
                *(grammar.lists, claim.written, f"{seed} {name}", classes),
                given.get(claim.skill, {}),
            )
            for name, claim in zip(self._names, claims, strict=True)
        ]
        self._answers = SentenceSource(grammar.lists, grammar.answers, f"{seed} answers", classes)

    @property
    def shares(self) -> list[float]:
        """The share of each claim by the log of its size; 0 for one without a sentence."""
        return [_LEAST + math.log2(one.size) if one.size else 0.0 for one in self._sources]

    def draw(self, limit: int, shares: Sequence[float]) -> list[str]:
        """About `limit` spoken sentences, in a random order; the claims have these shares."""
        rng = random.Random(f"{self._seed} order")
        counts = _counts(limit, shares)
        sentences = [sentence for _, sentence in self._drawn(counts)]
        rng.shuffle(sentences)
        count = round(limit * _ANSWERED_SHARE)
        sentences[limit - count :] = [self._answers.draw() for _ in range(count)]
        rng.shuffle(sentences)
        return sentences

    def draw_weighed(self, limit: int, shares: Sequence[float], least: int) -> dict[str, float]:
        """Spoken sentences with how often each is said; the claims have these shares of `limit`.

        At least so many of each claim are drawn, so that a claim with a small share has its words.
        """
        counts = _counts(limit, shares)
        often = [count / max(count, least) if count else 0.0 for count in counts]
        sentences: defaultdict[str, float] = defaultdict(float)
        for index, sentence in self._drawn([max(n, least) if n else 0 for n in counts]):
            sentences[sentence] += often[index]
        answers = round(limit * _ANSWERED_SHARE)
        for _ in range(answers):
            sentences[self._answers.draw()] += 1.0
        return sentences

    def draw_each(self, count: int) -> list[list[str]]:
        """`count` spoken sentences of each claim, as they are; none of one without a sentence."""
        return [[s.draw() for _ in range(count)] if s.size else [] for s in self._sources]

    def _drawn(self, counts: Sequence[int]) -> Iterator[tuple[int, str]]:
        """So many sentences of each claim, with the claim's index."""
        drawn = [
            [source.draw() for _ in range(count)]
            for source, count in zip(self._sources, counts, strict=True)
        ]
        for index, group in enumerate(drawn):
            rng = random.Random(f"{self._seed} frame {self._names[index]}")
            for sentence in group:
                if sentence:
                    yield index, _framed(sentence, drawn, index, rng)


def _names(claims: Sequence[Claim]) -> list[str]:
    """A name for each claim: its intent, and which of that intent's it is."""
    seen: Counter[str] = Counter()
    names = []
    for claim in claims:
        intent = claim.schema.intent
        names.append(f"{intent} {seen[intent]}")
        seen[intent] += 1
    return names


def _counts(limit: int, shares: Sequence[float]) -> list[int]:
    whole = sum(shares)
    return [math.ceil(limit * share / whole) for share in shares]


def sample(grammar: Grammar, limit: int, seed: int, vocabulary: bool = False) -> list[str]:
    """Draw about `limit` spoken sentences: each claim's share grows with the log of its size.

    Home Assistant's vocabulary is included only with `vocabulary`, and what is only talked about is
    left out.
    """
    every = grammar.claims if vocabulary else _of_skills(grammar)
    sampler = Sampler(grammar, [c for c in every if not c.schema.traits.only_talk], seed)
    return sampler.draw(limit, sampler.shares)


def example(grammar: Grammar, intent: str) -> str:
    """A sentence of medium length from an intent's first template; "" where there is none."""
    for claim in _of_skills(grammar):
        if claim.schema.intent == intent and claim.written:
            source = SentenceSource(grammar.lists, claim.written[:1], "example")
            drawn = [source.draw() for _ in range(8)] if source.size else [""]
            return min(drawn, key=lambda sentence: abs(len(sentence) - _EXAMPLE_LENGTH))
    return ""


def examples(grammar: Grammar, claims: Sequence[Claim] = ()) -> dict[str, list[str]]:
    """Some spoken sentences for each intent of `claims`, the plainer half of those drawn.

    Without `claims` they are those of the skills.
    """
    found: dict[str, list[str]] = {}
    for index, claim in enumerate(claims or _of_skills(grammar)):
        source = SentenceSource(grammar.lists, claim.written, f"examples {index}")
        drawn = [source.draw() for _ in range(2 * _EXAMPLES)] if source.size else []
        found.setdefault(claim.schema.intent, []).extend(sorted(drawn, key=_plainness)[:_EXAMPLES])
    return found


def _of_skills(grammar: Grammar) -> list[Claim]:
    return [claim for claim in grammar.claims if claim.block is None]


def _plainness(sentence: str) -> int:
    """Sort key of examples: short ones first, with an article rather than without."""
    return len(sentence) - (10 if " the " in sentence else 0)


def spoken(text: str) -> str:
    """The words of a written sentence as they sound: digits in words, no punctuation."""
    words: list[str] = []
    for written in spoken_words(text):
        word = phrases.SYMBOLS.get(written, written)
        if word in ("am", "pm") and words and _is_of_clock(words[-1]):
            word = f"{word[0]}.m."
        elif is_digits(word):
            word = (
                f"oh {spell(int(word))}" if word[0] == "0" and len(word) == 2 else spell(int(word))
            )
        words.append(word)
    return _REPEATED_ARTICLE.sub(r"\1", articles(" ".join(words)))


_REPEATED_ARTICLE = re.compile(r"\b(the|my|our|a|an) the\b")
_CLOCK_WORDS = frozenset(" ".join(spell(n) for n in range(60)).split()) | {"o'clock"}


def _is_of_clock(words: str) -> bool:
    return words.split()[-1] in _CLOCK_WORDS or words in value_classes.WORDS


def _framed(sentence: str, drawn: list[list[str]], index: int, rng: random.Random) -> str:
    chance = rng.random()
    if chance < _POLITE_SHARE:
        return rng.choice(POLITE).format(sentence)
    others = [i for i, group in enumerate(drawn) if group and i != index]
    if others and chance < _POLITE_SHARE + _JOINED_SHARE:
        second = rng.choice(drawn[rng.choice(others)])
        return f"{sentence} {rng.choice(JOINTS)} {second}".strip()
    return sentence


class Filled(NamedTuple):
    """The characters of a written sentence that fill a slot."""

    slot: str
    start: int
    end: int


@dataclass(slots=True)
class _Choice:
    """An alternative that holds sentences, and how often it has been taken."""

    index: int
    weight: float
    taken: int = 0


class SentenceSource:
    """Draws sentences of one claim."""

    def __init__(
        self,
        lists: dict[str, SlotList],
        sentences: Sequence[Expression],
        seed: str,
        classes: ValueClasses | None = None,
        given: Mapping[str, Sequence[str]] = MappingProxyType({}),
    ) -> None:
        self._lists, self._classes = lists, classes
        self._given = {slot: [TextChunk(name) for name in names] for slot, names in given.items()}
        self._rng = random.Random(seed)
        self._choices: dict[int, list[_Choice]] = {}
        self._sizes: dict[int, float] = {}
        self._listed: dict[str, list[Expression]] = {}
        self._decks: dict[int, list[Expression]] = {}
        self._filled: list[Filled] = []
        self._root = Alternative([s for s in sentences if self._size(s)])
        self.size = self._size(self._root)

    def draw(self) -> str:
        """One sentence in spoken form, "" in the rare case that none was found."""
        return spoken(self.draw_written()[0])

    def draw_written(self) -> tuple[str, list[Filled]]:
        """One sentence as written and where its slots stand, "" in the rare case of none."""
        for _ in range(_TRIES):
            self._filled.clear()
            said = self._say(self._root)
            once = len({filled.slot for filled in self._filled}) == len(self._filled)
            if once and DOUBLED.search(said) is None:  # no slot is said twice, and no preposition
                return said, list(self._filled)
        return "", []

    def _say(self, expression: Expression, before: str = "") -> str:
        """Words for an expression; `before` are those that stand before it."""
        if isinstance(expression, TextChunk):
            return expression.text
        if isinstance(expression, Alternative):
            return self._say(self._next(id(expression), expression.items), before)
        if isinstance(expression, ListReference):
            said = self._say(self._value(expression, before), before)
            if expression.slot_name != IGNORED:
                at = len(before)
                self._filled.append(Filled(expression.slot_name, at, at + len(said)))
            return said
        if not isinstance(expression, Group):
            raise TypeError(f"no part of a sentence: {expression!r}")
        items = list(expression.items)
        if isinstance(expression, Permutation):
            self._rng.shuffle(items)
        said = ""
        for item in items:
            said += self._say(item, before + said)
        return said

    def _value(self, reference: ListReference, before: str) -> Expression:
        """The next value of a list in a shuffled order, each once before any comes again."""
        deck = self._decks.setdefault(id(reference), [])
        if not deck:
            values = self._values(reference)
            if values is _THINGS and before.endswith(" to "):
                values = _ACTIONS
            deck.extend(self._classed(values) or self._rng.sample(values, len(values)))
        return deck.pop()

    def _classed(self, values: Sequence[Expression]) -> list[Expression]:
        word = self._classes.word(values) if self._classes is not None else ""
        return [TextChunk(word)] if word else []

    def _next(self, node: int, items: Sequence[Expression]) -> Expression:
        choices = self._choices.get(node)
        if choices is None:
            sizes = ((index, self._size(item)) for index, item in enumerate(items))
            choices = [_Choice(index, math.log2(1 + size)) for index, size in sizes if size]
            self._choices[node] = choices
        draw = self._rng.random
        chosen = min(choices, key=lambda choice: (choice.taken + draw()) / choice.weight)
        chosen.taken += 1
        return items[chosen.index]

    def _values(self, reference: ListReference) -> Sequence[Expression]:
        name, given = reference.list_name, self._given.get(reference.slot_name)
        if given and isinstance(self._lists[name], WildcardSlotList):
            return given
        if name not in self._listed:
            self._listed[name] = _list_values(name, self._lists[name])
        return self._listed[name]

    def _size(self, expression: Expression) -> float:
        """How many sentences an expression stands for; 0 for an empty list."""
        key = id(expression)
        if key not in self._sizes:
            self._sizes[key] = self._count(expression)
        return self._sizes[key]

    def _count(self, expression: Expression) -> float:
        if isinstance(expression, ListReference):
            return sum(self._size(value) for value in self._values(expression))
        if isinstance(expression, Alternative):
            return sum(self._size(item) for item in expression.items)
        if isinstance(expression, Group):
            orders = (
                math.factorial(len(expression.items)) if isinstance(expression, Permutation) else 1
            )
            return orders * math.prod(self._size(item) for item in expression.items)
        return 1


_THINGS: list[Expression] = [TextChunk(text) for text in THINGS]
_ACTIONS: list[Expression] = [TextChunk(text) for text in ACTIONS]
_FREE_TEXT: dict[str, list[Expression]] = {
    name: [TextChunk(text) for text in texts] for name, texts in FREE_TEXT.items()
}


def _list_values(name: str, values: SlotList) -> list[Expression]:
    if isinstance(values, TextSlotList):
        return [(value.metadata or {})[WRITTEN] for value in values.values]
    if isinstance(values, RangeSlotList):
        return [TextChunk(str(n)) for n in _said_numbers(values.start, values.stop, values.step)]
    return _FREE_TEXT.get(name, _THINGS)


def _said_numbers(start: int, stop: int, step: int) -> list[int]:
    """All numbers up to a hundred, and round ones above."""
    numbers = [n for n in range(start, min(stop, 100) + 1) if (n - start) % step == 0]
    rounds = [*range(110, 200, 10), *range(200, 1000, 50), *range(1000, 10_001, 1000)]
    return numbers + [n for n in rounds if start <= n <= stop and (n - start) % step == 0]
