"""Rolling updates under load on Ray Serve: `python -m benchmarks.hub.updates [--times N]`.

The stage says words, 200 a second, in two replicas. Four callers ask all the time while both are
replaced, again and again. A request is lost if it fails; it is wrong if the reply is not its own
words, each once. With `--hub N` it is `assistant hub` with its real stages, asked over HTTP by ten
rooms, that is sent SIGHUP N times; a call is right if it is understood as of its own room.
"""

from __future__ import annotations

import argparse
import math
import os
import signal
import sys
import tempfile
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

from assistant.control.metrics import percentile
from assistant.hub.ray.pool import RayPool
from assistant.hub.ray.replica import HERE
from benchmarks.hub.load import STAGE, Load
from benchmarks.hub.service import Caller, hub, prepared, timed, workers
from tests.support.pool_stages import Speller

CALLERS, WORDS, PAUSE_S = 4, 12, 0.1
BEFORE_S = 30.0
"""Time without an update, to compare with."""
ROOMS, STAGES = 10, ("asr", "nlu", "answer")
PATIENCE_S = 300.0


def main() -> int:
    """Print the figures; exit status 1 where a request was lost, or answered wrongly."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=50)
    parser.add_argument("--hub", type=int, default=0)
    asked = parser.parse_args()
    return _of_hub(asked.hub) if asked.hub else _of_words(asked.times)


def _of_words(times: int) -> int:
    took_s: list[float] = []
    with closing(RayPool({STAGE: _speller}, replicas=2)) as pool:
        alone, load = Load(pool), Load(pool)
        with alone.of(CALLERS, WORDS, PAUSE_S):
            time.sleep(BEFORE_S)
        with load.of(CALLERS, WORDS, PAUSE_S):
            for _ in range(times):
                before, began_s = {load.where() for _ in range(10)}, time.monotonic()
                pool.update({STAGE: _speller}, (HERE,))
                took_s.append(time.monotonic() - began_s)
                if before & {load.where() for _ in range(10)}:
                    raise SystemExit("a replica was not replaced")
    requests, lost, wrong = len(load.took_s), load.lost, load.wrong
    sys.stdout.write(f"{times} updates, {requests} requests, {lost} lost, {wrong} wrong\n")
    for name, taken in (("without updates", alone), ("with them", load)):
        _tell(name, [1000 * one_s for one_s in taken.took_s])
    half_s, most_s = percentile(took_s, 0.5), max(took_s)
    sys.stdout.write(f"an update takes {half_s:.1f} s at the median, {most_s:.1f} at most\n")
    return int(lost + wrong > 0)


def _of_hub(times: int) -> int:
    with tempfile.TemporaryDirectory() as folder:
        key = prepared(Path(folder))
        with hub(Path(folder), 1) as (url, process), ThreadPoolExecutor(ROOMS) as rooms:
            caller, over, took_s = Caller(url, key), threading.Event(), list[float]()
            for room in range(2 * ROOMS):
                caller.understands(room)

            def call(room: int) -> list[float]:
                took_ms: list[float] = []
                while not over.wait(0.2):
                    took_ms.append(timed(caller.understands, room))
                return took_ms

            calls = [rooms.submit(call, room) for room in range(ROOMS)]
            for _ in range(times):
                began_s = time.monotonic()
                _replace(process)
                took_s.append(time.monotonic() - began_s)
            over.set()
            every_ms = [ms for one in calls for ms in one.result()]
    lost = sum(map(math.isnan, every_ms))
    sys.stdout.write(f"{times} updates of the hub, {len(every_ms)} calls, {lost} lost or wrong\n")
    _tell("/v1/interpret", [ms for ms in every_ms if not math.isnan(ms)])
    sys.stdout.write(f"an update takes {', '.join(f'{one_s:.0f}' for one_s in took_s)} s\n")
    return int(lost > 0)


def _replace(process: int) -> None:
    """Have every worker of the hub replaced."""
    before = {worker for stage in STAGES for worker in workers(process, stage)}
    os.kill(process, signal.SIGHUP)
    end_s = time.monotonic() + PATIENCE_S
    while any(set(workers(process, stage)) & before for stage in STAGES):
        if time.monotonic() > end_s:
            raise SystemExit("a worker was not replaced")
        time.sleep(0.5)


def _tell(name: str, took_ms: list[float]) -> None:
    at = (f"{percentile(took_ms, share):.0f}" for share in (0.5, 0.95, 1.0))
    sys.stdout.write(f"{name}: a reply takes {', '.join(at)} ms at the median, 95 %, at most\n")


def _speller(tenant: str) -> Speller:
    return Speller()


if __name__ == "__main__":
    sys.exit(main())
