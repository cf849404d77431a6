"""What a decoder may write, piece by piece: the interface between sentences and any language model.

A decoder that writes text, of what was heard or of what was asked, asks at each step which pieces
of its vocabulary may follow and at what price, and tells which one it has taken. Prices are natural
logarithms of how likely a sentence begins so, those of whole sentences and of what they begin with.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray


class Way(NamedTuple):
    """One reading of the pieces so far."""

    price: float
    words: tuple[str | int, ...]
    """The words and phrases that are complete; a number is a piece of what may be anything."""


Places = Mapping[Hashable, Way]
"""Where in the sentences the pieces so far may stand, with the best way to each place."""


class Options(NamedTuple):
    """Pieces that may follow, and the price of the best sentence that goes on so; one may recur."""

    pieces: NDArray[np.int32]
    prices: NDArray[np.float32]


class Constraint(Protocol):
    """All that may be written."""

    def start(self) -> Places:
        """The places before the first piece."""

    def options(self, places: Places) -> Options:
        """The pieces that may follow, but for those of what may be anything."""

    def opened(self, places: Places) -> float:
        """The price at which any piece may follow; -inf where none may."""

    def accept(self, places: Places, piece: int) -> Places:
        """The places after a further piece; none where it may not follow."""

    def ending(self, places: Places) -> Way | None:
        """The sentence that the pieces so far are; None where they are none."""

    def text(self, way: Way) -> str:
        """The words of a sentence as they are spoken."""
