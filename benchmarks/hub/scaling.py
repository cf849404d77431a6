"""Replicas that come and go under load on Ray Serve: `python -m benchmarks.hub.scaling`.

The stage says words, 200 a second, and has one replica or two as the pool's policy wants, which
here lets one go a second after it is not needed. Two callers ask all the time. Twenty more come,
until a second replica serves, and go again, until it has gone. A request is lost if it fails; it is
wrong if the reply is not its own words, each once.
"""

from __future__ import annotations

import argparse
import logging
import sys
import time
from collections.abc import Callable
from contextlib import closing
from functools import partial
from pathlib import Path

from assistant.control.metrics import percentile
from assistant.hub import scaler
from assistant.hub.ray.pool import RayPool
from assistant.pool.scaling import SOON, ScalingPolicy
from benchmarks.hub.load import STAGE, Load
from tests.support.pool_stages import Speller

POLICY = ScalingPolicy(least=1, most=2, down_after_s=1.0)
STEADY, RISEN = 2, 20
WORDS = 12
PATIENCE_S = 60.0


def main() -> int:
    """Print the figures; exit status 1 where a request was lost, or answered wrongly."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--times", type=int, default=50)
    times = parser.parse_args().times
    changes = _Changes()
    asked_s: list[float] = []
    served_s: list[float] = []
    with closing(RayPool({STAGE: _speller}, scaling=POLICY)) as pool:
        load = Load(pool)
        with load.of(STEADY, WORDS, pause_s=0.1):
            for _ in range(times):
                known, began_s = {load.where()}, time.monotonic()
                with load.of(RISEN, WORDS):
                    _until(partial(_is_another, load, known))
                    served_s.append(time.monotonic() - began_s)
                    asked_s.append(changes.at_s[-1] - began_s)
                _until(partial(_is_one_gone, known))
                # One that comes back soon would be let go later each time.
                time.sleep(SOON * POLICY.down_after_s)
    requests, lost, wrong = len(load.took_s), load.lost, load.wrong
    sys.stdout.write(f"{times} scaled in, {requests} requests, {lost} lost, {wrong} wrong\n")
    for name, taken_s in (("wanted", asked_s), ("serves", served_s)):
        half_s, most_s = percentile(taken_s, 0.5), max(taken_s)
        sys.stdout.write(f"{name} after {half_s:.2f} s at the median, {most_s:.2f} at most\n")
    return int(lost + wrong > 0)


class _Changes(logging.Handler):
    """When the scaler has asked for other numbers of replicas."""

    def __init__(self) -> None:
        super().__init__()
        self.at_s: list[float] = []
        scaler.log.setLevel(logging.INFO)
        scaler.log.addHandler(self)

    def emit(self, record: logging.LogRecord) -> None:
        """Note the time."""
        self.at_s.append(time.monotonic())


def _speller(tenant: str) -> Speller:
    return Speller()


def _is_another(load: Load, known: set[str]) -> bool:
    """Whether a second process has answered; it is known from then on."""
    known.add(load.where())
    return len(known) > 1


def _is_one_gone(processes: set[str]) -> bool:
    return not all(Path(f"/proc/{process}").exists() for process in processes)


def _until(is_seen: Callable[[], bool]) -> None:
    end_s = time.monotonic() + PATIENCE_S
    while not is_seen():
        if time.monotonic() > end_s:
            raise SystemExit("the number of replicas does not change")
        time.sleep(0.05)


if __name__ == "__main__":
    sys.exit(main())
