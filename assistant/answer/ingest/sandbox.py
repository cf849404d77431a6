"""The rights left to a process that reads untrusted files: memory, time, and one pipe to write to.

Two steps. `isolate`, once for the process that forks the parsers: lowest priority, no network, no
new privileges. `confine`, in each parser when its file is read and before it is parsed: the
kernel's limits (no further descriptor, no child, no byte written to a file), and a filter that
leaves only the system calls of a calculation (seccomp(2)), so that nothing is opened, connected or
run.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import resource
import struct
from collections.abc import Sequence

import msgspec

from assistant.core.fork import die_with_parent

NICEST = 19
CLONE_NEWUSER, CLONE_NEWNET = 0x10000000, 0x40000000
PR_SET_SECCOMP, PR_SET_NO_NEW_PRIVS = 22, 38
SECCOMP_MODE_FILTER, SECCOMP_ALLOW, SECCOMP_ERRNO, SECCOMP_KILL = 2, 0x7FFF0000, 0x50000, 0
LOAD, JUMP_IF_EQUAL, RETURN = 0x20, 0x15, 0x06


class Calls(msgspec.Struct, frozen=True):
    """A machine's number in audit.h, and its numbers of the system calls that matter here."""

    machine: int
    allowed: tuple[int, ...]
    """read write close fstat lseek mmap mprotect munmap brk rt_sigaction rt_sigprocmask
    rt_sigreturn sched_yield mremap madvise getpid exit gettimeofday sigaltstack gettid futex
    restart_syscall clock_gettime clock_nanosleep exit_group getrandom"""
    lookups: tuple[int, ...]
    """openat newfstatat readlinkat faccessat statx openat2 faccessat2, and where there are any
    open stat lstat access readlink"""


CALLS = {
    "x86_64": Calls(
        0xC000003E,
        (
            *(0, 1, 3, 5, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 28, 39, 60, 96, 131, 186, 202),
            *(219, 228, 230, 231, 318),
        ),
        (257, 262, 267, 269, 332, 437, 439, 2, 4, 6, 21, 89),
    ),
    "aarch64": Calls(
        0xC00000B7,
        (
            *(63, 64, 57, 80, 62, 222, 226, 215, 214, 134, 135, 139, 124, 216, 233, 172, 93, 169),
            *(132, 178, 98, 128, 113, 115, 94, 278),
        ),
        (56, 79, 78, 48, 291, 437, 439),
    ),
}


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """The limits for one file."""

    file_bytes: int = 100_000_000
    memory_bytes: int = 512_000_000
    """Memory in addition to what the parsers themselves take."""
    cpu_s: int = 120
    wall_s: float = 900.0
    """Elapsed time; a nice process waits its turn, so this only stops one that sleeps."""
    result_bytes: int = 64_000_000


def isolate(parent: int) -> list[str]:
    """Give up the network and all ways to more rights, and die with `parent`.

    Gives in words what this kernel or container refuses; `confine` works without it.
    """
    os.nice(NICEST)
    libc = ctypes.CDLL(None, use_errno=True)
    die_with_parent(parent)
    refused = []
    if libc.prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0:
        refused.append(f"no_new_privs ({os.strerror(ctypes.get_errno())})")
    if libc.unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0:
        refused.append(f"a network namespace ({os.strerror(ctypes.get_errno())})")
    if not _may_filter():
        refused.append("a filter of system calls")
    return refused


def _may_filter() -> bool:
    """Whether a process like this one gets the filter; a child tries, even below other filters."""
    child = os.fork()
    if child == 0:
        os._exit(not _filter_calls())
    return os.waitpid(child, 0)[1] == 0


def confine(limits: Limits) -> None:
    """Permanently take from this process everything but calculating and writing to open files."""
    kib = 1024
    with open("/proc/self/statm", encoding="ascii") as statm:
        taken_bytes = int(statm.read().split()[0]) * resource.getpagesize()
    memory = (taken_bytes + limits.memory_bytes) // kib * kib
    for limit, value in (
        (resource.RLIMIT_AS, memory),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_NPROC, 0),
        (resource.RLIMIT_NOFILE, 0),
    ):
        resource.setrlimit(limit, (value, value))
    # The soft limit's signal tells the parent why; the hard one is for a child that ignores it.
    resource.setrlimit(resource.RLIMIT_CPU, (limits.cpu_s, limits.cpu_s + 1))
    _filter_calls()


def _filter_calls() -> bool:
    if platform.machine() not in CALLS:
        return False
    calls = CALLS[platform.machine()]
    # A library that looks for a file finds none and goes on; anything else it tries is refused.
    answers = dict.fromkeys(calls.lookups, SECCOMP_ERRNO | errno.ENOENT)
    answers |= dict.fromkeys(calls.allowed, SECCOMP_ALLOW)
    program = [
        _step(LOAD, 4),  # the machine: on another one the numbers mean other calls
        _step(JUMP_IF_EQUAL, calls.machine, 1, 0),
        _step(RETURN, SECCOMP_KILL),
        _step(LOAD, 0),  # the call's number
    ]
    for number, answer in answers.items():
        program += [_step(JUMP_IF_EQUAL, number, 0, 1), _step(RETURN, answer)]
    program.append(_step(RETURN, SECCOMP_ERRNO | errno.EPERM))
    # Where the kernel has no seccomp the limits stand alone; `isolate` has reported it.
    return install(program)


def install(program: Sequence[bytes]) -> bool:
    """Install these steps as the kernel's filter for further system calls; whether it did."""
    steps = ctypes.create_string_buffer(b"".join(program))
    head = struct.pack("HL", len(program), ctypes.addressof(steps))
    prctl = ctypes.CDLL(None).prctl
    return bool(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, head, 0, 0) == 0)


def _step(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("HBBI", code, if_true, if_false, value)
