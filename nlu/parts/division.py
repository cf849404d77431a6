"""Divides words into parts at the least cost."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol, TypeVar


class Priced(Protocol):
    """A part of a text: where it begins, and what it costs."""

    @property
    def start(self) -> int:
        """The place of its first word."""

    @property
    def cost(self) -> float:
        """What it costs to read its words so."""


P = TypeVar("P", bound=Priced)


def cheapest(count: int, longest: int, parts: Callable[[int, int], Iterable[P]]) -> list[P] | None:
    """The parts of `count` words that cost the least together; None where words are in no part.

    `parts` gives the parts from one place to another, at most `longest` words. Of equal costs, the
    first is taken.
    """
    best: list[tuple[float, P | None]] = [(0.0, None)]
    for end in range(1, count + 1):
        options = [
            (best[start][0] + part.cost, part)
            for start in range(max(0, end - longest), end)
            if best[start][0] < float("inf")
            for part in parts(start, end)
        ]
        best.append(min(options, key=lambda option: option[0], default=(float("inf"), None)))
    if best[-1][0] == float("inf"):
        return None
    found: list[P] = []
    at = count
    while at and (part := best[at][1]) is not None:
        found.append(part)
        at = part.start
    return found[::-1]
