"""The hub on the local network as another ear: for all that is said, or for what is unclear."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing

import numpy as np
from numpy.typing import NDArray

from assistant.core.network.hub import Hub
from audio.asr.recognizer import Recognition, Recognizer, SecondLook, recognition

NAME = "hub"


class HubAhead:
    """The hub leads where it hears anything in time; what is heard `here` is the alternative.

    Implements `Recognizer`.
    """

    name = NAME

    def __init__(self, hub: Hub, here: Recognizer) -> None:
        self._hub, self._here = hub, here
        self.forks = here.forks
        self._sound: list[NDArray[np.int16]] = []

    def start(
        self, answers: Sequence[str] = (), unasked: bool = False, in_a_row: bool = False
    ) -> None:
        """Forget the last utterance and begin a new one, which `answers` are likely to be."""
        self._sound = []
        self._here.start(answers, unasked, in_a_row)

    def feed(self, samples: NDArray[np.int16]) -> None:
        """Take the next samples, 16 kHz mono; the hub gets all of them at the end."""
        self._sound.append(samples)
        self._here.feed(samples)

    def finish(self) -> Recognition:
        """End the utterance and return what was said."""
        sound = b"".join(samples.tobytes() for samples in self._sound)
        return _heard(self._hub, sound, self._here.finish)


class HubLook:
    """The hub's ear where it hears anything in time, else `otherwise`. Implements `SecondLook`."""

    def __init__(self, hub: Hub, otherwise: SecondLook) -> None:
        self._hub, self._otherwise = hub, otherwise
        self.forks = otherwise.forks

    def start(self) -> None:
        """Forget the last utterance."""
        self._otherwise.start()

    def follow(self, sound: bytes, cepstral_mean: str, passed_s: float) -> None:
        """Let the other look follow; the hub hears all of it at the end."""
        self._otherwise.follow(sound, cepstral_mean, passed_s)

    def finish(self, sound: bytes, cepstral_mean: str, speech_s: float) -> Recognition:
        """The hub's words of `sound`, or those of the other look."""
        finish = self._otherwise.finish
        return _heard(self._hub, sound, lambda: finish(sound, cepstral_mean, speech_s))

    def agrees(self, sound: bytes, cepstral_mean: str, text: str) -> bool:
        """Whether the other look hears what `text` says: it may be anybody's talk."""
        return self._otherwise.agrees(sound, cepstral_mean, text)


def _heard(hub: Hub, sound: bytes, here: Callable[[], Recognition]) -> Recognition:
    """What the hub hears in time, else what is heard `here` meanwhile."""
    awaited = hub.hear(sound)
    if awaited is None:
        return here()
    with closing(awaited):
        ours = here()
        there = awaited.reply()
    if there is None or not there.words:
        return ours
    return recognition(there.words, NAME, ours.text, *ours.alternatives)
