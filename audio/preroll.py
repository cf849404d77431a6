"""Keeps the last seconds of sound, since a wake word is noticed only after it was said."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import NamedTuple

from audio.frames import FRAME_S


class Heard(NamedTuple):
    """One frame, the time of its last sample, and the VAD's decision.

    While the assistant itself sounds, the frame is `masked`: the VAD hears that, and nobody knows
    whether somebody speaks as well.
    """

    at_s: float
    samples: bytes
    speech: bool
    masked: bool = False


class PreRoll:
    """A ring of the frames of the last `seconds`."""

    def __init__(self, seconds: float) -> None:
        self._ring: deque[Heard] = deque(maxlen=max(1, round(seconds / FRAME_S)))

    def push(self, heard: Heard) -> None:
        """Add the newest frame; a full ring drops its oldest."""
        self._ring.append(heard)

    def clear(self) -> None:
        """Forget every frame."""
        self._ring.clear()

    def __iter__(self) -> Iterator[Heard]:
        return iter(self._ring)

    def since(self, at_s: float) -> list[Heard]:
        """The frames that end after `at_s`, oldest first."""
        return [heard for heard in self._ring if heard.at_s > at_s]

    def burst_starts_s(
        self, pause_s: float, margin_s: float, *, through_masked: bool = False
    ) -> float:
        """When the latest burst of speech began, less `margin_s`.

        A burst is speech without a pause of `pause_s`, with the silence after it. Masked frames are
        a pause, too, but not with `through_masked`. Without any speech in the ring this is the
        ring's beginning, as nothing is known to be unneeded.
        """
        started_s: float | None = None
        for heard in reversed(self._ring):
            if heard.speech or (heard.masked and through_masked and started_s is not None):
                started_s = heard.at_s - FRAME_S
            elif started_s is not None and started_s - heard.at_s >= pause_s - 2 * FRAME_S:
                return started_s - margin_s
        return (self._ring[0].at_s - FRAME_S) if self._ring else 0.0
