"""The time a message takes from one process to the next.

A hop is one way: from just before the sender's `Bus.send` (encoding included) until the receiver
holds the decoded message. CLOCK_BOOTTIME is the same in both processes, so nothing is halved. The
sender waits for an acknowledgement before the next message; hops never queue behind each other.
"""

from __future__ import annotations

import multiprocessing
import tempfile
import time
from collections.abc import Callable
from itertools import product
from pathlib import Path

import msgspec

from assistant.bench.figures import median_of_runs
from assistant.core.bus import Address, Bus
from assistant.core.clock import boottime_s
from assistant.core.errors import BusError
from assistant.core.messages import Commit, Message, Speech, Transcript, Work

SENDER, RECEIVER = "bench-sender", "bench-receiver"
CONSUMERS: dict[type[Message], str] = {Transcript: RECEIVER, Speech: RECEIVER, Commit: SENDER}
PATIENCE_S = 10.0
WARM_UP = 50

MESSAGES: dict[str, Work] = {
    "1 kB": Transcript(utterance_id="bench", revision=1, text="a" * 1_000),
    "200 kB": Speech(
        utterance_id="bench", sequence=0, samples=bytes(200_000), rate_hz=22_050, text="", last=True
    ),
}
"""The messages: a transcript, which watchers may subscribe to as well, and a spoken sentence."""

IDLE_S = {"busy": 0.0, "5 ms idle": 0.005}
"""Seconds that both processes sleep between two messages."""


class HopFigures(msgspec.Struct, frozen=True, kw_only=True):
    """One-way hops of one kind of message: medians over `runs` of each run's percentiles."""

    message: str
    pace: str
    p50_us: float
    p99_us: float
    hops: int
    runs: int


class BusFigures(msgspec.Struct, frozen=True, kw_only=True):
    """Every message at every pace."""

    hops: tuple[HopFigures, ...]


def measure(
    runs: int, hops: int, progress: Callable[[int, int], None] = lambda done, total: None
) -> BusFigures:
    """Time `hops` hops in each of `runs` runs, for every message and pace."""
    cases = list(product(IDLE_S, MESSAGES))
    measured: dict[tuple[str, str], list[list[float]]] = {case: [] for case in cases}
    # One case after the other in turn, so that a disturbance does not affect one case alone.
    for number, case in enumerate(cases * runs, 1):
        pace, label = case
        measured[case].append(_run(MESSAGES[label], IDLE_S[pace], hops))
        progress(number, runs * len(cases))
    return BusFigures(hops=tuple(_figures(case, found) for case, found in measured.items()))


def _figures(case: tuple[str, str], runs: list[list[float]]) -> HopFigures:
    return HopFigures(
        message=case[1],
        pace=case[0],
        p50_us=round(median_of_runs(runs, 0.50), 1),
        p99_us=round(median_of_runs(runs, 0.99), 1),
        hops=len(runs[0]),
        runs=len(runs),
    )


def _run(message: Work, idle_s: float, hops: int) -> list[float]:
    """Microseconds of each hop, measured by this process, which receives."""
    with tempfile.TemporaryDirectory(prefix="hark-bench-") as folder:
        # A spawned child shares no ZeroMQ context with this process.
        sender = multiprocessing.get_context("spawn").Process(
            target=_send, args=(folder, message, idle_s, WARM_UP + hops), daemon=True
        )
        sender.start()
        try:
            taken = _receive(Path(folder), WARM_UP + hops)
        finally:
            sender.terminate()
            sender.join()
    return [seconds * 1e6 for seconds in taken[WARM_UP:]]


def _receive(folder: Path, hops: int) -> list[float]:
    address = Address(folder)
    bus = Bus(RECEIVER, address, (SENDER, RECEIVER), CONSUMERS, (Transcript, Speech))
    taken: list[float] = []
    try:
        while len(taken) < hops:
            message = _one(bus)
            taken.append(boottime_s() - message.at_s)
            bus.send(Commit(utterance_id="bench", revision=len(taken)))
    finally:
        bus.close()
        address.close()
    return taken


def _send(folder: str, message: Work, idle_s: float, hops: int) -> None:
    address = Address(Path(folder))
    bus = Bus(SENDER, address, (SENDER, RECEIVER), CONSUMERS, (Commit,))
    for _ in range(hops):
        if idle_s:
            time.sleep(idle_s)
        bus.send(msgspec.structs.replace(message, at_s=boottime_s()))
        _one(bus)
    bus.close()
    address.close()


def _one(bus: Bus) -> Message:
    for message in bus.receive(PATIENCE_S):
        return message
    raise BusError("bench.silent", f"no message crossed the bus for {PATIENCE_S:.0f} s")
