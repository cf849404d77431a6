"""What a replica tells of itself twice a second: what it holds for whom, and its speed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from itertools import count
from typing import Any

import msgspec

PERIOD_S = 5.0
"""Longest time of work after which the speed is measured anew."""
KEPT = 0.9
"""Weight of the last periods beside the newest one."""
DIGITS = 2
"""Digits of the speed that are told: all routers get news, which so differ only by a change."""


class News(msgspec.Struct, frozen=True):
    """What a replica told last; as it is before it has told anything."""

    left: Mapping[str, tuple[int, ...]] = {}
    """Caller → the tokens of each request that the replica holds for it."""
    tokens_per_s: float = 0.0
    """Its speed as measured; 0 before it has served a request."""


class Holding:
    """The requests that a replica holds.

    Its speed is the tokens of what it served to the end over the time in which it held anything:
    the progress of what it still holds is not seen, so a period ends when it holds nothing, or
    after `PERIOD_S`.
    """

    def __init__(self) -> None:
        self._numbers = count()
        self._held: dict[int, tuple[str, int]] = {}
        self._began_s, self._served = 0.0, 0
        """Begin of this period, and the tokens that were served in it."""
        self._all_s, self._all_served = 0.0, 0.0

    def take(self, caller: str, tokens: int, now_s: float) -> int:
        """Note a request of so many tokens; gives the number to `leave` it by."""
        if not self._held:
            self._began_s, self._served = now_s, 0
        number = next(self._numbers)
        self._held[number] = (caller, tokens)
        return number

    def leave(self, number: int, is_served: bool, now_s: float) -> None:
        """Note that a request is over, and whether it was served to the end."""
        _, tokens = self._held.pop(number)
        self._served += tokens if is_served else 0
        worked_s = now_s - self._began_s
        if not self._held or worked_s > PERIOD_S:
            self._all_s = KEPT * self._all_s + worked_s
            self._all_served = KEPT * self._all_served + self._served
            self._began_s, self._served = now_s, 0

    def news(self) -> dict[str, Any]:
        """`News`, as plain values: Serve's own processes pass them on."""
        left: defaultdict[str, list[int]] = defaultdict(list)
        for caller, tokens in self._held.values():
            left[caller].append(tokens)
        speed = self._all_served / self._all_s if self._all_s else 0.0
        return {"left": dict(left), "tokens_per_s": float(f"{speed:.{DIGITS}g}")}


def told(news: Mapping[str, Any]) -> News:
    """What `Holding.news` gave, or {} before that."""
    return msgspec.convert(news, News)
