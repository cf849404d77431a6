"""What people may say, for the recogniser: as much as is understood, as often as it is said."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

import assistant.english
import nlu.grammar
import nlu.text
from assistant.core.speakable import Speakable
from assistant.skill.home import Home
from assistant.skill.manifest import SkillManifest
from nlu.grammar import usage
from nlu.grammar.claim import Claim
from nlu.grammar.grammar import Grammar
from nlu.grammar.sampling import Sampler, spoken
from nlu.grammar.value_classes import ValueClasses

_LEAST_DRAWN = 400
"""Sentences that are drawn at least of each claim: with fewer a rare one lacks words, and no word
stands beside another one that was not drawn so."""


def key_of(manifests: Sequence[SkillManifest], home: Home, files: Iterable[Path]) -> str:
    """A digest of all that `speakable` depends on; `files` hold further sentences.

    A file that cannot be read counts as empty: who reads its sentences tells why.
    """
    digest = hashlib.sha256(msgspec.msgpack.encode((manifests, home)))
    for file in (*_code(), *files):
        digest.update(f"\n{file}\n".encode())
        with suppress(OSError):
            digest.update(file.read_bytes())
    return digest.hexdigest()


def _code() -> Iterator[Path]:
    """The code that decides which sentences are drawn, and how they are spoken."""
    for package in (nlu.grammar, nlu.text, assistant.english):
        yield from sorted(Path(str(package.__file__)).parent.rglob("*.py"))


def speakable(grammar: Grammar, home: Home, limit: int, seed: int) -> Speakable:
    """About `limit` sentences of the whole grammar that have a meaning in this home.

    The sentences of one intent share its weight, so that many templates make no intent likelier.
    """
    claims = possible(grammar, home)
    classes = ValueClasses()
    sampler = Sampler(grammar, claims, seed, classes)
    sentences = sampler.draw_weighed(limit, _usual(claims, sampler.shares), _LEAST_DRAWN)
    return Speakable(sentences=sentences, classes=_spoken_classes(classes))


def possible(grammar: Grammar, home: Home) -> list[Claim]:
    """The claims whose sentences have a meaning in this home."""
    return [claim for claim in grammar.claims if _is_possible(claim, home)]


def _is_possible(claim: Claim, home: Home) -> bool:
    """Whether a home may have what the vocabulary's sentences are about; a home of nothing may."""
    domain = claim.schema.fixed.get("domain")
    if claim.block is None or domain is None or not home.entities:
        return True
    return any(entity.domain == domain for entity in home.entities)


def _usual(claims: Sequence[Claim], shares: Sequence[float]) -> list[float]:
    """The share of each claim: its part of its intent's, which is the largest times the usage."""
    together: defaultdict[str, float] = defaultdict(float)
    largest: defaultdict[str, float] = defaultdict(float)
    for claim, share in zip(claims, shares, strict=True):
        intent = claim.schema.intent
        together[intent] += share
        largest[intent] = max(largest[intent], share)
    return [
        share / together[claim.schema.intent] * largest[claim.schema.intent] * _usage(claim)
        if share
        else 0.0
        for claim, share in zip(claims, shares, strict=True)
    ]


def _usage(claim: Claim) -> float:
    return usage.of_intent(claim.schema.intent, claim.schema.traits.only_talk)


def _spoken_classes(classes: ValueClasses) -> Mapping[str, Mapping[str, float]]:
    found: dict[str, dict[str, float]] = {}
    for word, values in classes.values().items():
        phrases = found.setdefault(word, {})
        for value in values:
            said = spoken(value)
            if said:
                phrases[said] = phrases.get(said, 0.0) + usage.of_value(value)
    return found
