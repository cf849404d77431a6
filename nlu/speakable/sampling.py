"""Draws sentences of many claims as people speak them, for a language model and for examples."""

from __future__ import annotations

import math
import random
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain, pairwise

from assistant.core.speakable import ANYTHING, NO_NAMES, GivenNames
from assistant.english.templates import JOINTS, POLITE
from nlu.grammar.claim import Claim
from nlu.grammar.grammar import Grammar
from nlu.speakable.free_text import HEARD, SHORT, FreeText
from nlu.speakable.source import SentenceSource
from nlu.speakable.spoken import contracted
from nlu.speakable.value_classes import ValueClasses

_EXAMPLES = 40
_EXAMPLE_LENGTH = 25

_BATCH = 100
_LEAST_NEW = 0.01
"""Share of the pairs of words drawn of a claim that were drawn once, at which drawing ends: so
likely is the next pair to be a new one (Good 1953). No word stands beside another one in the
network that was not drawn so. Of 300 sentences nobody had drawn 0.97 can be heard with it, 0.94
with 400 of each claim, which takes two thirds of the time, and 0.99 with 0.005, in half as much
time again."""
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
    slots of free text, where otherwise one of `free_text` stands.
    """

    def __init__(
        self,
        grammar: Grammar,
        claims: Sequence[Claim],
        seed: int,
        classes: ValueClasses | None = None,
        given: GivenNames = NO_NAMES,
        free_text: FreeText = SHORT,
    ) -> None:
        self._seed = seed
        self._names = _names(claims)
        self._sources = [
            SentenceSource(
                *(grammar.lists, claim.written, f"{seed} {name}", classes),
                *(given.get(claim.skill, {}), free_text, claim.skill, claim.schema.intent),
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
        sentences = [sentence for _, sentence in _all_framed(list(self._groups(counts)))]
        rng.shuffle(sentences)
        count = round(limit * _ANSWERED_SHARE)
        sentences[limit - count :] = [self._answers.draw() for _ in range(count)]
        rng.shuffle(sentences)
        return sentences

    def draw_weighed(self, limit: int, shares: Sequence[float], most: int) -> dict[str, float]:
        """Spoken sentences with how often each is said; the claims have these shares of `limit`.

        Of each claim at most so many are drawn, and no more when hardly any pair of words is new,
        so that a claim with a small share has its words.
        """
        counts = _counts(limit, shares)
        groups = list(self._groups([most if count else 0 for count in counts], until_known=True))
        sentences: defaultdict[str, float] = defaultdict(float)
        for index, sentence in _all_framed(groups):
            sentences[sentence] += counts[index] / len(groups[index][1])
        answers = round(limit * _ANSWERED_SHARE)
        for _ in range(answers):
            sentences[self._answers.draw()] += 1.0
        return sentences

    def draw_each(self, count: int) -> list[list[str]]:
        """`count` spoken sentences of each claim, as they are; none of one without a sentence."""
        return [drawn for _, drawn in self._groups([count] * len(self._sources))]

    def _groups(
        self, counts: Sequence[int], until_known: bool = False
    ) -> Iterator[tuple[random.Random, list[str]]]:
        """So many sentences of each claim, and what else is left to chance about them."""
        for name, source, count in zip(self._names, self._sources, counts, strict=True):
            rng = random.Random(f"{self._seed} frame {name}")
            drawn, pairs = list[str](), _Pairs()
            while source.size and len(drawn) < count and not (until_known and pairs.known):
                batch = min(_BATCH, count - len(drawn)) if until_known else count
                drawn += [contracted(source.draw(), rng) for _ in range(batch)]
                pairs.add(drawn[-batch:])
            yield rng, drawn


class _Pairs:
    """The pairs of neighbouring words in sentences, and how many of them were seen once."""

    def __init__(self) -> None:
        self._seen = Counter[tuple[str, str]]()
        self._every = self._once = 0

    def add(self, sentences: Iterable[str]) -> None:
        """Count the pairs of further sentences, the first and the last word's among them."""
        new = Counter(chain.from_iterable(pairwise(("", *s.split(), "")) for s in sentences))
        for pair, count in new.items():
            before = self._seen[pair]
            self._once += (before + count == 1) - (before == 1)
        self._seen.update(new)
        self._every += new.total()

    @property
    def known(self) -> bool:
        """Whether hardly any pair of a further sentence will be new."""
        return self._once < _LEAST_NEW * self._every


def _all_framed(
    groups: Sequence[tuple[random.Random, list[str]]],
) -> Iterator[tuple[int, str]]:
    """The sentences drawn of each claim, with the claim's index."""
    drawn = [group for _, group in groups]
    for index, (rng, group) in enumerate(groups):
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
        source = SentenceSource(
            *(grammar.lists, claim.written, f"examples {index}"),
            free_text=HEARD,
            skill=claim.skill,
        )
        drawn = [source.draw() for _ in range(2 * _EXAMPLES)] if source.size else []
        found.setdefault(claim.schema.intent, []).extend(sorted(drawn, key=_plainness)[:_EXAMPLES])
    return found


def _of_skills(grammar: Grammar) -> list[Claim]:
    return [claim for claim in grammar.claims if claim.block is None]


def _plainness(sentence: str) -> int:
    """Sort key of examples: short ones first, with an article rather than without."""
    return len(sentence) - (10 if " the " in sentence else 0)


def _framed(sentence: str, drawn: list[list[str]], index: int, rng: random.Random) -> str:
    chance = rng.random()
    if chance < _POLITE_SHARE:
        return rng.choice(POLITE).format(sentence)
    if chance >= _POLITE_SHARE + _JOINED_SHARE:
        return sentence
    if others := [i for i, group in enumerate(drawn) if group and i != index]:
        second = rng.choice(drawn[rng.choice(others)])
        joined = f"{sentence} {rng.choice(JOINTS)} {second}".strip()
        return sentence if ANYTHING in joined else joined  # where anything ends, nobody knows
    return sentence
