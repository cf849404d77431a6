"""What speaks for a text that PocketSphinx hears: the inputs of its calibration."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import pocketsphinx

from assistant.core.messages import Word


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
