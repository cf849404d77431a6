"""Several engines that listen at once, each for keywords of its own."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from audio.wake.engine import Doubt, WakeWordEngine


class JoinedEngines:
    """What any of `engines` notices; where several do at once, what the first of them does."""

    def __init__(self, engines: Sequence[WakeWordEngine]) -> None:
        self._engines = tuple(engines)
        self.name = " and ".join(engine.name for engine in engines)
        self.locates = all(engine.locates for engine in engines)

    @property
    def doubt(self) -> Doubt | None:
        """What may have been said up to the last frame, by the first of them that doubts."""
        doubts = (engine.doubt for engine in self._engines)
        return next((doubt for doubt in doubts if doubt is not None), None)

    def process(self, frame: NDArray[np.int16]) -> str | None:
        """Take the next 512 samples; the keyword, as configured, that was just noticed."""
        # Each is fed every frame, whatever the others notice.
        noticed = [engine.process(frame) for engine in self._engines]
        return next((keyword for keyword in noticed if keyword is not None), None)

    def close(self) -> None:
        """Release the models."""
        for engine in self._engines:
            engine.close()


def joined(engines: Sequence[WakeWordEngine]) -> WakeWordEngine:
    """Several engines as one; a single one as it is."""
    return engines[0] if len(engines) == 1 else JoinedEngines(engines)
