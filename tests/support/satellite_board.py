"""A satellite without devices: a wake word engine and a loudspeaker that do as they are told."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray
from wyoming.event import Event

from assistant.core.messages import Frame, Message, PlaybackEnded, PlaybackStarted, Speech, Tick
from assistant.core.settings.hearing import ListeningSettings
from assistant.satellite.build import description
from assistant.satellite.satellite import Satellite
from audio.ear import Ear
from audio.earcons import FAILED, HEARD, earcon
from audio.frames import FRAME_S, SILENCE, Samples
from audio.own_voice import OwnVoice
from audio.play_queue import PlayQueue

EARCONS = {"heard": HEARD, "failed": FAILED}
VOICE_HZ = 8000


class Engine:
    """Notices `word` with the next frame, once."""

    name, locates, doubt = "scripted", False, None

    def __init__(self) -> None:
        self.word: str | None = None

    def process(self, frame: NDArray[np.int16]) -> str | None:
        """Notice what it was told to."""
        word, self.word = self.word, None
        return word

    def close(self) -> None:
        """Nothing is held."""


class Loudspeaker:
    """Keeps what it is told, in order: sentences, and a word for all else."""

    def __init__(self) -> None:
        self.told: list[Speech | str] = []
        self._queue = PlayQueue()

    def play(self, speech: Speech) -> None:
        """Keep a sentence, if it is one that a real one plays."""
        list(self._queue.play(speech))
        self.told.append(speech)

    def earcon(self, samples: Samples) -> None:
        """Keep the name of a short sound."""
        names = (n for n, tones in EARCONS.items() if np.array_equal(samples, earcon(tones)))
        self.told.append(next(names))

    def lower(self, lowered: bool) -> None:
        """Keep how loud it is to be."""
        self.told.append("soft" if lowered else "loud")

    def stop(self) -> None:
        """Keep that it was to stop."""
        self.told.append("stop")

    @property
    def actions(self) -> list[str]:
        """All but sentences."""
        return [one for one in self.told if isinstance(one, str)]

    @property
    def sentences(self) -> list[Speech]:
        """The sentences."""
        return [one for one in self.told if isinstance(one, Speech)]

    @property
    def said(self) -> list[str]:
        """What the satellite has said by itself."""
        return [
            one.samples.decode("utf-16-le") for one in self.sentences if one.rate_hz == VOICE_HZ
        ]


class Microphone:
    """A `Source` of what a test gives it; messages are read when `fileno` says so."""

    def __init__(self) -> None:
        self._signal = os.eventfd(0, os.EFD_NONBLOCK | os.EFD_CLOEXEC)
        self._waiting: deque[Message] = deque()

    def give(self, *messages: Message) -> None:
        """Have messages read."""
        self._waiting.extend(messages)
        os.eventfd_write(self._signal, 1)

    def fileno(self) -> int:
        """A descriptor that is readable when something waits."""
        return self._signal

    def read(self) -> Iterable[Message]:
        """What waits."""
        os.eventfd_read(self._signal)
        while self._waiting:
            yield self._waiting.popleft()

    def close(self) -> None:
        """Release the descriptor."""
        os.close(self._signal)


class Board:
    """A satellite in the kitchen with a clock of its own; a frame takes 32 ms of it."""

    def __init__(self, earcons: bool = True) -> None:
        self.wake, self.stop_word, self.player = Engine(), Engine(), Loudspeaker()
        ear = Ear(ListeningSettings(), self.wake, OwnVoice(), self.stop_word)
        info = description("Kitchen", "kitchen", ("computer",))
        self.satellite = Satellite(ear, self.player, info, _voice, earcons)
        self.now_s = 100.0

    def obeys(self, *events: Event) -> list[Event]:
        """What it answers to events of the base."""
        return [answer for event in events for answer in self.satellite.obey(event, self.now_s)]

    def frame(self, samples: bytes = SILENCE) -> Frame:
        """The next frame of the microphone."""
        self.now_s += FRAME_S
        return Frame(samples=samples, at_s=self.now_s)

    def hears(self, frames: Sequence[bytes] = (SILENCE,), wakes: str | None = None) -> list[Event]:
        """What it sends for what it hears, with whose last frame it may notice a wake word."""
        sent: list[Event] = []
        for number, samples in enumerate(frames, 1):
            self.wake.word = wakes if number == len(frames) else None
            sent += self.satellite.hear(self.frame(samples))
        return sent

    def plays(self, name: str) -> None:
        """Tell that a reply or notice begins to sound."""
        list(self.satellite.told(PlaybackStarted(utterance_id=name, at_s=self.now_s)))

    def played(self, name: str, interrupted: bool = False) -> list[Event]:
        """What it sends when a reply or notice is over."""
        ended = PlaybackEnded(utterance_id=name, interrupted=interrupted, at_s=self.now_s)
        return list(self.satellite.told(ended))

    def waits(self, seconds: float) -> list[str]:
        """What it says by itself when time has passed."""
        before = len(self.player.said)
        self.now_s += seconds
        self.satellite.tick(Tick(at_s=self.now_s))
        return self.player.said[before:]


def _voice(words: str) -> tuple[bytes, int]:
    """Words as a sound, which `said` reads."""
    return words.encode("utf-16-le"), VOICE_HZ
