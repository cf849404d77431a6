"""Two hundred rooms at the hub while its workers are killed: `python -m benchmarks.hub.rooms`.

Each room says a command for its own lamp now and then, or asks the documents; twice a minute forty
of them do so within ten seconds. Every ten seconds one of the three workers of understanding or of
answers is killed, in turn. A call is right if it is answered once, and of its own room.
"""

from __future__ import annotations

import argparse
import math
import os
import random
import signal
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle
from pathlib import Path

from assistant.control.metrics import percentile
from benchmarks.hub import service
from benchmarks.hub.service import Caller, hub, prepared, timed, workers

ROOMS, REPLICAS = 200, 3
DOCUMENTS = Path(__file__).parents[2] / "examples" / "documents"
APART_S = 60.0
"""Mean time between two utterances of a room."""
BURST, BURST_S, BURST_EVERY_S = 40, 10.0, 30.0
ASKS = 0.25
"""Share of utterances that ask the documents."""
KILL_EVERY_S = 10.0


def main() -> int:
    """Print the figures; exit status 1 where a call was lost, or answered wrongly."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=120.0)
    seconds = parser.parse_args().seconds
    service.ROOMS = ROOMS
    with tempfile.TemporaryDirectory() as folder:
        key = prepared(Path(folder), DOCUMENTS)
        with hub(Path(folder), REPLICAS) as (url, process):
            # A room that is silent for a while finds that the hub has hung up.
            caller = Caller(url, key, keeps=False)
            for room in range(ROOMS):  # every worker has served
                caller.understands(room)
                caller.answers(room)
            over = threading.Event()
            killing = threading.Thread(target=_kill, args=(process, over))
            killing.start()
            took_ms = _day(caller, seconds)
            over.set()
            killing.join()
    lost = sum(map(math.isnan, took_ms))
    right = sorted(ms for ms in took_ms if not math.isnan(ms))
    at = (f"{share:.0%} {percentile(right, share):.0f}" for share in (0.5, 0.95, 0.99))
    sys.stdout.write(f"{len(took_ms)} calls, {lost} lost or wrong; {', '.join(at)} ms\n")
    return int(lost > 0)


def _day(caller: Caller, seconds: float) -> list[float]:
    """The milliseconds of each call, in the order of their beginning."""
    draw = random.Random(1)
    began_s = time.monotonic()

    def call(at_s: float, room: int, asks: bool) -> float:
        time.sleep(max(0.0, began_s + at_s - time.monotonic()))
        return timed(caller.answers if asks else caller.understands, room)

    with ThreadPoolExecutor(ROOMS) as rooms:
        calls = sorted(_utterances(draw, seconds))
        waiting = [rooms.submit(call, *one, draw.random() < ASKS) for one in calls]
        return [one.result() for one in waiting]


def _utterances(draw: random.Random, seconds: float) -> Iterator[tuple[float, int]]:
    """When each room says something."""
    for room in range(ROOMS):
        at_s = draw.expovariate(1 / APART_S)
        while at_s < seconds:
            yield at_s, room
            at_s += draw.expovariate(1 / APART_S)
    for number in range(int(seconds // BURST_EVERY_S)):
        for room in draw.sample(range(ROOMS), BURST):
            yield BURST_EVERY_S * number + draw.uniform(0.0, BURST_S), room


def _kill(process: int, over: threading.Event) -> None:
    """Kill a worker of each kind in turn, until it is over."""
    draw = random.Random(2)
    for stage in cycle(("nlu", "answer")):
        if over.wait(KILL_EVERY_S):
            return
        if alive := workers(process, stage):
            os.kill(draw.choice(alive), signal.SIGKILL)


if __name__ == "__main__":
    sys.exit(main())
