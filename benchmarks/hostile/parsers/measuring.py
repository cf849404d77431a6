"""Inputs for a parser in a process of its own, under the memory that its unit leaves it."""

from __future__ import annotations

import heapq
import logging
import multiprocessing
import os
import resource
import signal
import time
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from assistant.core.memory import collect_and_trim
from benchmarks.hostile.attack import ill_told
from benchmarks.hostile.parsers.figures import COSTLY_MS, TOLD, Cost, Figures, added
from benchmarks.hostile.parsers.inputs import made
from benchmarks.hostile.parsers.parser import Parser, load
from benchmarks.hostile.watcher import MB, RESET_PEAK, resident

PATIENCE_S = 60.0
"""Time after which the process of an input is ended. A timer of CPU time would be more just, and
would have the clock of CPU time count in ticks of 4 ms."""
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
    numbers: range,
    clock: Callable[[], float] = time.process_time,
    begun: Callable[[int], object] = lambda _: None,
) -> Figures:
    """Give a parser the inputs of these numbers in this process.

    `begun` is told of each input's number. What seems dear is measured again.
    """
    figures = Figures(parser=name, seed=seed)
    _require_honest(parser, figures, "before them")
    honest: dict[int, float] = {}
    dear: list[tuple[float, int]] = []
    slow: list[tuple[float, int]] = []
    before = 0
    settled = numbers.start + min(SETTLED, len(numbers) // 10)
    for number in numbers:
        if number == settled:
            before = _settled()
        begun(number)
        content = made(parser, seed, number)
        began_s = clock()
        outcome = outcome_of(parser, content)
        ms = 1000 * (clock() - began_s)
        figures.inputs += 1
        if outcome == _TAKEN:
            figures.taken += 1
        elif outcome == _REFUSED:
            figures.refused += 1
        else:
            figures.faults += 1
            if len(figures.told) < TOLD:
                figures.told.append(f"input {number}: {outcome}")
        _note(slow, ms, number)
        if ms >= COSTLY_MS:
            bucket = 1 << len(content).bit_length()
            if bucket not in honest:
                honest[bucket] = _cheapest(parser, parser.honest(bucket), clock)
            _note(dear, ms / max(honest[bucket], 1e-3), number)
    now, peak = resident(os.getpid())
    figures.grown_mb = round((peak - before) / MB, 1)
    for number in {number for _, number in (*dear, *slow)}:
        content = made(parser, seed, number)
        cost = Cost(
            number=number,
            size_bytes=len(content),
            ms=round(_cheapest(parser, content, clock), 2),
            honest_ms=round(_cheapest(parser, parser.honest(len(content)), clock), 2),
        )
        figures.slowest = max(figures.slowest, cost, key=lambda one: one.ms)
        figures.dearest = max(figures.dearest, cost, key=lambda one: one.times)
    _require_honest(parser, figures, "after them")
    collect_and_trim()
    now, _ = resident(os.getpid())
    figures.left_mb = round((now - before) / MB, 1)
    return figures


def outcome_of(parser: Parser, content: bytes) -> str:
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
        if (outcome := outcome_of(parser, sample)) != _TAKEN:
            figures.faults += 1
            figures.told.append(f"honest one {place}, {when}: {outcome}")


def _note(most: list[tuple[float, int]], value: float, number: int) -> None:
    """Keep the greatest few."""
    push = heapq.heappush if len(most) < MEASURED else heapq.heappushpop
    push(most, (value, number))


def _cheapest(parser: Parser, content: bytes, clock: Callable[[], float]) -> float:
    """Milliseconds of an input, at the least, as the machine has other work as well."""
    found = []
    for _ in range(MEASURED):
        began_s = clock()
        outcome_of(parser, content)
        found.append(1000 * (clock() - began_s))
    return min(found)


def _settled() -> int:
    collect_and_trim()
    with suppress(OSError):
        Path("/proc/self/clear_refs").write_text(RESET_PEAK)
    now, _ = resident(os.getpid())
    return now


def _in_process(name: str, path: str, seed: int, begin: int, end: int) -> Figures:
    """The figures of a part; where an input ends the process, those up to it, it included."""
    spawning = multiprocessing.get_context("spawn")
    ours, theirs = spawning.Pipe()
    at = spawning.Value("q", begin - 1, lock=False)
    arguments = (theirs, at, name, path, seed, begin, end)
    process = spawning.Process(target=_serve, args=arguments, daemon=True)
    process.start()
    theirs.close()
    try:
        found: Figures = ours.recv()
        process.join()
        return found
    except EOFError:
        process.join()
    if at.value < begin:
        raise RuntimeError(f"{name} did not start: {process.exitcode}")
    why = f"input {at.value} ended the process: {process.exitcode}"
    if process.exitcode == -signal.SIGALRM:
        why = f"input {at.value} took more than {PATIENCE_S:.0f} s"
    lost = Figures(parser=name, seed=seed, inputs=1, faults=1, told=[why])
    return added(_in_process(name, path, seed, begin, at.value), lost) if at.value > begin else lost


def _serve(
    line: Connection, at: Any, name: str, path: str, seed: int, begin: int, end: int
) -> None:
    logging.disable()
    parser = load(path)
    for sample in parser.samples:  # what is loaded on first use
        outcome_of(parser, sample)
    resource.setrlimit(resource.RLIMIT_AS, (_address_space() + parser.room_mb * MB,) * 2)

    def begun(number: int) -> None:
        at.value = number
        signal.setitimer(signal.ITIMER_REAL, PATIENCE_S)

    found = measure(name, parser, seed, range(begin, end), begun=begun)
    signal.setitimer(signal.ITIMER_REAL, 0)
    line.send(found)


def _address_space() -> int:
    pages = int(Path("/proc/self/statm").read_text("ascii").split()[0])
    return pages * resource.getpagesize()
