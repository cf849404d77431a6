"""The last seconds of sound, kept because a wake word is only noticed after it was said."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import NamedTuple

from audio.frames import FRAME_S


class Heard(NamedTuple):
    """One frame, the time of its last sample, and what the VAD said of it."""

    at_s: float
    samples: bytes
    speech: bool


class PreRoll:
    """A ring of the frames of the last `seconds`."""

    def __init__(self, seconds: float) -> None:
        self._ring: deque[Heard] = deque(maxlen=max(1, round(seconds / FRAME_S)))

    def push(self, heard: Heard) -> None:
        """Add the newest frame; the oldest falls out of a full ring."""
        self._ring.append(heard)

    def __iter__(self) -> Iterator[Heard]:
        return iter(self._ring)

    def since(self, at_s: float) -> list[Heard]:
        """The frames that end after `at_s`, oldest first."""
        return [heard for heard in self._ring if heard.at_s > at_s]

    def burst_starts_s(self, pause_s: float, margin_s: float) -> float:
        """When the speech that runs up to now began, `margin_s` earlier.

        A burst is speech without a pause of `pause_s`; silence after it belongs to it. Without any
        speech in the ring it is the ring's own beginning, as nothing is known to be superfluous.
        """
        started_s: float | None = None
        for heard in reversed(self._ring):
            if heard.speech:
                started_s = heard.at_s - FRAME_S
            elif started_s is not None and started_s - heard.at_s >= pause_s - 2 * FRAME_S:
                return started_s - margin_s
        return (self._ring[0].at_s - FRAME_S) if self._ring else 0.0
