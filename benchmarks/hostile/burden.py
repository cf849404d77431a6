"""What one way of an attack costs: the attacked process's time and memory, an honest client's wait.

What the process does anyway, and for the honest client, is measured without the attack and taken
off, in proportion to the time.
"""

from __future__ import annotations

import math
import os
import statistics
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec

from assistant.control.procfs import PROC
from benchmarks.hostile.watcher import MB, RESET_PEAK, resident

MOST_CPU_S = 1.0
"""Most CPU time that a blow may cost, in seconds."""
MOST_GROWN_MB = 50.0
"""Most memory that a blow may cost at its peak, in megabytes."""
LOOKS_EVERY_S = 0.05
KEPT_WAITS = 1_000
"""Most waits of the honest client that are kept of a way."""


class Burden(msgspec.Struct, kw_only=True):
    """The most that a blow of one way cost, and all that the honest client waited for."""

    blows: int = 0
    cpu_s: float = 0.0
    """CPU time beyond what the process takes without the attack."""
    before_mb: float = 0.0
    """Memory of the process before the first blow."""
    grown_mb: float = 0.0
    left_mb: float = 0.0
    """Memory above that before the blow, when the process has had its rest."""
    alone_ms: list[float] = []
    """The honest client's waits without the attack."""
    beside_ms: list[float] = []
    unserved: int = 0

    def __str__(self) -> str:
        alone, beside = (
            f"{statistics.median(waits):.0f} ({max(waits):.0f})" if waits else "-"
            for waits in (self.alone_ms, self.beside_ms)
        )
        return (
            f"{self.cpu_s:.2f} s, {self.grown_mb} MB over {self.before_mb} ({self.left_mb} left), "
            f"honest {alone} / {beside} ms, {self.unserved} unserved"
        )


def combined(one: Burden, other: Burden) -> Burden:
    """The burden of the blows of both."""
    return Burden(
        blows=one.blows + other.blows,
        cpu_s=max(one.cpu_s, other.cpu_s),
        before_mb=one.before_mb or other.before_mb,
        grown_mb=max(one.grown_mb, other.grown_mb),
        left_mb=max(one.left_mb, other.left_mb),
        alone_ms=one.alone_ms or other.alone_ms,
        beside_ms=[*one.beside_ms, *other.beside_ms][-KEPT_WAITS:],
        unserved=one.unserved + other.unserved,
    )


class Client:
    """An honest client that asks again `every_s` seconds after it was served.

    `ask` gives the milliseconds that it waited for, and no number where it is not served.
    """

    def __init__(self, ask: Callable[[], float], every_s: float) -> None:
        self._ask, self._every_s = ask, every_s
        self.waits_ms: list[float] = []
        self.unserved = 0

    @property
    def asked(self) -> int:
        """How often it has asked and knows what came of it."""
        return len(self.waits_ms) + self.unserved

    @contextmanager
    def asking(self) -> Iterator[None]:
        """Have it ask while this is open, and once at least."""
        over = threading.Event()
        thread = threading.Thread(target=self._run, args=(over,), name="honest")
        thread.start()
        try:
            yield
        finally:
            over.set()
            thread.join()

    def await_answers(self, count: int, within_s: float) -> bool:
        """Wait until it has asked so often; False where that takes too long."""
        until_s = time.monotonic() + within_s
        while self.asked < count:
            if time.monotonic() > until_s:
                return False
            time.sleep(LOOKS_EVERY_S)
        return True

    def _run(self, over: threading.Event) -> None:
        while True:
            ms = self._ask()
            if math.isnan(ms):
                self.unserved += 1
            else:
                self.waits_ms.append(round(ms, 1))
            if over.wait(self._every_s):
                return


class Scales:
    """Weighs what is done to a process while `weighing` is open."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.cpu_s = self.took_s = self.grown_mb = 0.0
        self._before = 0

    @contextmanager
    def weighing(self) -> Iterator[None]:
        """Weigh from here to the end; raises `OSError` where the process has ended."""
        with suppress(OSError):
            (PROC / str(self.pid) / "clear_refs").write_text(RESET_PEAK)
        self._before, _ = resident(self.pid)
        began_s, cpu_s = time.monotonic(), cpu_time_s(self.pid)
        yield
        self.took_s = time.monotonic() - began_s
        self.cpu_s = cpu_time_s(self.pid) - cpu_s
        self.grown_mb = in_mb(resident(self.pid)[1] - self._before)

    @property
    def before_mb(self) -> float:
        """What the process held before."""
        return in_mb(self._before)

    @property
    def left_mb(self) -> float:
        """What the process holds now above what it held before."""
        return in_mb(resident(self.pid)[0] - self._before)


def cpu_time_s(pid: int) -> float:
    """The CPU time that a process has taken, in seconds; raises `OSError` where it has ended."""
    fields = Path(PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()
    user, system = fields[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def in_mb(size: int) -> float:
    """Bytes in megabytes, at least 0."""
    return round(max(0, size) / MB, 1)


def faults(way: str, found: Burden, most_wait_ms: float, may_miss: int = 0) -> Iterable[str]:
    """In what a blow was beyond bounds, in a line each."""
    if found.cpu_s > MOST_CPU_S:
        yield f"{way}: {found.cpu_s:.1f} s of CPU time"
    if found.grown_mb > MOST_GROWN_MB:
        yield f"{way}: {found.grown_mb:.0f} MB more"
    if found.unserved > may_miss or not found.beside_ms:
        yield f"{way}: the honest client was not served, {found.unserved} times"
    if (slowest := max(found.beside_ms, default=0.0)) > most_wait_ms:
        yield f"{way}: the honest client waited {slowest:.0f} ms"
