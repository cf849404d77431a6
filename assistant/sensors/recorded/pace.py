"""The pace of a replay: so many times as fast as the sensors told their values."""

from __future__ import annotations

import time


class Pace:
    """Waits until a moment of a file has come, `speed` times as fast as it came then."""

    def __init__(self, speed: float) -> None:
        self._speed, self._began_s = speed, time.monotonic()

    def __call__(self, passed_s: float) -> None:
        """Wait until `passed_s` seconds of the file have passed."""
        due_s = self._began_s + passed_s / self._speed
        time.sleep(max(0.0, due_s - time.monotonic()))
