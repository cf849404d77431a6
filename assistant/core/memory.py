"""Return of unused memory to the system, how much is available, and whether work waits for it."""

from __future__ import annotations

import ctypes
import gc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


def collect_and_trim() -> None:
    """Collect garbage and return freed memory to the system; the C library otherwise keeps it."""
    gc.collect()
    trim_heap()


@contextmanager
def without_collections() -> Iterator[None]:
    """A block that makes what stays: each garbage collection meanwhile would look at all of it.

    They take a quarter of the time in which sentences are compiled.
    """
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def trim_heap() -> None:
    """Return freed memory to the system, without garbage collection, which stops other threads.

    A C library other than glibc decides by itself when to do so.
    """
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)


def available_bytes() -> int:
    """Memory available without swapping, as the kernel estimates it; 0 where it does not."""
    try:
        lines = Path("/proc/meminfo").read_text("ascii").splitlines()
    except OSError:
        return 0
    found = (int(line.split()[1]) * 1024 for line in lines if line.startswith("MemAvailable:"))
    return next(found, 0)


def memory_pressure(file: Path = Path("/proc/pressure/memory")) -> float:
    """Share of the last 10 s in which some task stood still for want of memory, from 0 to 1.

    By the kernel's pressure stall information (PSI); 0 where it has none.
    """
    try:
        lines = file.read_text("ascii").splitlines()
    except OSError:
        return 0.0
    shares = (line.split()[1] for line in lines if line.startswith("some avg10="))
    return float(next(shares, "avg10=0").removeprefix("avg10=")) / 100
