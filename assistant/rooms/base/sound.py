"""The sound of a satellite as frames, with times that a network's jitter does not move."""

from __future__ import annotations

from collections.abc import Iterator

from wyoming.audio import AudioChunk, AudioChunkConverter

from assistant.core.messages import SAMPLE_RATE_HZ, Frame
from audio.frames import FRAME_BYTES, FRAME_S, Reblock

LATE_S = 2.0
"""Seconds by which sound may come late; after a longer gap its times begin anew."""


class SatelliteSound:
    """Cuts one satellite's chunks of any form into frames."""

    def __init__(self) -> None:
        self._converter = AudioChunkConverter(rate=SAMPLE_RATE_HZ, width=2, channels=1)
        self._blocks = Reblock(FRAME_BYTES)
        self.ended_s = float("-inf")
        """When the last frame ended."""

    def begin(self, at_s: float = float("-inf")) -> None:
        """Other sound comes next: what was heard from `at_s` on, or what is heard as it comes."""
        self._blocks = Reblock(FRAME_BYTES)
        self.ended_s = at_s

    def frames(self, chunk: AudioChunk, at_s: float) -> Iterator[Frame]:
        """The frames that a chunk, which comes at `at_s`, completes.

        They follow one another without a gap, as they were heard, and none is in the future.
        Raises `ValueError` for a form that cannot be converted.
        """
        for samples in self._blocks.push(self._converter.convert(chunk).audio):
            ended_s = self.ended_s + FRAME_S
            if not at_s - LATE_S <= ended_s <= at_s:
                ended_s = at_s
            self.ended_s = ended_s
            yield Frame(at_s=ended_s, samples=samples)
