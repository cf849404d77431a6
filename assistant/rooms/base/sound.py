"""The sound of a satellite as frames, with times that a network's jitter does not move."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from wyoming.audio import AudioChunk

from assistant.core.errors import RoomsError
from assistant.core.messages import SAMPLE_RATE_HZ, Frame
from audio.frames import FRAME_S, MOST_CHANNELS, RATES_HZ, Framer

LATE_S = 2.0
"""Seconds by which sound may come late; after a longer gap its times begin anew.

What was heard before it began to be sent may be older by as much.
"""


class SatelliteSound:
    """Cuts one satellite's chunks, of any rate and channel count, into frames."""

    def __init__(self) -> None:
        self._form = (SAMPLE_RATE_HZ, 1)
        self._framer = Framer(*self._form)
        self._comes, self._late_s = False, LATE_S
        self.ended_s = float("-inf")
        """When the last frame ended, as it was heard."""
        self.came_at_s = float("-inf")
        """When the last of it came, or was told to come."""

    @property
    def comes(self) -> bool:
        """Whether some of it has come."""
        return self._comes

    def begin(self, at_s: float = float("-inf"), before_s: float = 0.0) -> None:
        """Other sound comes next: what was heard from `at_s` on, or what is heard as it comes.

        It begins with the `before_s` seconds that were heard before that.
        """
        self._framer = Framer(*self._form)
        self._comes, self._late_s = False, LATE_S + before_s
        self.ended_s, self.came_at_s = at_s - before_s, at_s

    def frames(self, chunk: AudioChunk, at_s: float) -> Iterator[Frame]:
        """The frames that a chunk, which comes at `at_s`, completes.

        They follow one another without a gap, as they were heard, and none is in the future.
        Raises `RoomsError` for a form that is not taken, and `ValueError` for half a sample.
        """
        _check(chunk)
        self.came_at_s = at_s
        if (form := (chunk.rate, chunk.channels)) != self._form:
            self._form, self._framer = form, Framer(*form)
        for samples in self._framer.push(np.frombuffer(chunk.audio, np.int16)):
            ended_s = self.ended_s + FRAME_S
            if not at_s - self._late_s <= ended_s <= at_s:
                ended_s = at_s
            self.ended_s, self._comes = ended_s, True
            yield Frame(at_s=ended_s, samples=samples)


def _check(chunk: AudioChunk) -> None:
    channels = range(1, MOST_CHANNELS + 1)
    if chunk.width != 2 or chunk.rate not in RATES_HZ or chunk.channels not in channels:
        form = f"{chunk.rate} Hz, {chunk.width} bytes a sample, {chunk.channels} channels"
        raise RoomsError("rooms.format", f"its sound cannot be used: {form}")
