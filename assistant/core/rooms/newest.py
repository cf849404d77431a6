"""A dictionary of the entries that were set last, for what outsiders may name without end."""

from __future__ import annotations

from collections import OrderedDict
from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")

ROOMS = 1_000
"""Most rooms of which anything is remembered: a hub's callers name them as they like."""


class Newest(OrderedDict[K, V]):
    """Keeps `most` entries; the one that was set longest ago goes first."""

    def __init__(self, most: int = ROOMS) -> None:
        super().__init__()
        self._most = most

    def __setitem__(self, key: K, value: V) -> None:
        """Set an entry, which is the newest then."""
        super().__setitem__(key, value)
        self.move_to_end(key)
        if len(self) > self._most:
            self.popitem(last=False)
