"""How likely a rewrite is what was meant: a calibrated table of what speaks for it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

import msgspec

from assistant.skill.home import Area, Entity, Home
from nlu.rewriter.prompt import Turn
from nlu.rewriter.rewriter import Rewrite
from nlu.text.canonical import canonical

_LEAST_LETTERS = 3
"""Fewest letters of a word of a name that shows that it was spoken of."""


class RewriterCalibration(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The table, fitted to homes that the rewriter has not seen."""

    weights: dict[str, float]
    """How much each sign counts, in the logarithm of the odds."""
    offset: float
    act: float
    """Least chance to do it at once."""
    ask: float
    """Least chance to ask whether it is meant."""


def signs(said: str, rewrite: Rewrite, before: Sequence[Turn], home: Home) -> dict[str, float]:
    """What speaks for a rewrite, or against it, each from 0 to 1 or a log-probability."""
    spoken = _words(said)
    earlier = {word for turn in before for word in (*_words(turn.said), *_words(turn.plain))}
    plain = " ".join(rewrite.sentences).lower()
    meant = [names for names in _names(home) if names[0] in plain]
    numbers = [word for word in _words(plain) if word[0].isdigit()]
    return {
        "likelihood": max(-12.0, rewrite.likelihood),
        "worst": max(-5.0, min(rewrite.likelihoods, default=0.0)),
        "named": _share(any(_spoken(name, spoken) for name in names) for names in meant),
        "known": _share(any(_spoken(name, spoken | earlier) for name in names) for names in meant),
        "counted": _share(number in spoken for number in numbers),
        "several": float(len(rewrite.sentences) > 1),
        "asks first": float(rewrite.plain.startswith("?")),
        "short": 1.0 / max(1, len(spoken)),
        "goes on": float(bool(before)),
    }


def chance(found: Mapping[str, float], table: RewriterCalibration) -> float:
    """The probability that it is what was meant, from 0 to 1."""
    odds = table.offset + sum(table.weights.get(name, 0.0) * value for name, value in found.items())
    return 1.0 / (1.0 + math.exp(-odds))


def _names(home: Home) -> list[tuple[str, ...]]:
    """The names of each device and each area, its own first, in lower case."""
    named: tuple[Entity | Area, ...] = (*home.entities, *home.areas)
    return [tuple(name.lower() for name in (one.name, *one.aliases)) for one in named]


def _spoken(name: str, words: set[str]) -> bool:
    return any(word in words for word in _words(name) if len(word) >= _LEAST_LETTERS)


def _words(text: str) -> set[str]:
    return {token.text for token in canonical(text).tokens}


def _share(found: Iterable[bool]) -> float:
    every = list(found)
    return sum(every) / len(every) if every else 1.0
