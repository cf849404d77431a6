"""From a value beyond its limit to the first word about it: `python -m benchmarks.sensors.telling`.

A real broker, `assistant bridge` and the daemon run. While 200 sensors tell their values, one after
the other tells a value beyond its limit. Measured is the time from its publication until the first
sound of the sentence has gone to the loudspeaker, and beside it the time to the action.
"""

from __future__ import annotations

import argparse
import contextlib
import math
import queue
import sys
import threading
import time
from typing import Any

from assistant.bench.rig import Rig
from assistant.control.metrics import percentile
from assistant.core.clock import boottime_s
from assistant.core.errors import ControlError
from benchmarks.sensors.latency import running_plant
from benchmarks.sensors.limited_plant import limited, plant
from skills.announcements.waiting import PAUSES_S

TOLD_WITHIN_S = 20.0
PAUSE_S = PAUSES_S["normal"] + 1.0
"""Seconds after a sentence until the next value beyond a limit: what is not urgent lets the room be
quiet in between."""


class Ear:
    """Hears when the daemon begins and ends to speak."""

    def __init__(self, rig: Rig) -> None:
        self._rig = rig
        self._heard = queue.Queue[tuple[str, float]]()
        threading.Thread(target=self._follow, daemon=True).start()

    def next(self, what: str, after_s: float) -> float:
        """When that event came, in seconds of CLOCK_BOOTTIME; raises `ControlError` for never."""
        with contextlib.suppress(queue.Empty):
            while True:
                kind, at_s = self._heard.get(timeout=TOLD_WITHIN_S)
                if kind == what and at_s >= after_s:
                    return at_s
        raise ControlError("bench.silent", f"no {what} came within {TOLD_WITHIN_S:.0f} s")

    def _follow(self) -> None:
        with contextlib.suppress(ControlError):  # the daemon ends
            for event in self._rig.control.follow("watch"):
                self._take(event)

    def _take(self, event: dict[str, Any]) -> None:
        if event.get("type") in {"PlaybackStarted", "PlaybackEnded"}:
            self._heard.put((event["type"], event["at_s"]))


def measure(count: int, rate: float) -> list[float]:
    """Milliseconds to the first word of each of so many sentences."""
    found: list[float] = []
    broken = limited(plant())[1:]  # the first was broken until all was ready
    with running_plant(math.inf) as bench:
        ear = Ear(bench.rig)
        ended = threading.Event()

        def tell() -> None:
            while not ended.is_set():
                bench.machines.run(round(rate), rate)

        values = threading.Thread(target=tell)
        values.start()
        try:
            ear.next("PlaybackEnded", 0.0)  # what was told of the first one
            for number in range(count):
                time.sleep(PAUSE_S)
                began_s = boottime_s()
                bench.machines.break_soon(broken[number % len(broken)])
                began = ear.next("PlaybackStarted", began_s)
                found.append(1000 * (began - began_s))
                ear.next("PlaybackEnded", began)
        finally:
            ended.set()
            values.join()
    return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sentences", type=int, default=40)
    parser.add_argument("--rate", type=float, default=2000.0)
    given = parser.parse_args()
    found = sorted(measure(given.sentences, given.rate))
    sys.stdout.write(
        f"first word of {len(found)} sentences: p50 {percentile(found, 0.5):.0f}, "
        f"p95 {percentile(found, 0.95):.0f}, longest {found[-1]:.0f} ms\n"
    )


if __name__ == "__main__":
    main()
