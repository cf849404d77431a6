"""What this machine tells of its wall clock: whether something has set it that knows the time.

Only files and one system call are read, as no bus can be reached from the service. Its unit shows
it the folder of systemd-timesyncd; the system call is refused there (ProtectClock=). Whether chrony
has set the clock is therefore seen outside of the service alone.
"""

from __future__ import annotations

import ctypes
import time
from collections.abc import Callable
from datetime import UTC, datetime
from enum import Enum
from pathlib import Path

MADE = datetime(2026, 11, 1, tzinfo=UTC)
"""When this was written; a clock that shows an earlier time is wrong."""
_APART_S = 86_400.0
"""Most seconds between the clock and the battery's, which may be in local time.

A clock chip without a battery begins in 1970 or 2000, while systemd sets the clock to the time of
the last shutdown.
"""
_TIME_ERROR = 5
"""What `adjtimex` returns for a clock that is not synchronised."""


class Evidence(Enum):
    """What is known of the wall clock."""

    NETWORK = "set by network time"
    BATTERY = "kept by a battery"
    WRONG = "surely wrong"
    AWAITED = "not set by network time yet"
    NONE = "nothing tells whether it is right"


def kernel_synchronised() -> bool:
    """Whether something keeps the kernel's clock right; False where that may not be asked."""
    unchanged = (ctypes.c_char * 512)()  # struct timex of no modes
    try:
        state = ctypes.CDLL(None).adjtimex(unchanged)
    except AttributeError:  # another C library
        return False
    return 0 <= int(state) < _TIME_ERROR


def clock_evidence(
    root: Path = Path("/"), synchronised: Callable[[], bool] = kernel_synchronised
) -> Evidence:
    """Read it from the files below `root` and, by `synchronised`, from the kernel."""
    if time.time() < MADE.timestamp():
        return Evidence.WRONG
    timesync = root / "run/systemd/timesync"
    if (timesync / "synchronized").exists() or synchronised():
        return Evidence.NETWORK
    if any(_kept(chip) for chip in (root / "sys/class/rtc").glob("rtc*")):
        return Evidence.BATTERY
    return Evidence.AWAITED if timesync.is_dir() else Evidence.NONE


def _kept(chip: Path) -> bool:
    """Whether the clock was set from this chip at the boot, and the chip had kept the time."""
    try:
        used = (chip / "hctosys").read_text("ascii").strip() == "1"
        told_s = float((chip / "since_epoch").read_text("ascii"))
    except (OSError, ValueError):
        return False
    return used and abs(told_s - time.time()) < _APART_S
