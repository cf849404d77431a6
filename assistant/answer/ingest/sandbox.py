"""The rights left to a process that reads untrusted files: memory, time, and one pipe to write to.

The process that forks the parsers is isolated once (`assistant.core.confinement`). Each parser is
confined when its file is read and before it is parsed.
"""

from __future__ import annotations

import resource

import msgspec

from assistant.core.confinement import rights

NICEST = 19


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """The limits for one file."""

    file_bytes: int = 100_000_000
    memory_bytes: int = 512_000_000
    """Memory in addition to what the parsers themselves take."""
    cpu_s: int = 120
    wall_s: float = 900.0
    """Elapsed time; a nice process waits its turn, so this only stops one that sleeps."""
    result_bytes: int = 64_000_000


def confine(limits: Limits) -> None:
    """Permanently take from this process everything but calculating and writing to open files."""
    # The soft limit's signal tells the parent why; the hard one is for a child that ignores it.
    resource.setrlimit(resource.RLIMIT_CPU, (limits.cpu_s, limits.cpu_s + 1))
    rights.confine(limits.memory_bytes)
