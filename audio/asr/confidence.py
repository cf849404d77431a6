"""How sure a text is that PocketSphinx heard: the chance that it is understood as what was said.

A logistic regression on six numbers of an utterance. It was fitted to 392 utterances: the 54 home
commands and sentences of every intent in four of flite's voices; docs/figures.md has its curve on
others.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import pocketsphinx

from assistant.core.messages import Word

_PER_WORD, _LEAST = 2.0, -25.0
"""Natural logarithms: a text may cost 25, and two more for each word. Other talk becomes a salad of
the domain's words: of 46 from 300 lines in four of flite's voices 35 cost more, and none of 439
commands of every intent, 150 orders of the coffee benchmark or 23 pairs of commands; of 313 that
households said, two."""


class Evidence(NamedTuple):
    """What speaks for a text."""

    likelihood: float
    """Natural logarithm of its probability in the network of what may be said."""
    words: float
    """Their number."""
    least: float
    """The least confidence of any of them."""
    fit: float
    """Natural logarithm of how much less likely the sound is in its states than in the best ones,
    the mean over the frames."""
    pace: float
    """Pieces of the path, such as words and pauses, for each frame."""
    agreed: float
    """1 where the trigram hears the same words, else 0."""


_WEIGHTS = Evidence(likelihood=0.139, words=0.394, least=2.0, fit=866.0, pace=-40.5, agreed=2.28)
_BIAS = 4.80
_SURELY_WRONG = 50.0
"""Log odds beyond which an exponential would only overflow."""


def certainty(evidence: Evidence) -> float:
    """The chance that the text is understood right, from 0 to 1."""
    pairs = zip(_WEIGHTS, evidence, strict=True)
    odds = _BIAS + sum(weight * value for weight, value in pairs)
    return 1.0 / (1.0 + math.exp(min(-odds, _SURELY_WRONG)))


def evidence(
    decoder: pocketsphinx.Decoder, words: Sequence[Word], likelihood: float, agreed: bool
) -> Evidence:
    """What the decoder's last path says of its `words`, one or more."""
    pieces, frames, fit = fit_of(decoder)
    return Evidence(
        likelihood=likelihood,
        words=len(words),
        least=min(word.confidence for word in words),
        fit=fit,
        pace=pieces / frames,
        agreed=float(agreed),
    )


def fit_of(decoder: pocketsphinx.Decoder) -> tuple[int, int, float]:
    """The pieces of the decoder's last path, of one word or more, their frames, and their fit."""
    pieces = [piece for piece in decoder.seg() if piece.word and piece.word[0] not in "<[("]
    frames = sum(piece.end_frame - piece.start_frame + 1 for piece in pieces)
    return len(pieces), frames, sum(math.log(piece.ascore) for piece in pieces) / frames


def is_plausible(likelihood: float, words: int) -> bool:
    """Whether a text of so many words is no salad of the domain's words, but may be a sentence."""
    return likelihood >= _LEAST - _PER_WORD * words
