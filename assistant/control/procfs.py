"""Processor time and memory of a tree of processes, from the kernel's /proc."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

import msgspec

PROC = Path("/proc")
OURS = "hark-"


class Usage(msgspec.Struct, frozen=True, kw_only=True):
    """One process at one moment: seconds of processor time so far, and bytes of memory.

    PSS is the proportional set size: a page that n processes share counts 1/n in each. What is
    `private` (USS) is shared with none, and would be free without the process.
    """

    name: str
    cpu_s: float
    pss_bytes: int
    private_bytes: int = 0


def usage(root: int) -> dict[int, Usage]:
    """The usage of `root`, which is the supervisor, and of all its descendants, by process id."""
    found = {}
    for pid in tree(root):
        # A process may end while it is being read.
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            name = "supervisor" if pid == root else _comm(pid).removeprefix(OURS)
            pss_bytes, private_bytes = _memory(pid)
            found[pid] = Usage(
                name=name, cpu_s=_cpu_s(pid), pss_bytes=pss_bytes, private_bytes=private_bytes
            )
    return found


def beside() -> dict[int, Usage]:
    """The usage of this process and of the others of the assistant that have the same parent."""
    everything = usage(os.getppid())
    return {pid: one for pid, one in everything.items() if _comm(pid).startswith(OURS)}


def tree(root: int) -> list[int]:
    """The id of a process, and those of all its descendants."""
    parents = {}
    for folder in PROC.iterdir():
        if folder.name.isdigit():
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                parents[int(folder.name)] = int(_stat(int(folder.name))[1])
    found = [root]
    for known in found:
        found += [pid for pid, parent in parents.items() if parent == known]
    return found


def _comm(pid: int) -> str:
    """The name of a process; "" for one that has ended."""
    try:
        return (PROC / str(pid) / "comm").read_text().strip()
    except FileNotFoundError:
        return ""


def _stat(pid: int) -> list[str]:
    """The fields of proc(5)'s stat from the third (the state) on; a name may contain spaces."""
    return (PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()


def _cpu_s(pid: int) -> float:
    user_ticks, system_ticks = _stat(pid)[11:13]
    return (int(user_ticks) + int(system_ticks)) / os.sysconf("SC_CLK_TCK")


def _memory(pid: int) -> tuple[int, int]:
    """Bytes of PSS and of private memory."""
    rows = (line.split() for line in (PROC / str(pid) / "smaps_rollup").read_text().splitlines())
    kilobytes = {row[0]: int(row[1]) for row in rows if row[-1] == "kB"}
    private = kilobytes.get("Private_Clean:", 0) + kilobytes.get("Private_Dirty:", 0)
    return kilobytes.get("Pss:", 0) * 1024, private * 1024
