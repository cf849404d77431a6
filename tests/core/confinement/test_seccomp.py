"""The filter of system calls, decided step by step as the kernel would, against a list of names.

The numbers here were written down a second time, from the kernel's tables of system calls
(arch/x86/entry/syscalls/syscall_64.tbl, include/uapi/asm-generic/unistd.h).
"""

from __future__ import annotations

import ctypes
import errno
import struct
from types import SimpleNamespace

import pytest

from assistant.core.confinement import seccomp

X86_64, AARCH64 = 0xC000003E, 0xC00000B7
ALLOW, KILL = 0x7FFF0000, 0x00000000
REFUSED, NOT_FOUND = 0x00050000 | errno.EPERM, 0x00050000 | errno.ENOENT

CALCULATING = {
    **{"read": (0, 63), "write": (1, 64), "close": (3, 57), "fstat": (5, 80), "lseek": (8, 62)},
    **{"mmap": (9, 222), "mprotect": (10, 226), "munmap": (11, 215), "brk": (12, 214)},
    **{"rt_sigaction": (13, 134), "rt_sigprocmask": (14, 135), "rt_sigreturn": (15, 139)},
    **{"sched_yield": (24, 124), "mremap": (25, 216), "madvise": (28, 233), "getpid": (39, 172)},
    **{"exit": (60, 93), "gettimeofday": (96, 169), "sigaltstack": (131, 132)},
    **{"gettid": (186, 178), "futex": (202, 98), "restart_syscall": (219, 128)},
    **{"clock_gettime": (228, 113), "clock_nanosleep": (230, 115), "exit_group": (231, 94)},
    **{"getrandom": (318, 278)},
}
"""Name → its number on x86-64 and on aarch64, of what a calculation needs."""
LOOKING = {
    **{"openat": (257, 56), "newfstatat": (262, 79), "readlinkat": (267, 78)},
    **{"faccessat": (269, 48), "statx": (332, 291), "openat2": (437, 437)},
    **{"faccessat2": (439, 439)},
}
LOOKING_ON_X86 = {"open": 2, "stat": 4, "lstat": 6, "access": 21, "readlink": 89}

Step = tuple[int, int, int, int]


def installed(machine: str, monkeypatch: pytest.MonkeyPatch, alarm: bool = False) -> list[Step]:
    """The program that the kernel is given on such a machine."""
    programs: list[list[Step]] = []

    def prctl(option: int, mode: int, head: bytes, *_: int) -> int:
        assert (option, mode) == (22, 2)  # PR_SET_SECCOMP, SECCOMP_MODE_FILTER
        length, address = struct.unpack("HL", head)
        content = ctypes.string_at(address, 8 * length)
        programs.append(list(struct.iter_unpack("HBBI", content)))
        return 0

    monkeypatch.setattr(seccomp.platform, "machine", lambda: machine)
    monkeypatch.setattr(seccomp.ctypes, "CDLL", lambda *_, **__: SimpleNamespace(prctl=prctl))
    seccomp.filter_calls(alarm)
    return programs[0] if programs else []


def decided(program: list[Step], machine: int, call: int) -> int:
    """The kernel's answer to one system call."""
    at, accumulator = 0, 0
    while True:
        code, if_true, if_false, value = program[at]
        assert code == 0x15 or (if_true, if_false) == (0, 0)
        at += 1
        if code == 0x20:  # load: seccomp_data is the call's number, then the machine
            accumulator = {0: call, 4: machine}[value]
        elif code == 0x15:  # jump if equal
            at += if_true if accumulator == value else if_false
        else:
            assert code == 0x06  # return
            return value


@pytest.mark.parametrize(
    ("name", "machine", "column"), [("x86_64", X86_64, 0), ("aarch64", AARCH64, 1)]
)
def test_a_process_may_calculate_finds_no_file_and_is_refused_all_else(
    name: str, machine: int, column: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = installed(name, monkeypatch)
    allowed = {numbers[column] for numbers in CALCULATING.values()}
    absent = {numbers[column] for numbers in LOOKING.values()}
    absent |= set(LOOKING_ON_X86.values()) if column == 0 else set()
    for call in range(600):
        wanted = ALLOW if call in allowed else NOT_FOUND if call in absent else REFUSED
        assert decided(program, machine, call) == wanted, call
    # The x32 calls of x86-64 have a bit of their own.
    assert decided(program, machine, 0x40000000) == REFUSED
    other = AARCH64 if machine == X86_64 else X86_64
    assert {decided(program, other, call) for call in range(600)} == {KILL}


def test_on_another_machine_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    assert installed("riscv64", monkeypatch) == []


@pytest.mark.parametrize(
    ("name", "machine", "call"), [("x86_64", X86_64, 38), ("aarch64", AARCH64, 103)]
)
def test_an_alarm_may_be_set_where_that_is_asked_for(
    name: str, machine: int, call: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert decided(installed(name, monkeypatch), machine, call) == REFUSED
    assert decided(installed(name, monkeypatch, alarm=True), machine, call) == ALLOW
