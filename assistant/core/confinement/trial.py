"""What this kernel or container takes from a process, tried in a fork that gives it up."""

from __future__ import annotations

import ctypes
import mmap
import os
import platform

from assistant.core.confinement.rights import isolate, limit

LANDLOCK_CREATE_RULESET = 444
"""The same number on all machines."""
VERSION = 1
"""Asks for the version of Landlock alone."""
SOME_BYTES = 8 << 20

FILES_LIMIT, MEMORY_LIMIT = "a limit of open files", "a limit of memory"
LANDLOCK = "Landlock"


def refusals() -> tuple[str, ...]:
    """What is refused, or not kept, of the steps by which untrusted code is confined, in words.

    Landlock is among them, which nothing here relies on.
    """
    read, write = os.pipe()
    parent, child = os.getpid(), os.fork()
    if child == 0:
        try:
            os.close(read)
            os.write(write, "\n".join((*isolate(parent), *_unlimited(), *_no_landlock())).encode())
        finally:
            os._exit(0)
    os.close(write)
    with open(read, encoding="utf-8") as told:
        words = told.read()
    os.waitpid(child, 0)
    return tuple(words.splitlines())


def _no_landlock() -> list[str]:
    if platform.machine() not in ("x86_64", "aarch64"):
        return [LANDLOCK]
    version = ctypes.CDLL(None).syscall(LANDLOCK_CREATE_RULESET, None, 0, VERSION)
    return [] if version > 0 else [LANDLOCK]


def _unlimited() -> list[str]:
    """The limits that this process passes by; they stay in force for it."""
    limit(SOME_BYTES)
    passed = []
    try:
        # Mapped, as what the process has freed before may serve an allocation.
        mmap.mmap(-1, 8 * SOME_BYTES, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS).close()
        passed.append(MEMORY_LIMIT)
    except OSError:
        pass
    try:
        os.close(os.open(os.devnull, os.O_RDONLY))
        passed.append(FILES_LIMIT)
    except OSError:
        pass
    return passed
