"""Draws sentences of many claims as people speak them, for a language model and for examples."""

from __future__ import annotations

import math
import random
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

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
        return [drawn for _, drawn in self._groups([count] * len(self._sources))]

    def _drawn(self, counts: Sequence[int]) -> Iterator[tuple[int, str]]:
        """So many sentences of each claim, with the claim's index."""
        groups = list(self._groups(counts))
        drawn = [group for _, group in groups]
        for index, (rng, group) in enumerate(groups):
            for sentence in group:
                if sentence:
                    yield index, _framed(sentence, drawn, index, rng)

    def _groups(self, counts: Sequence[int]) -> Iterator[tuple[random.Random, list[str]]]:
        """So many sentences of each claim, and what else is left to chance about them."""
        for name, source, count in zip(self._names, self._sources, counts, strict=True):
            rng = random.Random(f"{self._seed} frame {name}")
            draws = range(count if source.size else 0)
            yield rng, [contracted(source.draw(), rng) for _ in draws]


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
