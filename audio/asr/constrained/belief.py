"""What speaks for a text that whisper hears."""

from __future__ import annotations

from typing import NamedTuple

from audio.asr.constrained.beam import Reading, Readings
from audio.asr.whisper import repetitive

_NO_WORDS = -3.0
"""What counts as the mean log-probability of a text without words: as little as any text has."""


class Evidence(NamedTuple):
    """What the chances of one utterance's texts depend on."""

    sentence: tuple[float, float] | None
    """None where no sentence was found."""
    free: tuple[float]
    spoken: tuple[float, float]


def evidence(readings: Readings, free_text: str) -> Evidence:
    """The inputs of the regressions for the best sentence, for the free text, and for speech."""
    best = next(iter(readings.sentences), None)
    sentence = None if best is None else of_sentence(best, readings.free)
    return Evidence(sentence, (mean(readings.free),), of_speech(readings, free_text))


def of_sentence(sentence: Reading, free: Reading) -> tuple[float, float]:
    """The inputs for a sentence beside the free text."""
    return lacks(sentence, free), sentence.price


def of_speech(readings: Readings, free_text: str) -> tuple[float, float]:
    """The inputs for whether anybody speaks: how sure whisper is of what it would write freely.

    Of music and noise that is often nothing, or repeats, of whose pieces it is very sure.
    """
    words = bool(free_text) and not repetitive(free_text)
    return mean(readings.free) if words else _NO_WORDS, readings.no_speech


def lacks(sentence: Reading, free: Reading) -> float:
    """Natural logarithm of how much likelier the free text is; 0 where it is not."""
    return max(free.heard - sentence.heard, 0.0)


def mean(reading: Reading) -> float:
    """The mean log-probability of a text's pieces, its end among them."""
    return reading.heard / (len(reading.pieces) + 1)
