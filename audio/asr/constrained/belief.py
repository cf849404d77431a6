"""How sure whisper is of what it hears: the chance that each word of a text was said."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from assistant.core.models.calibration import Share
from audio.asr.constrained.beam import Reading, Readings


class Logistic(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A logistic regression: a constant, and a factor for each input."""

    constant: float
    factors: tuple[float, ...]

    def chance(self, inputs: Sequence[float]) -> float:
        """The probability for as many `inputs` as there are factors."""
        odds = self.constant + sum(f * x for f, x in zip(self.factors, inputs, strict=True))
        return 1.0 / (1.0 + math.exp(-odds))


class WhisperCalibration(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a sentence that can be meant, and what is heard freely, are believed by."""

    sentence: Logistic
    """By how much likelier the free text is, and by the sentence's price, natural logarithms."""
    free: Logistic
    """By the mean log-probability of the text's pieces."""
    believed: Share
    """Least chance of a sentence to be right, or else the free text is what was said."""
    named: Share
    """Least chance of a sentence to be named as what may have been said: of talk it is 0.04."""
    nobody: Share
    """Least probability of whisper's that nobody speaks, whatever it would write."""
    answer: float
    """How much likelier, as a natural logarithm, the free text may be than an answer that was asked
    for."""
    answers: float
    """The same for a row of answers, such as digits, which whisper would write as one number."""


class HearingCalibration(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What an engine's own scores mean, for each that was calibrated."""

    whisper: WhisperCalibration


class Evidence(NamedTuple):
    """What the chances of one utterance's texts depend on."""

    sentence: tuple[float, float] | None
    """None where no sentence was found."""
    free: tuple[float]


def evidence(readings: Readings) -> Evidence:
    """The inputs of the regressions for the best sentence and for the free text."""
    best = next(iter(readings.sentences), None)
    sentence = None if best is None else of_sentence(best, readings.free)
    return Evidence(sentence, (mean(readings.free),))


def of_sentence(sentence: Reading, free: Reading) -> tuple[float, float]:
    """The inputs for a sentence beside the free text."""
    return lacks(sentence, free), sentence.price


def lacks(sentence: Reading, free: Reading) -> float:
    """Natural logarithm of how much likelier the free text is; 0 where it is not."""
    return max(free.heard - sentence.heard, 0.0)


def mean(reading: Reading) -> float:
    """The mean log-probability of a text's pieces, its end among them."""
    return reading.heard / (len(reading.pieces) + 1)
