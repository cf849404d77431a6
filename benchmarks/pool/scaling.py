"""The scaling policy beside one like Ray's: `python -m benchmarks.pool.scaling [--plot FILE.svg]`.

A simulated day of many rooms (`benchmarks.pool.day`). One queue stands before the replicas; each
serves one request at a time, and a new one serves three seconds after it is wanted, which was not
measured. Decisions are made once a second. A wait is the time until a request's turn begins. Beside
the policy: Ray Serve's defaults (two requests a replica as a mean over 30 s, the change wanted for
30 s up and 600 s down), the same with one request a replica, as Ray advises where latency matters,
and as many replicas as the policy had at most, all day.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections import deque
from collections.abc import Callable, Sequence
from heapq import heappop, heappush
from pathlib import Path
from typing import NamedTuple

from assistant.control.metrics import percentile
from assistant.pool.scaling import PoolLoad, ScalingPolicy, ScalingState, decide
from benchmarks.pool.day import DAY_S, Asked, day_of
from benchmarks.pool.plot import picture

TOKENS_PER_S = 60.0
"""Of one replica; a core makes about so many with GPT-Neo-125M's shape."""
START_S = 3.0
LEAST, MOST = 1, 40
LATE_S = 1.5
LAST_S = 10.0
"""The age of the requests that p95 is taken of."""


class Seen(NamedTuple):
    """What a policy is told at one moment."""

    now_s: float
    tokens: float
    requests: int
    p95_wait_s: float
    replicas: int


Policy = Callable[[Seen], int]
"""From what is seen to how many replicas are wanted."""


def ours() -> Policy:
    """The policy of `assistant.pool.scaling`."""
    policy = ScalingPolicy(least=LEAST, most=MOST)
    state = ScalingState(wanted=LEAST)

    def wanted(seen: Seen) -> int:
        nonlocal state
        load = PoolLoad(
            tokens_outstanding=seen.tokens,
            tokens_per_s=TOKENS_PER_S,
            p95_wait_s=seen.p95_wait_s,
            replicas=seen.replicas,
        )
        state, count = decide(state, load, seen.now_s, policy)
        return count

    return wanted


def like_ray(target: float = 2.0, up_s: int = 30, down_s: int = 600, mean_s: int = 30) -> Policy:
    """Ray Serve's rule with its defaults: the mean requests a replica, and a delay either way."""
    seen_last: deque[int] = deque(maxlen=mean_s)
    count, ups, downs = LEAST, 0, 0

    def wanted(seen: Seen) -> int:
        nonlocal count, ups, downs
        seen_last.append(seen.requests)
        needed = math.ceil(sum(seen_last) / len(seen_last) / target)
        needed = min(max(needed, LEAST), MOST)
        ups, downs = (ups + 1) * (needed > count), (downs + 1) * (needed < count)
        if ups > up_s or downs > down_s:
            count, ups, downs = needed, 0, 0
        return count

    return wanted


def fixed(count: int) -> Policy:
    """As many all day."""
    return lambda seen: count


class Outcome(NamedTuple):
    """One policy's day: each request's wait, and the replicas at each second."""

    waits_s: list[float]
    replicas: list[int]
    changes: int


class Pool:
    """Replicas behind one queue, in virtual time; those that drain finish what they have."""

    def __init__(self) -> None:
        self._queue: deque[Asked] = deque()
        self._ends_s: list[float] = []
        """When each running request ends."""
        self._starting: list[float] = []
        self._begun: deque[tuple[float, float]] = deque()
        """When requests began, and their waits, oldest first."""
        self._replicas = LEAST
        self.waits_s: list[float] = []

    def scale(self, wanted: int, now_s: float) -> None:
        """Start or drain replicas, those that start first."""
        while self._replicas + len(self._starting) < wanted:
            self._starting.append(now_s + START_S)
        while self._replicas + len(self._starting) > wanted and self._starting:
            self._starting.pop()
        self._replicas = min(self._replicas, wanted)

    @property
    def held(self) -> int:
        """The replicas that are paid for: they start, serve or drain."""
        return max(self._replicas, len(self._ends_s)) + len(self._starting)

    def ask(self, asked: Asked) -> None:
        """Take a request when it comes."""
        self.run_until(asked.at_s)
        self._queue.append(asked)
        self._begin(asked.at_s)

    def run_until(self, until_s: float) -> None:
        """Let requests end and replicas begin, in the order of time."""
        while due := [*self._ends_s[:1], *self._starting[:1]]:
            at_s = min(due)
            if at_s > until_s:
                return
            if at_s in self._ends_s[:1]:
                heappop(self._ends_s)
            else:
                self._starting.pop(0)
                self._replicas += 1
            self._begin(at_s)

    def seen(self, now_s: float) -> Seen:
        """What a policy is told."""
        while self._begun and self._begun[0][0] < now_s - LAST_S:
            self._begun.popleft()
        running = sum(end_s - now_s for end_s in self._ends_s) * TOKENS_PER_S
        tokens = running + sum(asked.tokens for asked in self._queue)
        p95_wait_s = percentile([wait_s for _, wait_s in self._begun] or [0.0], 0.95)
        requests = len(self._ends_s) + len(self._queue)
        return Seen(now_s, tokens, requests, p95_wait_s, self._replicas)

    def _begin(self, now_s: float) -> None:
        while self._queue and len(self._ends_s) < self._replicas:
            asked = self._queue.popleft()
            wait_s = now_s - asked.at_s
            self.waits_s.append(wait_s)
            self._begun.append((now_s, wait_s))
            heappush(self._ends_s, now_s + asked.tokens / TOKENS_PER_S)


def simulated(day: Sequence[Asked], policy: Policy) -> Outcome:
    """A day under a policy."""
    pool, replicas, changes = Pool(), list[int](), 0
    coming = deque(day)
    before = LEAST
    for second in range(int(DAY_S)):
        while coming and coming[0].at_s < second:
            pool.ask(coming.popleft())
        pool.run_until(second)
        wanted = policy(pool.seen(second))
        changes += wanted != before
        before = wanted
        pool.scale(wanted, second)
        replicas.append(pool.held)
    for asked in coming:
        pool.ask(asked)
    pool.run_until(math.inf)
    return Outcome(pool.waits_s, replicas, changes)


def told(name: str, outcome: Outcome) -> str:
    """One policy's figures."""
    waits_s = outcome.waits_s
    late = sum(wait_s > LATE_S for wait_s in waits_s)
    return (
        f"{name}: wait p95 {percentile(waits_s, 0.95):.2f} s, p99 {percentile(waits_s, 0.99):.2f},"
        f" longest {max(waits_s):.1f}; {late} of {len(waits_s)} over {LATE_S} s;"
        f" {sum(outcome.replicas) / 3600:.1f} replica-hours, {max(outcome.replicas)} at most,"
        f" {outcome.changes} changes\n"
    )


def main() -> None:
    """Simulate, print, and draw the replicas over the day if asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rooms", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rush", type=float, default=0.02, help="share of the rooms in each rush")
    parser.add_argument("--plot", type=Path)
    given = parser.parse_args()
    day = day_of(given.rooms, given.seed, given.rush)
    policies = {"policy": ours(), "like Ray": like_ray(), "like Ray, one each": like_ray(1.0)}
    found = {name: simulated(day, policy) for name, policy in policies.items()}
    for name, outcome in found.items():
        sys.stdout.write(told(name, outcome))
    most = max(found["policy"].replicas)
    sys.stdout.write(told(f"fixed at {most}", simulated(day, fixed(most))))
    if given.plot is not None:
        lines = {name: outcome.replicas for name, outcome in found.items()}
        given.plot.write_text(picture(day, lines, TOKENS_PER_S), "utf-8")


if __name__ == "__main__":
    main()
