"""The rights that a process gives up before it runs what nobody vouches for.

Two steps. `isolate`, once for the process that forks the others: no network, no new privileges.
`confine`, in each of those: the kernel's limits (memory, no further descriptor, no child, no byte
written to a file), and the filter of system calls.
"""

from __future__ import annotations

import ctypes
import os
import resource

from assistant.core.confinement.seccomp import filter_calls, may_filter
from assistant.core.fork import die_with_parent

CLONE_NEWUSER, CLONE_NEWNET = 0x10000000, 0x40000000
PR_SET_NO_NEW_PRIVS = 38
CALLS_FILTER = "a filter of system calls"
"""The one refusal of `isolate` without which nothing else holds."""


def isolate(parent: int, niceness: int = 0) -> list[str]:
    """Give up the network and all ways to more rights, and die with `parent`.

    Gives in words what this kernel or container refuses; `confine` works without it.
    """
    os.nice(niceness)
    libc = ctypes.CDLL(None, use_errno=True)
    die_with_parent(parent)
    refused = []
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
        refused.append(f"no_new_privs ({os.strerror(ctypes.get_errno())})")
    if libc.unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0:
        refused.append(f"a network namespace ({os.strerror(ctypes.get_errno())})")
    if not may_filter():
        refused.append(CALLS_FILTER)
    return refused


def confine(memory_bytes: int, alarm: bool = False) -> bool:
    """Permanently take from this process everything but calculating and writing to open files.

    It may take so much memory in addition to what it has, and with `alarm` interrupt itself. False
    where the filter of system calls is refused, and the limits stand alone.
    """
    limit(memory_bytes)
    return filter_calls(alarm)


def limit(memory_bytes: int, file_bytes: int = 0, descriptors: int = 0) -> None:
    """Permanently bound what this process may take; it starts no other.

    `memory_bytes` are in addition to what it has, `file_bytes` those of each file that it writes,
    and of `descriptors` it may have so many open.
    """
    kib = 1024
    with open("/proc/self/statm", encoding="ascii") as statm:
        taken_bytes = int(statm.read().split()[0]) * resource.getpagesize()
    memory = (taken_bytes + memory_bytes) // kib * kib
    for what, value in (
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, file_bytes),
        (resource.RLIMIT_NPROC, 0),
        (resource.RLIMIT_NOFILE, descriptors),
    ):
        resource.setrlimit(what, (value, value))
