"""Watches the daemon's processes during an attack: which of them end, and how large they grow."""

from __future__ import annotations

import contextlib
import threading
from pathlib import Path

import msgspec

from assistant.control.procfs import PROC, usage
from assistant.core.layout import MEMBERS
from benchmarks.hostile.target import Target

EVERY_S = 0.25
MB = 1_000_000
WATCHED = ("supervisor", "zygote", *MEMBERS)
"""Processes that never end; those that speak a sentence or read a document come and go."""
RESET_PEAK = "5"
"""Value for clear_refs, proc(5), that resets the peak of the resident memory."""


class Watched(msgspec.Struct, kw_only=True):
    """The observations: processes that ended, and megabytes of resident memory by process.

    `peak_mb` is the most above the start, `left_mb` what remains of it at the end.
    """

    crashes: int = 0
    peak_mb: dict[str, float] = {}
    left_mb: dict[str, float] = {}
    log_bytes: int = 0


class Watcher:
    """Watches in a thread from its creation until `finish`."""

    def __init__(self, target: Target) -> None:
        self.watched = Watched()
        self.told: list[str] = []
        self._target = target
        self._names = self._found()
        self._before = {name: resident(pid)[0] for pid, name in self._names.items()}
        for pid in self._names:
            with contextlib.suppress(OSError):
                (PROC / str(pid) / "clear_refs").write_text(RESET_PEAK)
        self._log_before = target.rig.log.stat().st_size
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run, name="watcher")
        self._thread.start()

    def finish(self) -> None:
        """Look a last time, and stop."""
        self._ending.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._ending.wait(EVERY_S):
            self._look()
        self._look()

    def _look(self) -> None:
        for pid, name in list(self._names.items()):
            try:
                now, peak = resident(pid)
            except (FileNotFoundError, ProcessLookupError):
                del self._names[pid]
                self.watched.crashes += 1
                self.told.append(f"{name} ended")
                continue
            before = self._before[name]
            highest = max(self.watched.peak_mb.get(name, 0.0), _mb(peak - before))
            self.watched.peak_mb[name] = highest
            self.watched.left_mb[name] = _mb(now - before)
        if len(self._names) < len(self._before):
            self._names = {p: n for p, n in self._found().items() if n in self._before}
        self.watched.log_bytes = self._target.rig.log.stat().st_size - self._log_before

    def _found(self) -> dict[int, str]:
        root = self._target.rig.process.pid
        first: dict[str, int] = {}
        for pid, process in usage(root).items():  # a fork that learns has its parent's name
            if process.name in WATCHED:
                first.setdefault(process.name, pid)
        return {**{pid: name for name, pid in first.items()}, **self._target.also}


def resident(pid: int) -> tuple[int, int]:
    """Bytes of memory now and at their peak; `ProcessLookupError` for a process that has ended."""
    lines = Path(PROC / str(pid) / "status").read_text().splitlines()
    sizes = {
        k: int(v.split()[0]) * 1024
        for k, _, v in (line.partition(":") for line in lines)
        if k in ("VmRSS", "VmHWM")
    }
    if not sizes:  # a zombie has no memory
        raise ProcessLookupError(pid)
    return sizes["VmRSS"], sizes["VmHWM"]


def _mb(size: int) -> float:
    return round(max(0, size) / MB, 1)
