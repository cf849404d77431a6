"""The number that a satellite says, and how often it may be tried."""

from __future__ import annotations

import math
import secrets
from collections.abc import Callable

from assistant.core.clock import boottime_s
from assistant.core.errors import RoomsError

DIGITS = 6
TRIES = 3
LASTS_S = 180.0
"""Seconds from when a number is said first to its end."""
WAIT_S, LONGEST_WAIT_S = 60.0, 86_400.0
"""Seconds until the next number after one that was guessed at in vain; each doubles them."""


class Number:
    """Six digits at a time; `clock` is one that only goes on."""

    def __init__(self, clock: Callable[[], float] = boottime_s) -> None:
        self._clock = clock
        self._digits, self._tries, self._until_s = "", 0, 0.0
        self._next_at_s, self._wait_s = -math.inf, WAIT_S

    def offer(self) -> str:
        """The digits to say; raises `RoomsError` while there are none."""
        if not self.left:
            wait_s = self._next_at_s - self._clock()
            if wait_s > 0:
                message = f"too many wrong numbers; it says another in {math.ceil(wait_s)} s"
                raise RoomsError("pairing.wait", message)
            self._digits = f"{secrets.randbelow(10**DIGITS):0{DIGITS}}"
            self._tries, self._until_s = TRIES, self._clock() + LASTS_S
        return self._digits

    @property
    def left(self) -> int:
        """How often it may be tried still."""
        return self._tries if self._clock() < self._until_s else 0

    def tried(self) -> str:
        """The digits, for one try, which counts whatever becomes of it; raises `RoomsError`."""
        if not self.left:
            raise RoomsError("pairing.number", "the number has ended; ask for another")
        self._tries -= 1
        if not self._tries:
            self._next_at_s = self._clock() + self._wait_s
            self._wait_s = min(2 * self._wait_s, LONGEST_WAIT_S)
        return self._digits

    def guessed(self) -> None:
        """The number has done what it is for."""
        self._tries, self._next_at_s, self._wait_s = 0, -math.inf, WAIT_S
