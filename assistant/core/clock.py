"""The one clock by which things are timed."""

from __future__ import annotations

import time


def boottime_s() -> float:
    """Seconds of CLOCK_BOOTTIME: it never jumps and goes on during suspend."""
    return time.clock_gettime(time.CLOCK_BOOTTIME)
