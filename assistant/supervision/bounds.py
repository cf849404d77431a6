"""Limits on what a process may use, and what /proc tells of it."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

import msgspec


class Bounds(msgspec.Struct, frozen=True, kw_only=True):
    """Limits above which a process is restarted, far above what it needs."""

    resident_bytes: int = 1_000_000_000
    """Memory that is not swapped out, including memory shared with other processes."""
    descriptors: int = 512
    """Open files and sockets; the kernel's own limit is 1024 by default."""


def resource_usage(pid: int) -> tuple[int, int]:
    """Bytes of resident memory and number of open files; raises `OSError` when it is gone."""
    pages = int(Path(f"/proc/{pid}/statm").read_bytes().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE"), len(os.listdir(f"/proc/{pid}/fd"))


def waits_s(pid: int, forks: bool = False) -> dict[str, float]:
    """Thread → seconds in which it could have run and had no processor; {} where unknown.

    With `forks` the threads of its child processes are among them.
    """
    found: dict[str, float] = {}
    with suppress(OSError):
        for thread in os.listdir(f"/proc/{pid}/task"):
            with suppress(OSError):  # it has ended
                folder = Path(f"/proc/{pid}/task/{thread}")
                found[thread] = int((folder / "schedstat").read_bytes().split()[1]) / 1e9
                for child in (folder / "children").read_bytes().split() if forks else ():
                    found |= waits_s(int(child), forks)
    return found


def excess(pid: int, bounds: Bounds) -> str:
    """The limit that the process exceeds, in words; "" for none, or when the process is gone."""
    with suppress(OSError):
        resident_bytes, descriptors = resource_usage(pid)
        if resident_bytes > bounds.resident_bytes:
            most_mb = bounds.resident_bytes / 1e6
            return f"uses {resident_bytes / 1e6:.0f} MB of memory, more than its {most_mb:.0f}"
        if descriptors > bounds.descriptors:
            return f"has {descriptors} files open, more than its {bounds.descriptors}"
    return ""
