"""What the scores of each engine mean: numbers that are fitted or chosen, and stand in a file."""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec

from assistant.core.models.calibration import Share

_SURELY_WRONG = 50.0
"""Log odds beyond which an exponential would only overflow."""


class Logistic(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A logistic regression: a constant, and a factor for each input."""

    constant: float
    factors: tuple[float, ...]

    def chance(self, inputs: Sequence[float]) -> float:
        """The probability for as many `inputs` as there are factors."""
        odds = self.constant + sum(f * x for f, x in zip(self.factors, inputs, strict=True))
        return 1.0 / (1.0 + math.exp(min(-odds, _SURELY_WRONG)))


class WhisperCalibration(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a sentence that can be meant, and what is heard freely, are believed by."""

    sentence: Logistic
    """By how much likelier the free text is, and by the sentence's price, natural logarithms."""
    free: Logistic
    """By the mean log-probability of the text's pieces."""
    spoken: Logistic
    """Whether anybody speaks: by the mean log-probability of the free text's pieces, and by
    whisper's own probability that nobody does."""
    believed: Share
    """Least chance of a sentence to be right, or else the free text is what was said."""
    named: Share
    """Least chance of a sentence to be named as what may have been said: of talk it is 0.04."""
    somebody: Share
    """Least chance that anybody speaks for anything to be heard."""
    answer: float
    """How much likelier, as a natural logarithm, the free text may be than an answer that was asked
    for."""
    answers: float
    """The same for a row of answers, such as digits, which whisper would write as one number."""


class PocketSphinxCalibration(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a sentence that PocketSphinx hears is believed by."""

    sentence: Logistic
    """By the `Evidence` of `audio/asr/confidence.py`."""
    least: float
    """Natural logarithm of the least likelihood that a text of no words would have in the network.

    Other talk becomes a salad of the domain's words: of 46 from 300 lines in four of flite's voices
    35 are less likely, and none of 439 commands of every intent, 150 orders of the coffee benchmark
    or 23 pairs of commands; of 313 that households said, two.
    """
    a_word: float
    """By how much it may be less for each word."""

    def is_plausible(self, likelihood: float, words: int) -> bool:
        """Whether a text of so many words is no salad of the domain's words."""
        return likelihood >= self.least + self.a_word * words


class HearingCalibration(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What an engine's own scores mean, for each."""

    whisper: WhisperCalibration
    pocketsphinx: PocketSphinxCalibration
