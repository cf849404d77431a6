"""The share of the last answers that have one flaw, and whether it is far more than expected.

An alert begins when the share exceeds what is expected by `LEAST_RISE` and by more than chance
explains, `DEVIATIONS` of the difference between the window's share and the first answers'. It ends
when half of that excess is left, and begins again no sooner than `AGAIN_AFTER_S` later.
"""

from __future__ import annotations

import math
from collections import deque

import numpy as np

WINDOW = 200
LEARNED_FROM = 200
LEAST = 50
"""Answers in the window before they are judged."""
LEAST_RISE = 0.05
DEVIATIONS = 4.0
AGAIN_AFTER_S = 600.0


class Gauge:
    """One flaw among the last answers that could have it.

    An answer whose value exceeds `limit` has it; `learned` is what the first ones taught, if they
    did, and `alarmed` whether the share is too large.
    """

    def __init__(self, expected: float, limit: float) -> None:
        self.expected, self._limit = expected, limit
        self.learned: float | None = None
        self.alarmed = False
        self._first: list[float] = []
        self._window: deque[bool] = deque(maxlen=WINDOW)
        self._ended_s = -math.inf

    @property
    def answers(self) -> int:
        """How many are in the window."""
        return len(self._window)

    @property
    def share(self) -> float:
        """How many of them have the flaw, from 0 to 1."""
        return sum(self._window) / len(self._window) if self._window else 0.0

    def take(self, value: float) -> bool:
        """Count one answer; whether something has been learned by it."""
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
        if self.answers < LEAST:
            return False
        excess, most = self.share - self.expected, self._most()
        if self.alarmed:
            self.alarmed, self._ended_s = excess > most / 2, at_s
            return not self.alarmed
        self.alarmed = excess > most and at_s >= self._ended_s + AGAIN_AFTER_S
        return self.alarmed

    def _most(self) -> float:
        """The excess that chance explains, and a little more where chance explains little."""
        likely = min(max(self.expected, 1 / LEARNED_FROM), 0.5)
        samples = 1 / self.answers + 1 / LEARNED_FROM
        return max(LEAST_RISE, DEVIATIONS * math.sqrt(likely * (1 - likely) * samples))

    def learn(self, learned: float) -> None:
        """Expect from now on what was learned."""
        raise NotImplementedError

    def of_first(self, values: list[float]) -> float:
        """What the first values teach."""
        raise NotImplementedError


class FlawShare(Gauge):
    """A flaw that is there or not; its share is learned, and `most` of it is borne at first."""

    def __init__(self, most: float) -> None:
        super().__init__(most, 0.5)

    def learn(self, learned: float) -> None:
        """Expect this share, if it is less than what was borne so far."""
        self.learned, self.expected = learned, min(self.expected, learned)

    def of_first(self, values: list[float]) -> float:
        """Their share."""
        return sum(values) / len(values)


class Limit(Gauge):
    """A flaw that begins at a value: `most` at first, then at `times` what a share exceeded."""

    def __init__(self, share: float, most: float, times: float = 1.0) -> None:
        super().__init__(share, most)
        self._times = times

    def learn(self, learned: float) -> None:
        """Let the flaw begin at `times` this value, if it began later so far."""
        self.learned, self._limit = learned, min(self._limit, self._times * learned)

    def of_first(self, values: list[float]) -> float:
        """What the expected share of them exceeded."""
        return float(np.quantile(values, 1 - self.expected))
