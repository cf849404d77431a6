"""Inputs for a parser in a process of its own, under the memory that its unit leaves it."""

from __future__ import annotations

import heapq
import logging
import multiprocessing
import os
import resource
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, NamedTuple

from assistant.core.memory import collect_and_trim
from benchmarks.hostile.attack import ill_told
from benchmarks.hostile.burden import cpu_time_s
from benchmarks.hostile.parsers.figures import COSTLY_MS, TOLD, Cost, Figures, added
from benchmarks.hostile.parsers.inputs import made
from benchmarks.hostile.parsers.parser import Parser, load
from benchmarks.hostile.watcher import MB, RESET_PEAK, resident

PATIENCE_S = 60.0
"""CPU time after which the process of an input is ended. It is watched from outside: a timer of it
would have the clock of CPU time count in ticks of 4 ms."""
STANDS_STILL_S = 600.0
"""Time after which that of an input is ended, however little it does."""
LOOKS_EVERY_S = 0.5
PART = 20_000
"""Inputs of one process."""
SETTLED = 500
"""Inputs after which memory should grow no more."""
MEASURED = 3
"""How often what seems to be dear is measured again, and how many such inputs."""
_TAKEN, _REFUSED = "taken", "refused"


def measure_all(
    name: str, path: str, seed: int, begin: int, end: int, keep: Callable[[Figures], object]
) -> None:
    """Give a parser the inputs of these numbers, in parts; `keep` is given each part's figures."""
    while begin < end:
        until = min(end, begin + PART)
        began_s = time.monotonic()
        found = _in_process(name, path, seed, begin, until)
        found.minutes = round((time.monotonic() - began_s) / 60, 2)
        keep(found)
        begin += found.inputs


def measure(
    name: str,
    parser: Parser,
    seed: int,
    numbers: Sequence[int],
    clock: Callable[[], float] = time.process_time,
    begun: Callable[[int], object] = lambda _: None,
) -> Figures:
    """Give a parser the inputs of these numbers in this process.

    `begun` is told of each input's number. What seems dear is measured again.
    """
    figures = Figures(parser=name, seed=seed)
    if parser.has_own_process:
        figures.most_grown_mb = figures.most_left_mb = parser.room_mb
    costs = _Costs(parser, seed, clock)
    _require_honest(parser, figures, "before them")
    before, settled = 0, min(SETTLED, len(numbers) // 10)
    for place, number in enumerate(numbers):
        if place == settled:
            before = _resident()
        begun(number)
        content = made(parser, seed, number)
        trial = tried(parser, content, clock)
        _count(figures, number, trial.outcome)
        costs.note(number, content, trial.ms)
        if place >= settled:
            figures.grown_mb = max(figures.grown_mb, trial.peak_mb)
    figures.slowest, figures.dearest = costs.most(begun)
    _require_honest(parser, figures, "after them")
    figures.left_mb = round((_resident() - before) / MB, 1)
    return figures


def _count(figures: Figures, number: int, outcome: str) -> None:
    figures.inputs += 1
    if outcome == _TAKEN:
        figures.taken += 1
    elif outcome == _REFUSED:
        figures.refused += 1
    else:
        figures.faults += 1
        if len(figures.told) < TOLD:
            figures.told.append(f"input {number}: {outcome}")


class _Costs:
    """The inputs that cost most, by themselves and against honest ones of their size."""

    def __init__(self, parser: Parser, seed: int, clock: Callable[[], float]) -> None:
        self._parser, self._seed, self._clock = parser, seed, clock
        self._honest: dict[int, float] = {}
        self._slow: list[tuple[float, int]] = []
        self._dear: list[tuple[float, int]] = []

    def note(self, number: int, content: bytes, ms: float) -> None:
        """Note what an input took."""
        _keep_greatest(self._slow, ms, number)
        if ms >= COSTLY_MS:
            size = 1 << len(content).bit_length()
            if size not in self._honest:
                self._honest[size] = self._cheapest(self._parser.honest(size))
            _keep_greatest(self._dear, ms / max(self._honest[size], 1e-3), number)

    def most(self, begun: Callable[[int], object]) -> tuple[Cost, Cost]:
        """The slowest and the dearest, measured again, as the machine has other work as well.

        `begun` is told of each input's number.
        """
        costs = [Cost()]
        for number in sorted({number for _, number in (*self._slow, *self._dear)}):
            begun(number)
            costs.append(self._cost(number))
        dearest = max(costs, key=lambda cost: cost.times)
        return max(costs, key=lambda cost: cost.ms), dearest if dearest.times else Cost()

    def _cost(self, number: int) -> Cost:
        content = made(self._parser, self._seed, number)
        size = len(content)
        return Cost(
            number=number,
            size_bytes=size,
            ms=round(self._cheapest(content), 2),
            honest_ms=round(self._cheapest(self._parser.honest(size)), 2),
        )

    def _cheapest(self, content: bytes) -> float:
        return min(tried(self._parser, content, self._clock).ms for _ in range(MEASURED))


def _keep_greatest(most: list[tuple[float, int]], value: float, number: int) -> None:
    push = heapq.heappush if len(most) < MEASURED else heapq.heappushpop
    push(most, (value, number))


class Trial(NamedTuple):
    """What came of one input."""

    outcome: str
    ms: float
    """CPU time in milliseconds."""
    peak_mb: float
    """Memory that it took at its peak."""


def tried(parser: Parser, content: bytes, clock: Callable[[], float]) -> Trial:
    """Give a parser an input, within the memory that its unit leaves it.

    What makes the inputs, which may be large, is not bounded, nor measured.
    """
    unbounded = resource.getrlimit(resource.RLIMIT_AS)
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text(RESET_PEAK)
    before, _ = resident(os.getpid())
    pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
    most = pages * resource.getpagesize() + parser.room_mb * MB
    resource.setrlimit(resource.RLIMIT_AS, (most, unbounded[1]))
    try:
        began_s = clock()
        outcome = _outcome(parser, content)
        took_s = clock() - began_s
    finally:
        resource.setrlimit(resource.RLIMIT_AS, unbounded)
    _, peak = resident(os.getpid())
    return Trial(outcome, 1000 * took_s, round((peak - before) / MB, 1))


def _outcome(parser: Parser, content: bytes) -> str:
    """`taken`, `refused`, or what else was raised."""
    try:
        return _TAKEN if parser.read(content) else _REFUSED
    except parser.refusals as error:
        told = str(error)
        return f"told ill: {told[:200]!r}" if ill_told(told) else _REFUSED
    except Exception as error:  # noqa: BLE001 - any exception at all is a finding
        return f"{type(error).__name__}: {error}"[:300]


def _require_honest(parser: Parser, figures: Figures, when: str) -> None:
    for place, sample in enumerate(parser.samples):
        if (outcome := tried(parser, sample, time.process_time).outcome) != _TAKEN:
            figures.faults += 1
            figures.told.append(f"honest one {place}, {when}: {outcome}")


def _resident() -> int:
    collect_and_trim()
    now, _ = resident(os.getpid())
    return now


def _in_process(name: str, path: str, seed: int, begin: int, end: int) -> Figures:
    """The figures of a part; what ends its process is left out when the part begins again."""
    lost, passed = Figures(parser=name, seed=seed), set[int]()
    while True:
        numbers = [number for number in range(begin, end) if number not in passed]
        outcome = _apart(name, path, seed, numbers)
        if isinstance(outcome, Figures):
            return added(lost, outcome)
        number, why = outcome
        passed.add(number)
        told = [f"input {number} {why}"]
        lost = added(lost, Figures(parser=name, seed=seed, inputs=1, faults=1, told=told))


def _apart(name: str, path: str, seed: int, numbers: list[int]) -> Figures | tuple[int, str]:
    """The figures of these inputs, or the number of one that ended the process, and how."""
    spawning = multiprocessing.get_context("spawn")
    ours, theirs = spawning.Pipe()
    at = spawning.Array("q", (-1, 0), lock=False)
    arguments = (theirs, at, name, path, seed, numbers)
    process = spawning.Process(target=_serve, args=arguments, daemon=True)
    process.start()
    theirs.close()
    impatient = _watched(process.pid or 0, at, ours)
    if impatient:
        process.kill()
    try:
        found: Figures = ours.recv()
    except EOFError:
        process.join()
    else:
        process.join()
        return found
    if at[0] < 0:
        raise RuntimeError(f"{name} did not start: {process.exitcode}")
    return at[0], impatient or f"ended the process: {process.exitcode}"


def _watched(pid: int, at: Any, line: Connection) -> str:
    """Wait for the figures or the end of a process; in what it takes too long at an input."""
    step, since_s, cpu_s = 0, time.monotonic(), 0.0
    while not line.poll(LOOKS_EVERY_S):
        now_s, used_s = time.monotonic(), cpu_time_s(pid)
        if at[1] != step:
            step, since_s, cpu_s = at[1], now_s, used_s
        elif step and used_s - cpu_s > PATIENCE_S:
            return f"took more than {PATIENCE_S:.0f} s of CPU time"
        elif now_s - since_s > STANDS_STILL_S:
            return f"took more than {STANDS_STILL_S:.0f} s"
    return ""


def _serve(line: Connection, at: Any, name: str, path: str, seed: int, numbers: list[int]) -> None:
    logging.disable()
    parser = load(path)
    for sample in parser.samples:  # what is loaded on first use, without a bound
        _outcome(parser, sample)

    def begun(number: int) -> None:
        at[0] = number
        at[1] += 1

    line.send(measure(name, parser, seed, numbers, begun=begun))
