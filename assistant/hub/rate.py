"""How often a tenant may ask: a token bucket, with time as data."""

from __future__ import annotations


class TokenBucket:
    """Lets `burst` requests through at once, and `per_s` a second in the long run."""

    def __init__(self, per_s: float, burst: int) -> None:
        self._per_s, self._burst = per_s, burst
        self._tokens, self._at_s = float(burst), 0.0

    def take(self, now_s: float) -> float:
        """Take a token: 0 where there was one, or else the seconds until there is."""
        gained = (now_s - self._at_s) * self._per_s
        self._tokens, self._at_s = min(self._tokens + gained, float(self._burst)), now_s
        if self._tokens < 1.0:
            return (1.0 - self._tokens) / self._per_s
        self._tokens -= 1.0
        return 0.0
