"""Memory that is no longer used, back to the system."""

from __future__ import annotations

import ctypes
import gc
from pathlib import Path


def give_back_unused() -> None:
    """Free what loading left behind; the C library otherwise keeps it for itself."""
    gc.collect()
    give_back_freed()


def give_back_freed() -> None:
    """The same without the search for cycles, during which no other thread of Python runs.

    Where the C library is not glibc, it decides by itself.
    """
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


def available_bytes() -> int:
    """Memory that can be had without swapping, as the kernel estimates it; 0 where it does not."""
    try:
        lines = Path("/proc/meminfo").read_text("ascii").splitlines()
    except OSError:
        return 0
    found = (int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:"))
    return next(found, 0)
