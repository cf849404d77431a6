"""Runs a module under what systemd/assistant.service imposes, without a systemd: `python -m
tests.support.under_unit MODULE ARGUMENT…`.

What is written in the unit is read there: the filter of system calls, namespaces, address families,
personality, scheduling, capabilities, new privileges, and that there is no network. What systemd
makes of mounts and control groups (ProtectSystem=, PrivateTmp=, TemporaryFileSystem=, MemoryMax=,
TasksMax= …) is not applied here, and a unit that asks for another thing than what is known here is
an error. systemd-analyze says which calls a group has, libseccomp makes the filters, as in systemd.
"""

from __future__ import annotations

import ctypes
import errno
import os
import runpy
import subprocess
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

UNIT = Path(__file__).resolve().parents[2] / "systemd" / "assistant.service"
LIBSECCOMP = "libseccomp.so.2"
ALLOW, ERRNO, EQUAL, DIFFERS, MASKED = 0x7FFF0000, 0x50000, 4, 1, 7
NAMESPACES = 0x00020000 | 0x02000000 | 0x7C000000
"""Flags of clone(2): mount, cgroup, uts, ipc, user, pid, net."""
NEW_NETWORK = 0x40000000
PR_SET_NO_NEW_PRIVS, PR_CAPBSET_DROP = 38, 24
LAST_CAPABILITY = 63
CAPABILITIES_VERSION = 0x20080522


class Comparison(ctypes.Structure):
    """A `scmp_arg_cmp`: what is asked of one argument of a system call."""

    _fields_ = (
        ("argument", ctypes.c_uint),
        ("how", ctypes.c_int),
        ("one", ctypes.c_uint64),
        ("other", ctypes.c_uint64),
    )


class Filter:
    """A filter of system calls; `action` is what happens to those that no rule names."""

    def __init__(self, action: int) -> None:
        self._library = ctypes.CDLL(LIBSECCOMP)
        self._library.seccomp_init.restype = ctypes.c_void_p
        self._context = ctypes.c_void_p(self._library.seccomp_init(action))

    def rule(self, action: int, call: str, *comparisons: Comparison) -> None:
        """Add a rule for a call; one that this machine does not have is passed over."""
        number = self._library.seccomp_syscall_resolve_name(call.encode())
        if number >= 0:
            array = (Comparison * len(comparisons))(*comparisons)
            add = self._library.seccomp_rule_add_array
            _done(add(self._context, ctypes.c_uint32(action), number, len(array), array))

    def load(self) -> None:
        """Put the filter in force for this process and those that it starts."""
        _done(self._library.seccomp_load(self._context))


def settings() -> dict[str, list[str]]:
    """The unit's section [Service]: name → its values, in order."""
    found: dict[str, list[str]] = {}
    for line in UNIT.read_text("utf-8").split("[Service]")[1].split("[Install]")[0].splitlines():
        if line and not line.startswith("#"):
            name, _, value = line.partition("=")
            found.setdefault(name, []).append(value)
    return found


def restrict() -> None:
    """Give up what the unit's settings take."""
    unit = settings()
    for name, act in ACTS.items():
        act(unit[name])


def _filter_calls(lines: Sequence[str]) -> None:
    """`SystemCallFilter=`, a list of what is allowed, of which later lines take and to which they
    add; "call:0" is a call that does nothing.
    """
    answers: dict[str, int] = {}
    for line in lines:
        denied = line.startswith("~")
        for word in line.removeprefix("~").split():
            name, _, number = word.partition(":")
            for call in _calls(name):
                if number:
                    answers[call] = ERRNO | int(number)
                elif denied:
                    answers.pop(call, None)
                else:
                    answers[call] = ALLOW
    made = Filter(ERRNO | errno.EPERM)
    for call, answer in answers.items():
        made.rule(answer, call)
    made.load()


def _calls(name: str) -> Iterable[str]:
    """The calls of a group such as "@aio", with those of the groups in it."""
    if not name.startswith("@"):
        return [name]
    command = ("systemd-analyze", "--no-pager", "syscall-filter", name)
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    words = [line.strip() for line in told.splitlines()[1:]]
    return [call for word in words if word[:1] not in ("", "#") for call in _calls(word)]


def _restrict_namespaces(values: Sequence[str]) -> None:
    _require(values, "yes")
    made = Filter(ALLOW)
    flags = [1 << bit for bit in range(32) if NAMESPACES & 1 << bit]
    for flag in flags:
        for call in ("clone", "unshare"):
            made.rule(ERRNO | errno.EPERM, call, Comparison(0, MASKED, flag, flag))
    made.rule(ERRNO | errno.ENOSYS, "clone3")
    made.rule(ERRNO | errno.EPERM, "setns")
    made.load()


def _restrict_families(values: Sequence[str]) -> None:
    _require(values, "AF_UNIX")
    made = Filter(ALLOW)
    made.rule(ERRNO | errno.EAFNOSUPPORT, "socket", Comparison(0, DIFFERS, 1))
    made.load()


def _lock_personality(values: Sequence[str]) -> None:
    _require(values, "yes")
    made = Filter(ALLOW)
    made.rule(ERRNO | errno.EPERM, "personality")
    made.load()


def _restrict_realtime(values: Sequence[str]) -> None:
    _require(values, "yes")
    made = Filter(ALLOW)
    for policy in (1, 2, 6):  # FIFO, RR, DEADLINE
        made.rule(ERRNO | errno.EPERM, "sched_setscheduler", Comparison(1, EQUAL, policy))
    made.rule(ERRNO | errno.EPERM, "sched_setattr")
    made.load()


def _restrict_set_ids(values: Sequence[str]) -> None:
    _require(values, "yes")
    made = Filter(ALLOW)
    modes = {"chmod": 1, "fchmod": 1, "fchmodat": 2, "mkdir": 1, "mkdirat": 2, "mknod": 1}
    for call, argument in modes.items():
        for bit in (0o4000, 0o2000):
            made.rule(ERRNO | errno.EPERM, call, Comparison(argument, MASKED, bit, bit))
    made.load()


def _drop_capabilities(values: Sequence[str]) -> None:
    _require(values, "")
    libc = ctypes.CDLL(None, use_errno=True)
    for capability in range(LAST_CAPABILITY + 1):
        libc.prctl(PR_CAPBSET_DROP, capability, 0, 0, 0)  # those that there are not are refused
    none = (ctypes.c_uint32 * 6)()
    _done(libc.capset((ctypes.c_uint32 * 2)(CAPABILITIES_VERSION, 0), none))


def _leave_the_network(values: Sequence[str]) -> None:
    _require(values, "yes")
    ctypes.CDLL(None).unshare(NEW_NETWORK)  # refused to all but root, who has no families below


def _no_new_privileges(values: Sequence[str]) -> None:
    _require(values, "yes")
    _done(ctypes.CDLL(None, use_errno=True).prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))


ACTS: dict[str, Callable[[Sequence[str]], None]] = {
    "PrivateNetwork": _leave_the_network,
    "CapabilityBoundingSet": _drop_capabilities,
    "NoNewPrivileges": _no_new_privileges,
    "RestrictNamespaces": _restrict_namespaces,
    "RestrictAddressFamilies": _restrict_families,
    "LockPersonality": _lock_personality,
    "RestrictRealtime": _restrict_realtime,
    "RestrictSUIDSGID": _restrict_set_ids,
    "SystemCallFilter": _filter_calls,
}
"""Setting → what is done for it, in this order: the last filter would refuse what makes filters."""


def _require(values: Sequence[str], known: str) -> None:
    if list(values) != [known]:
        raise ValueError(f"{UNIT}: another value than {known!r} is not known here: {values}")


def _done(result: int) -> None:
    if result != 0:
        raise OSError(ctypes.get_errno() or -result, os.strerror(ctypes.get_errno() or -result))


if __name__ == "__main__":
    restrict()
    module, *sys.argv[1:] = sys.argv[1:]
    runpy.run_module(module, run_name="__main__", alter_sys=True)
