"""The circuit breaker of one worker (Nygard 2007), as a value: each event gives the next one.

| state     | a request may go there | becomes                                                   |
|-----------|------------------------|-----------------------------------------------------------|
| closed    | yes                    | open after three failures in a row                        |
| open      | no                     | half open once its rest is over                           |
| half open | one, the probe         | closed if that succeeds, else open for twice as long      |

A probe of which nothing is heard for a rest has failed. What ends while the breaker is open was
sent before it opened, and changes nothing.
"""

from __future__ import annotations

from enum import StrEnum

import msgspec

FAILURES_TO_OPEN = 3
"""Failures in a row."""
FIRST_REST_S, LONGEST_REST_S = 1.0, 60.0


class BreakerState(StrEnum):
    """Which requests may go to a worker."""

    CLOSED = "closed"
    OPEN = "open"
    HALF_OPEN = "half open"


class Breaker(msgspec.Struct, frozen=True):
    """The failures in a row, and until when the worker rests; times are on the caller's clock."""

    failures: int = 0
    until_s: float = 0.0
    rest_s: float = 0.0
    is_probing: bool = False

    def state(self, now_s: float) -> BreakerState:
        """Which requests may go to the worker now."""
        if self.failures < FAILURES_TO_OPEN:
            return BreakerState.CLOSED
        return BreakerState.OPEN if now_s < self.until_s else BreakerState.HALF_OPEN

    def sent(self, now_s: float) -> Breaker:
        """A request goes to the worker; where the breaker is half open, it is the probe."""
        if self.state(now_s) is not BreakerState.HALF_OPEN:
            return self
        failed = self.failed(now_s) if self.is_probing else self
        return msgspec.structs.replace(failed, until_s=now_s + failed.rest_s, is_probing=True)

    def succeeded(self) -> Breaker:
        """A request ended well."""
        is_open = self.failures >= FAILURES_TO_OPEN and not self.is_probing
        return self if is_open else Breaker()

    def failed(self, now_s: float) -> Breaker:
        """A request failed, or the worker did."""
        failures = self.failures + 1
        if failures < FAILURES_TO_OPEN:
            return Breaker(failures=failures)
        if self.failures >= FAILURES_TO_OPEN and not self.is_probing:
            return self
        rest_s = min(2 * self.rest_s or FIRST_REST_S, LONGEST_REST_S)
        return Breaker(failures=failures, until_s=now_s + rest_s, rest_s=rest_s)
