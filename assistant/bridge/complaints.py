"""Rate-limited lines in the log: few a minute for each culprit, with the number left out."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

EVERY_S = 60.0


class Complaints:
    """Logs `most` lines in `EVERY_S` for each culprit; there must be a limit to the culprits."""

    def __init__(
        self, log: logging.Logger, clock: Callable[[], float] = time.monotonic, most: int = 1
    ) -> None:
        self._log, self._clock, self._most = log, clock, most
        self._due_s: dict[str, float] = {}
        """Culprit → when as many lines may be logged again."""
        self._left: dict[str, int] = {}
        """Culprit → how many lines may be logged until then."""
        self._kept_back: dict[str, int] = {}

    def of(self, culprit: str, what: str, level: int = logging.WARNING) -> None:
        """Log a line about `culprit`, or count it for the next one."""
        now_s = self._clock()
        if now_s >= self._due_s.get(culprit, now_s):
            self._due_s[culprit], self._left[culprit] = now_s + EVERY_S, self._most
        if not self._left[culprit]:
            self._kept_back[culprit] = self._kept_back.get(culprit, 0) + 1
            return
        self._left[culprit] -= 1
        more = self._kept_back.pop(culprit, 0)
        before = f"; {more} more before it" if more else ""
        self._log.log(level, "%s: %s%s", culprit, what, before)
