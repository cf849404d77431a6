"""The filter of system calls, decided step by step as the kernel would, against a list of names.

The numbers here were written down a second time, from the kernel's tables of system calls
(arch/x86/entry/syscalls/syscall_64.tbl, include/uapi/asm-generic/unistd.h).
"""

from __future__ import annotations

import ctypes
import errno
import resource
import signal
import struct
from collections.abc import Callable
from types import SimpleNamespace

import pytest

from assistant.answer.ingest import sandbox
from assistant.answer.ingest.sandbox import Limits, confine, isolate

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


def installed(machine: str, monkeypatch: pytest.MonkeyPatch) -> list[Step]:
    """The program that the kernel is given on such a machine."""
    programs: list[list[Step]] = []

    def prctl(option: int, mode: int, head: bytes, *_: int) -> int:
        assert (option, mode) == (22, 2)  # PR_SET_SECCOMP, SECCOMP_MODE_FILTER
        length, address = struct.unpack("HL", head)
        content = ctypes.string_at(address, 8 * length)
        programs.append(list(struct.iter_unpack("HBBI", content)))
        return 0

    monkeypatch.setattr(sandbox.platform, "machine", lambda: machine)
    monkeypatch.setattr(sandbox.ctypes, "CDLL", lambda *_, **__: SimpleNamespace(prctl=prctl))
    sandbox._filter_calls()
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
def test_a_parser_may_calculate_finds_no_file_and_is_refused_all_else(
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


def test_the_kernels_limits_are_set_before_the_filter(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[object] = []
    monkeypatch.setattr(
        sandbox.resource, "setrlimit", lambda what, value: done.append((what, value))
    )
    monkeypatch.setattr(sandbox, "_filter_calls", lambda: done.append("filter"))
    confine(Limits(memory_bytes=50_000_000, cpu_s=7))
    memory = dict(done[:-1])[resource.RLIMIT_AS]  # type: ignore[arg-type]
    nothing = (resource.RLIMIT_CORE, resource.RLIMIT_FSIZE, resource.RLIMIT_NPROC)
    assert done[1:] == [
        *((limit, (0, 0)) for limit in (*nothing, resource.RLIMIT_NOFILE)),
        (resource.RLIMIT_CPU, (7, 8)),
        "filter",
    ]
    assert memory[0] == memory[1]
    with open("/proc/self/statm", encoding="ascii") as statm:
        taken = int(statm.read().split()[0]) * resource.getpagesize()
    assert taken + 30_000_000 < memory[0] <= taken + 70_000_000
    assert memory[0] % 1024 == 0


class Libc:
    """Notes what is asked of the kernel, and refuses some of it."""

    def __init__(self, *refused: str) -> None:
        self.asked: list[tuple[object, ...]] = []
        self._refused = refused

    def prctl(self, option: int, *values: int) -> int:
        self.asked.append(("prctl", option, *values))
        return -1 if f"prctl {option}" in self._refused else 0

    def unshare(self, flags: int) -> int:
        self.asked.append(("unshare", flags))
        return -1 if "unshare" in self._refused else 0


@pytest.fixture
def kernel(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Libc]:
    """A kernel that refuses what is named, seen from a process whose parent is number 7."""

    def make(*refused: str) -> Libc:
        libc = Libc(*refused)
        monkeypatch.setattr(sandbox.ctypes, "CDLL", lambda *_, **__: libc)
        monkeypatch.setattr(sandbox.os, "nice", lambda n: libc.asked.append(("nice", n)))
        monkeypatch.setattr(sandbox.os, "getppid", lambda: 7)
        return libc

    return make


def test_the_network_new_rights_and_the_parents_death_are_seen_to(
    kernel: Callable[..., Libc],
) -> None:
    libc = kernel()
    isolate(7)
    assert ("nice", 19) in libc.asked
    assert ("prctl", 1, signal.SIGKILL, 0, 0, 0) in libc.asked  # PR_SET_PDEATHSIG
    assert ("prctl", 38, 1, 0, 0, 0) in libc.asked  # PR_SET_NO_NEW_PRIVS, which takes no less
    assert ("unshare", 0x10000000 | 0x40000000) in libc.asked  # CLONE_NEWUSER, CLONE_NEWNET


def test_of_what_the_kernel_grants_nothing_is_told(kernel: Callable[..., Libc]) -> None:
    kernel()
    assert isolate(7) == []


def test_whoever_has_lost_its_parent_does_not_begin(kernel: Callable[..., Libc]) -> None:
    kernel()
    with pytest.raises(SystemExit) as end:
        isolate(8)
    assert end.value.code == 1


def test_one_file_may_cost_so_much() -> None:
    limits = Limits()
    assert (limits.file_bytes, limits.memory_bytes) == (100_000_000, 512_000_000)
    assert (limits.cpu_s, limits.wall_s, limits.result_bytes) == (120, 900.0, 64_000_000)
