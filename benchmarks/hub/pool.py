"""The pool on Ray Serve in earnest: `python -m benchmarks.hub.pool [mixed] [routing]`.

| part    | what is measured                                                                       |
|---------|----------------------------------------------------------------------------------------|
| mixed   | 2,000 requests at once, of 5 to 60 tokens, a third of them read slowly, replicas       |
|         | killed                                                                                 |
| routing | the time of short replies (5 to 12 tokens, four in five) beside long ones (40 to 60),  |
|         | as the pool routes them, by turns, and as Ray does, which draws two replicas; requests |
|         | come one by one at 0.7 of what three replicas can do, the same to each router          |

A token takes a replica 5 ms (`mixed`: 0.5) in which it sleeps, so that three fit on two cores.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import resource
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib import import_module
from itertools import count
from typing import Any, ClassVar

from assistant.control.metrics import percentile
from assistant.core.messages import Message, Question, SpokenReply
from assistant.hub.ray import cluster
from assistant.hub.ray.engine import RequestRouter
from assistant.hub.ray.pool import RayPool, ray_pool
from assistant.hub.ray.router import TokenRouter
from tests.support.pool_stages import Speller, asked

REPLICAS = 3
AT_ONCE, KILL_EVERY, SLOW_S = 2_000, 400, 0.05
QUICK_TOKEN_S, TOKEN_S = 0.0005, 0.005
SHORT, LONG, SHORT_SHARE, LOAD = (5, 12), (40, 60), 0.8, 0.7
REQUESTS, WARM_UP = 1_500, 150
SEEDS = (1, 2, 3)

Figures = dict[str, object]


class InTurn:
    """Replies to one question after the other, once its tokens have taken their time."""

    consumes: ClassVar[tuple[type[Message], ...]] = (Question,)

    def feed(self, message: Message) -> Iterator[Message]:
        """The reply, which is as long as the question."""
        if isinstance(message, Question):
            time.sleep(TOKEN_S * len(message.text.split()))
            yield SpokenReply(utterance_id=message.utterance_id, text=message.text)

    def deadline_s(self) -> float | None:
        """Nothing waits."""
        return None


class ByTurns(RequestRouter):
    """Round robin."""

    def initialize_state(self, **_: object) -> None:
        """Begin with the first."""
        self._turns = count()

    async def choose_replicas(
        self, candidate_replicas: Sequence[Any], pending_request: Any = None
    ) -> list[list[Any]]:
        """All of them, the next one first."""
        ordered = sorted(candidate_replicas, key=lambda one: one.replica_id.unique_id)
        turn = next(self._turns) % max(1, len(ordered))
        return [[one] for one in (*ordered[turn:], *ordered[:turn])]


# The hub's engine tells Ray what it is before it is imported.
_POW_2 = import_module("ray.serve._private.request_router.pow_2_router")


class OfTwo(_POW_2.PowerOfTwoChoicesRequestRouter):  # type: ignore[misc, name-defined]
    """Ray's own router, which needs no settings."""

    def initialize_state(self, **_: object) -> None:
        """Begin with nothing."""


def mixed() -> Figures:
    """Two thousand at once; a replica is killed after every 400th reply."""
    draw = random.Random(1)
    texts = [" ".join(f"w{n}-{i}" for i in range(draw.randint(5, 60))) for n in range(AT_ONCE)]
    pool = ray_pool({"speller": partial(Speller, "", QUICK_TOKEN_S)}, REPLICAS)
    began_s, before_mib = time.monotonic(), _peak_mib()
    try:
        told, killed = asyncio.run(_all(pool, texts))
    finally:
        pool.close()
    wrong = sum(words != text.split() for words, text in zip(told, texts, strict=True))
    return {
        "requests": AT_ONCE,
        "killed": killed,
        "lost_or_twice": wrong,
        "seconds": round(time.monotonic() - began_s, 1),
        "more_mib": round(_peak_mib() - before_mib),
    }


async def _all(pool: RayPool, texts: Sequence[str]) -> tuple[list[list[str]], int]:
    done, killed = count(1), 0

    async def told(number: int, text: str) -> list[str]:
        nonlocal killed
        words = []
        async for message in pool.stream("speller", asked(f"u{number}", text)):
            words += [message.text] if isinstance(message, SpokenReply) else []
            if number % 3 == 0:
                await asyncio.sleep(SLOW_S)
        if next(done) % KILL_EVERY == 0:
            where = [m async for m in pool.stream("speller", asked(f"where{number}", "where"))]
            if isinstance(where[0], SpokenReply):
                os.kill(int(where[0].text), signal.SIGKILL)
                killed += 1
        return words

    return list(await asyncio.gather(*(told(*one) for one in enumerate(texts)))), killed


def routing() -> Figures:
    """The short replies' times by each router, and the shares of those of the pool's."""
    routers = {"tokens": TokenRouter, "turns": ByTurns, "two": OfTwo}
    found: Figures = {}
    for name, router in routers.items():
        cluster.TokenRouter = router  # type: ignore[misc]
        pool = ray_pool({"in-turn": InTurn}, REPLICAS)
        try:
            runs = [asyncio.run(_short_s(pool, random.Random(seed))) for seed in SEEDS]
        finally:
            pool.close()
        for share in (0.5, 0.95):
            values = sorted(percentile(sorted(run), share) for run in runs)
            found[f"{name}_p{100 * share:.0f}_ms"] = round(1000 * values[len(values) // 2])
    return found


async def _short_s(pool: RayPool, draw: random.Random) -> list[float]:
    mean = SHORT_SHARE * sum(SHORT) / 2 + (1 - SHORT_SHARE) * sum(LONG) / 2
    apart_s = mean * TOKEN_S / (REPLICAS * LOAD)
    took_s: list[float] = []

    async def ask(number: int, tokens: int) -> None:
        began_s = time.monotonic()
        async for _ in pool.stream("in-turn", asked(f"u{number}", " ".join("x" * tokens))):
            pass
        if tokens <= SHORT[1] and number >= WARM_UP:
            took_s.append(time.monotonic() - began_s)

    asking, at_s = [], time.monotonic()
    for number in range(REQUESTS):
        tokens = draw.randint(*(SHORT if draw.random() < SHORT_SHARE else LONG))
        at_s += draw.expovariate(1 / apart_s)
        await asyncio.sleep(max(0.0, at_s - time.monotonic()))
        asking.append(asyncio.create_task(ask(number, tokens)))
    await asyncio.gather(*asking)
    return took_s


def _peak_mib() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


PARTS: dict[str, Callable[[], Figures]] = {"mixed": mixed, "routing": routing}


def main() -> int:
    """Print each part's figures; exit status 1 where anything was lost or told twice."""
    parser = argparse.ArgumentParser(description="Measure the pool on Ray Serve.")
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []])
    failed = False
    for part in parser.parse_args().parts or PARTS:
        found = PARTS[part]()
        sys.stdout.write(json.dumps({"part": part, **found}) + "\n")
        sys.stdout.flush()
        failed |= bool(found.get("lost_or_twice"))
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
