"""Tries microphones by listening to all of them at once, and loudspeakers one by one."""

from __future__ import annotations

import select
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

import numpy as np

from assistant.core.messages import Frame
from audio.devices import DEFAULT, DEVICES, Kind
from audio.frames import at_rate
from audio.loudspeaker import open_loudspeaker
from audio.microphones.capture import Capture
from audio.microphones.microphone import PLUGIN_CHANNELS, TRIAL_S, order
from audio.tts.voice import Samples
from audio.vad import QUIETEST_DBFS, dbfs
from audio.wake.engine import WakeWordEngine

MOST = 8
"""Most devices that are tried."""
SPEECH_DB = 10.0
"""Decibels by which a voice stands above the background of a microphone that hears it."""
BACKGROUND, SPEECH = 10, 95
"""Percentiles of the levels of frames that stand for the two."""


class Heard(NamedTuple):
    """What a microphone heard of the voice; levels in dB below full scale."""

    name: str
    background_dbfs: float
    speech_dbfs: float
    sounds: bool = True
    """Whether any sound came from it."""

    @property
    def rises_db(self) -> float:
        """Decibels by which the voice stood above the background."""
        return self.speech_dbfs - self.background_dbfs

    @property
    def hears(self) -> bool:
        """Whether the voice was heard."""
        return self.sounds and self.rises_db >= SPEECH_DB


def candidates(kind: Kind) -> list[str]:
    """The names of devices worth a trial, the likely first; raises `AudioError` for none."""
    found = DEVICES.find(DEFAULT, kind)
    if kind == "input":
        found = order(found)
    real = [d for d in found if d.claimed_channels < PLUGIN_CHANNELS or d.default]
    return list(dict.fromkeys(device.name for device in real))[:MOST]


class Microphones:
    """Several microphones that are open at once."""

    def __init__(self, names: Sequence[str], capture: Capture) -> None:
        self._names, self._capture = names, capture

    def wait(self) -> None:
        """Wait until each sounds, or has had the time of a trial."""
        sounding: set[int] = set()
        end_s = time.monotonic() + TRIAL_S * (len(self._names) + 1)
        while len(sounding) < len(self._names) and time.monotonic() < end_s:
            sounding |= {frame.microphone for frame in self._frames()}

    def listen(self, seconds: float) -> list[Heard]:
        """What each hears in these seconds."""
        levels: list[list[float]] = [[] for _ in self._names]
        for frame in self._within(seconds):
            levels[frame.microphone].append(dbfs(frame.samples))
        return [_heard(name, of) for name, of in zip(self._names, levels, strict=True)]

    def wakes(self, engine: WakeWordEngine, seconds: float) -> bool:
        """Whether the first of them hears a wake word within these seconds."""
        return any(
            engine.process(np.frombuffer(frame.samples, np.int16)) is not None
            for frame in self._within(seconds)
            if frame.microphone == 0
        )

    def _within(self, seconds: float) -> Iterator[Frame]:
        list(self._frames())  # what was said before the question is no answer to it
        end_s = time.monotonic() + seconds
        while time.monotonic() < end_s:
            yield from self._frames()

    def _frames(self) -> Iterator[Frame]:
        select.select([self._capture], [], [], 0.1)
        yield from (m for m in self._capture.read() if isinstance(m, Frame))


def _heard(name: str, levels: Sequence[float]) -> Heard:
    if not levels:
        return Heard(name, QUIETEST_DBFS, QUIETEST_DBFS, sounds=False)
    background, speech = np.percentile(levels, (BACKGROUND, SPEECH))
    return Heard(name, float(background), float(speech))


@contextmanager
def open_microphones(names: Sequence[str]) -> Iterator[Microphones]:
    """Open the microphones of these names, wait until they sound, and close them at the end."""
    capture = Capture(names)
    try:
        microphones = Microphones(names, capture)
        microphones.wait()
        yield microphones
    finally:
        capture.close()


def play(name: str, samples: Samples) -> None:
    """Play `samples` to their end on a loudspeaker; raises `AudioError`."""
    loudspeaker = open_loudspeaker(name)
    try:
        pcm = at_rate(samples.pcm, samples.rate_hz, loudspeaker.rate_hz)
        loudspeaker.write(pcm, "setup")
        loudspeaker.finish("setup")
        time.sleep(loudspeaker.latency_s + 0.1)  # closing cuts off what is still under way
    finally:
        loudspeaker.close()


def best(heard: Sequence[Heard]) -> int | None:
    """The number of the microphone in which the voice stands out most; None where none hears."""
    able = [number for number, one in enumerate(heard) if one.hears]
    return max(able, key=lambda number: heard[number].rises_db, default=None)
