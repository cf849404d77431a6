"""The interface of a wake word engine."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray


class WakeWordEngine(Protocol):
    """Listens to a stream of frames for some keywords at once."""

    name: str
    locates: bool
    """Whether a second one hears a second of sound at once, to find where in it the word ended."""

    def process(self, frame: NDArray[np.int16]) -> str | None:
        """Take the next 512 samples; the keyword, as configured, that was just noticed."""

    def close(self) -> None:
        """Release the models."""


def spoken(keyword: str) -> str:
    """A keyword in the form in which engines name theirs: lower case, words with one space."""
    return " ".join(keyword.replace("_", " ").casefold().split())


def unknown(keywords: Iterable[str], known: Iterable[str]) -> list[str]:
    """Those `keywords` that are not among `known`."""
    names = set(known)
    return [keyword for keyword in keywords if spoken(keyword) not in names]
