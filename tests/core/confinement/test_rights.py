"""What a process gives up before it runs what nobody vouches for, as it is asked of the kernel."""

from __future__ import annotations

import resource
import signal
from collections.abc import Callable

import pytest

from assistant.core.confinement import rights
from assistant.core.confinement.rights import confine, isolate


def test_the_kernels_limits_are_set_before_the_filter(monkeypatch: pytest.MonkeyPatch) -> None:
    done: list[object] = []
    monkeypatch.setattr(
        rights.resource, "setrlimit", lambda what, value: done.append((what, value))
    )
    monkeypatch.setattr(rights, "filter_calls", lambda alarm: done.append("filter"))
    confine(50_000_000)
    memory = dict(done[:-1])[resource.RLIMIT_AS]  # type: ignore[arg-type]
    nothing = (resource.RLIMIT_CORE, resource.RLIMIT_FSIZE, resource.RLIMIT_NPROC)
    assert done[1:] == [
        *((limit, (0, 0)) for limit in (*nothing, resource.RLIMIT_NOFILE)),
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
        monkeypatch.setattr(rights.ctypes, "CDLL", lambda *_, **__: libc)
        monkeypatch.setattr(rights.os, "nice", lambda n: libc.asked.append(("nice", n)))
        monkeypatch.setattr(rights.os, "getppid", lambda: 7)
        return libc

    return make


def test_the_network_new_rights_and_the_parents_death_are_seen_to(
    kernel: Callable[..., Libc],
) -> None:
    libc = kernel()
    isolate(7, niceness=19)
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
