"""The interface of a wake word engine."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from assistant.core.models.usage import Meter


class Doubt(NamedTuple):
    """A keyword, as configured, that may have been said within the last seconds."""

    keyword: str
    within_s: float


class WakeWordEngine(Protocol):
    """Listens to a stream of frames for some keywords at once."""

    name: str
    locates: bool
    """Whether a second one hears a second of sound at once, to find where in it the word ended."""

    @property
    def doubt(self) -> Doubt | None:
        """What may have been said up to the last frame, where the engine is not sure of it."""

    def process(self, frame: NDArray[np.int16]) -> str | None:
        """Take the next 512 samples; the keyword, as configured, that was just noticed."""

    def close(self) -> None:
        """Release the models."""


class CountedEngine:
    """An `engine` whose frames are counted as runs of a model. Implements `WakeWordEngine`."""

    def __init__(self, engine: WakeWordEngine, version: str) -> None:
        self._engine, self.name, self.locates = engine, engine.name, engine.locates
        self._meter = Meter(f"wake-{engine.name}", version)

    @property
    def doubt(self) -> Doubt | None:
        """What may have been said up to the last frame."""
        return self._engine.doubt

    def process(self, frame: NDArray[np.int16]) -> str | None:
        """Take the next 512 samples; the keyword, as configured, that was just noticed."""
        with self._meter.run():
            return self._engine.process(frame)

    def close(self) -> None:
        """Release the models."""
        self._engine.close()


def spoken(keyword: str) -> str:
    """A keyword in the form in which engines name theirs: lower case, words with one space."""
    return " ".join(keyword.replace("_", " ").casefold().split())


def unknown(keywords: Iterable[str], known: Iterable[str]) -> list[str]:
    """Those `keywords` that are not among `known`."""
    names = set(known)
    return [keyword for keyword in keywords if spoken(keyword) not in names]
