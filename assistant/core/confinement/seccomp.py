"""A filter of system calls that leaves a process those of a calculation: seccomp(2).

It reads, writes and closes what is open already, and computes. It opens, connects, runs and forks
nothing, and reaches no other process.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct
from collections.abc import Sequence

import msgspec

PR_SET_SECCOMP = 22
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
    alarm: int
    """setitimer"""


CALLS = {
    "x86_64": Calls(
        0xC000003E,
        (
            *(0, 1, 3, 5, 8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 28, 39, 60, 96, 131, 186, 202),
            *(219, 228, 230, 231, 318),
        ),
        (257, 262, 267, 269, 332, 437, 439, 2, 4, 6, 21, 89),
        38,
    ),
    "aarch64": Calls(
        0xC00000B7,
        (
            *(63, 64, 57, 80, 62, 222, 226, 215, 214, 134, 135, 139, 124, 216, 233, 172, 93, 169),
            *(132, 178, 98, 128, 113, 115, 94, 278),
        ),
        (56, 79, 78, 48, 291, 437, 439),
        103,
    ),
}


def filter_calls(alarm: bool = False) -> bool:
    """Filter this process's system calls from now on; False where the kernel does not.

    With `alarm` it may set a timer that interrupts it.
    """
    if platform.machine() not in CALLS:
        return False
    calls = CALLS[platform.machine()]
    # A library that looks for a file finds none and goes on; anything else it tries is refused.
    answers = dict.fromkeys(calls.lookups, SECCOMP_ERRNO | errno.ENOENT)
    answers |= dict.fromkeys(calls.allowed, SECCOMP_ALLOW)
    if alarm:
        answers[calls.alarm] = SECCOMP_ALLOW
    program = [
        _step(LOAD, 4),  # the machine: on another one the numbers mean other calls
        _step(JUMP_IF_EQUAL, calls.machine, 1, 0),
        _step(RETURN, SECCOMP_KILL),
        _step(LOAD, 0),  # the call's number
    ]
    for number, answer in answers.items():
        program += [_step(JUMP_IF_EQUAL, number, 0, 1), _step(RETURN, answer)]
    program.append(_step(RETURN, SECCOMP_ERRNO | errno.EPERM))
    return install(program)


def install(program: Sequence[bytes]) -> bool:
    """Install these steps as the kernel's filter for further system calls; whether it did."""
    steps = ctypes.create_string_buffer(b"".join(program))
    head = struct.pack("HL", len(program), ctypes.addressof(steps))
    prctl = ctypes.CDLL(None).prctl
    return bool(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, head, 0, 0) == 0)


def may_filter() -> bool:
    """Whether a process like this one gets the filter; a child tries, even below other filters."""
    child = os.fork()
    if child == 0:
        os._exit(not filter_calls())
    return os.waitpid(child, 0)[1] == 0


def _step(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("HBBI", code, if_true, if_false, value)
