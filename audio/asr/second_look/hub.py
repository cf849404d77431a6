"""The hub on the local network as a second look at speech that fits no sentence."""

from __future__ import annotations

from contextlib import closing

from assistant.core.network.hub import Hub
from audio.asr.recognizer import Recognition, SecondLook, recognition

NAME = "hub"


class HubLook:
    """The hub's ear where it hears anything in time, else `otherwise`. Implements `SecondLook`.

    This device looks meanwhile, so that nobody waits longer where the hub is away.
    """

    def __init__(self, hub: Hub, otherwise: SecondLook) -> None:
        self._hub, self._otherwise = hub, otherwise
        self.forks = otherwise.forks
        self._private = False

    def start(self, private: bool = False) -> None:
        """Forget the last utterance; of what is `private` the hub hears nothing."""
        self._private = private
        self._otherwise.start(private)

    def follow(self, sound: bytes, cepstral_mean: str, passed_s: float) -> None:
        """Let the other look follow; the hub hears all of it at the end."""
        self._otherwise.follow(sound, cepstral_mean, passed_s)

    def finish(self, sound: bytes, cepstral_mean: str, speech_s: float) -> Recognition:
        """The hub's words of `sound`, or those of the other look."""
        if self._private:
            return self._otherwise.finish(sound, cepstral_mean, speech_s)
        with closing(self._hub.hear(sound)) as awaited:
            here = self._otherwise.finish(sound, cepstral_mean, speech_s)
            there = awaited.reply()
        if there is None or not there.words:
            return here
        return recognition(there.words, NAME, here.text)

    def agrees(self, sound: bytes, cepstral_mean: str, text: str) -> bool:
        """Whether the other look hears what `text` says: it may be anybody's talk."""
        return self._otherwise.agrees(sound, cepstral_mean, text)
