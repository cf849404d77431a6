"""The share of recent results that have one flaw, and whether it is far more than expected.

An alert begins when the share exceeds the expected one by `LEAST_RISE` and by more than chance
explains, which is `DEVIATIONS` standard deviations of the difference between the window's share and
the first results'. It ends when half of that excess is left, and the next begins no sooner than
`AGAIN_AFTER_S` later.
"""

from __future__ import annotations

import math
from collections import deque

import numpy as np

WINDOW = 200
LEARNED_FROM = 200
LEAST = 50
"""Fewest results in the window for a judgement."""
LEAST_RISE = 0.05
DEVIATIONS = 4.0
AGAIN_AFTER_S = 600.0


class FlawGauge:
    """One flaw among the last results, such as answers, that could have it.

    A result whose value exceeds `limit` has the flaw. `learned` is what the first ones taught,
    or None so far; `alarmed` is whether the share is too large.
    """

    def __init__(self, expected: float, limit: float) -> None:
        self.expected, self._limit = expected, limit
        self.learned: float | None = None
        self.alarmed = False
        self._first: list[float] = []
        self._window: deque[bool] = deque(maxlen=WINDOW)
        self._ended_s = -math.inf

    @property
    def count(self) -> int:
        """The number of results in the window."""
        return len(self._window)

    @property
    def share(self) -> float:
        """The share of them that have the flaw, from 0 to 1."""
        return sum(self._window) / len(self._window) if self._window else 0.0

    def take(self, value: float) -> bool:
        """Count one result; whether something was learned from it."""
        self._window.append(value > self._limit)
        if self.learned is not None:
            return False
        self._first.append(value)
        if len(self._first) < LEARNED_FROM:
            return False
        self.learn(self.of_first(self._first))
        self._first.clear()
        return True

    def changed(self, at_s: float) -> bool:
        """Whether an alert begins or ends at `at_s`."""
        if self.count < LEAST:
            return False
        excess, most = self.share - self.expected, self._most()
        if self.alarmed:
            self.alarmed, self._ended_s = excess > most / 2, at_s
            return not self.alarmed
        self.alarmed = excess > most and at_s >= self._ended_s + AGAIN_AFTER_S
        return self.alarmed

    def forget(self) -> bool:
        """Look at the results from now on alone; whether that ends an alert."""
        self._window.clear()
        ended, self.alarmed = self.alarmed, False
        return ended

    def _most(self) -> float:
        """The excess that chance explains, and a little more where chance explains little."""
        likely = min(max(self.expected, 1 / LEARNED_FROM), 0.5)
        samples = 1 / self.count + 1 / LEARNED_FROM
        return max(LEAST_RISE, DEVIATIONS * math.sqrt(likely * (1 - likely) * samples))

    def learn(self, learned: float) -> None:
        """Expect what was learned from now on."""
        raise NotImplementedError

    def of_first(self, values: list[float]) -> float:
        """What the first values teach."""
        raise NotImplementedError


class FlawShare(FlawGauge):
    """A flaw that is there or not; its share is learned, and `most` is tolerated at first."""

    def __init__(self, most: float) -> None:
        super().__init__(most, 0.5)

    def learn(self, learned: float) -> None:
        """Expect this share, if it is less than what was tolerated so far."""
        self.learned, self.expected = learned, min(self.expected, learned)

    def of_first(self, values: list[float]) -> float:
        """Their share."""
        return sum(values) / len(values)


class FlawThreshold(FlawGauge):
    """A flaw from a value on: `most` at first, then `times` what a share of them exceeded."""

    def __init__(self, share: float, most: float, times: float = 1.0) -> None:
        super().__init__(share, most)
        self._times = times

    def learn(self, learned: float) -> None:
        """Let the flaw begin at `times` this value, if that is lower than before."""
        self.learned, self._limit = learned, min(self._limit, self._times * learned)

    def of_first(self, values: list[float]) -> float:
        """The value that the expected share of them exceeded."""
        return float(np.quantile(values, 1 - self.expected))
