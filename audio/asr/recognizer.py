"""The interface of speech recognition engines: samples in while a person speaks, then words out."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import msgspec
import numpy as np
from numpy.typing import NDArray
from rapidfuzz.distance import LCSseq

from assistant.core.messages import Word

_ENOUGH = 0.5
"""Least share of the words. Of 20 things that go on from a command, each in four of flite's voices,
9 in 80 have fewer in the general model's hearing, half of them misheard anyway. Of 1,500 pieces of
talk, cut out at random, 105 were taken for such a thing, and 45 of those have as many."""


class Recognition(msgspec.Struct, frozen=True, kw_only=True):
    """What was heard in one utterance.

    `text` is lower-case words, "" when nothing was said; `words` are the same with their places
    and confidences; `alternatives` are other readings, best first, without `text`. It is `expected`
    where it is an answer that the engine was told to expect. `confidence` is how likely it is
    right, from 0 to 1. It is `disputed` where the engine itself hears quite another text, as it
    does while a word is still being said.
    """

    text: str
    words: tuple[Word, ...] = ()
    alternatives: tuple[str, ...] = ()
    engine: str
    expected: bool = False
    confidence: float = 1.0
    disputed: bool = False


class Recognizer(Protocol):
    """An engine for one utterance at a time; `start`, then `feed` as sound comes, then `finish`.

    Raises `RecognitionError` when the engine itself fails; silence and noise give an empty text.
    """

    @property
    def name(self) -> str:
        """The engine's name in transcripts."""

    @property
    def forks(self) -> bool:
        """Whether a fork of this process may use it, as it has no threads."""

    def start(
        self, answers: Sequence[str] = (), unasked: bool = False, in_a_row: bool = False
    ) -> None:
        """Forget the last utterance and begin a new one, which is likely to be one of `answers`.

        With `in_a_row` it is any number of them. What is `unasked` may be anybody's talk: only what
        is surely heard counts.
        """

    def feed(self, samples: NDArray[np.int16]) -> None:
        """Take the next samples, 16 kHz mono."""

    def finish(self) -> Recognition:
        """End the utterance and return what was said."""


class SecondLook(Protocol):
    """What recognises free speech, for speech that fits no sentence of the skills.

    Sound is 16 kHz int16; the cepstral mean is PocketSphinx's.
    """

    @property
    def forks(self) -> bool:
        """As of a `Recognizer`."""

    def start(self) -> None:
        """Forget the last utterance."""

    def follow(self, sound: bytes, cepstral_mean: str, passed_s: float) -> None:
        """Look at `sound`, all that there is so far, while the person speaks: `passed_s` more."""

    def finish(self, sound: bytes, cepstral_mean: str, speech_s: float) -> Recognition:
        """What was said in all of `sound`, `speech_s` of it speech; no text where it is late."""

    def agrees(self, sound: bytes, cepstral_mean: str, text: str) -> bool:
        """Whether all of `sound` holds what `text` says; no where it is late."""


def agree(text: str, other: str) -> bool:
    """Whether `other` has at least `_ENOUGH` of the words of `text`, in their order."""
    words = text.split()
    return LCSseq.similarity(words, other.split()) >= _ENOUGH * len(words) > 0


def recognition(words: tuple[Word, ...], engine: str, *others: str) -> Recognition:
    """The recognition of `words`, with `others` as alternatives where they differ.

    It is as sure as its least sure word.
    """
    text = " ".join(word.text for word in words)
    alternatives = tuple(other for other in dict.fromkeys(others) if other and other != text)
    return Recognition(
        text=text,
        words=words,
        alternatives=alternatives,
        engine=engine,
        confidence=min((word.confidence for word in words), default=1.0),
    )
