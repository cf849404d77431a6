"""The local pool in earnest: `python -m benchmarks.pool.local`.

| part    | what is measured                                                                       |
|---------|----------------------------------------------------------------------------------------|
| added   | a reply of the real understanding stage in a worker, beside the same in this process   |
| mixed   | 2,000 requests at once, of 5 to 60 tokens, a third of them read slowly, workers killed |
| rising  | from the first request of a load for three workers to the first one on a second worker |
|         | that understands, with a spare one and without                                         |
| scaling | requests lost, or told twice, while workers start and drain 50 times                   |
"""

from __future__ import annotations

import argparse
import json
import os
import random
import signal
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count

from assistant.composition import Composition
from assistant.control.metrics import percentile
from assistant.core.clock import boottime_s
from assistant.core.config import Config
from assistant.core.messages import SpokenReply, Transcript
from assistant.core.stage import Stage
from assistant.pipeline import run as run_here
from assistant.pool import local
from assistant.pool.local import LocalPool, LocalStage, LocalStream
from assistant.pool.requests import PoolRequest
from assistant.pool.routing import RequestShape
from assistant.pool.scaling import ScalingPolicy
from tests.support.pool_stages import Speller, asked

SAID = ("turn on the kitchen light", "set a timer for ten minutes", "what time is it")
CALLS, WARM_UP = 600, 50
SETTLED_S = 15.0
"""Seconds after which a spare worker has started."""
AT_ONCE, KILL_EVERY = 2000, 250
A_WORD_S = 0.0005
"""What a token takes a worker."""
BURST, CHANGES = 300, 50
"""Requests at once that want more workers, and how many of these are to drain."""

Figures = dict[str, float]


def added() -> Figures:
    """What the pool adds to the understanding of a sentence, in ms; both in turn."""
    numbers, stage = count(), _understanding()
    here: list[float] = []
    there: list[float] = []
    with LocalPool({"nlu": LocalStage(_understanding)}, preload=(__name__,)) as pool:
        for turn in range(WARM_UP + CALLS):
            text = SAID[turn % len(SAID)]
            here.append(_seconds(lambda said: list(run_here([stage], [said])), numbers, text))
            there.append(_seconds(lambda said: list(_in(pool, said)), numbers, text))
    here_ms, there_ms = (1000 * percentile(took[WARM_UP:], 0.5) for took in (here, there))
    return {
        "here_p50_ms": round(here_ms, 3),
        "pool_p50_ms": round(there_ms, 3),
        "added_p50_ms": round(there_ms - here_ms, 3),
        "pool_p95_ms": round(1000 * percentile(there[WARM_UP:], 0.95), 3),
    }


def mixed() -> Figures:
    """Two thousand at once; every 250th reply a worker is killed, a third is read at the end."""
    draw = random.Random(1)
    texts = {
        f"u{n}": " ".join(f"w{n}-{i}" for i in range(draw.randint(5, 60))) for n in range(AT_ONCE)
    }
    policy = ScalingPolicy(least=3, most=3)
    stage = LocalStage(partial(Speller, "", A_WORD_S), policy)
    began_s = time.monotonic()
    with LocalPool({"answer": stage}) as pool:
        streams = {name: pool.run("answer", asked(name, text)) for name, text in texts.items()}
        slow = [name for n, name in enumerate(streams) if n % 3 == 0]
        wrong = killed = 0
        quick = [name for name in streams if name not in set(slow)]
        for place, name in enumerate([*quick, *slow]):
            wrong += _words(streams[name]) != texts[name].split()
            if place % KILL_EVERY == KILL_EVERY - 1 and place < len(quick):
                alive = [one for one in pool.workers("answer") if one.process.is_alive()]
                os.kill(random.choice(alive).process.pid or 0, signal.SIGKILL)
                killed += 1
    took_s = round(time.monotonic() - began_s, 1)
    return {"requests": AT_ONCE, "killed": killed, "lost_or_twice": wrong, "seconds": took_s}


def rising() -> Figures:
    """Seconds from the beginning of a load to the first reply of a second worker."""
    spared, started = _risen(spare=1), _risen(spare=0)
    return {f"spare_{k}": v for k, v in spared.items()} | {
        f"new_{k}": v for k, v in started.items()
    }


def _risen(spare: int) -> Figures:
    stage = LocalStage(_understanding, ScalingPolicy(most=3), most_held=8, spare=spare)
    with LocalPool({"nlu": stage}, preload=(__name__,)) as pool:
        numbers = count()
        _seconds(lambda said: list(_in(pool, said)), numbers, SAID[0])  # the first has started
        ends_s = time.monotonic() + SETTLED_S
        while time.monotonic() < ends_s:  # and the spare one
            pool.poll(0.1)
        began_s, asked_s = time.monotonic(), 0.0
        streams: list[LocalStream] = []
        before = sum(not one.is_spare for one in pool.workers("nlu"))
        while not any(one.is_measured for one in pool.workers("nlu")[1:]):
            said = _transcript(next(numbers), SAID[0])
            heavy = RequestShape(tokens=60)
            streams.append(pool.run("nlu", PoolRequest(messages=(said,), shape=heavy)))
            if sum(not one.is_spare for one in pool.workers("nlu")) > before and not asked_s:
                asked_s = time.monotonic()
            pool.poll(0.001)
        served_s = time.monotonic()
        for stream in streams:
            list(stream)
    return {"asked_s": round(asked_s - began_s, 2), "served_s": round(served_s - began_s, 2)}


def scaling() -> Figures:
    """Requests that are lost or told twice, while the wanted number goes up and down."""
    policy = ScalingPolicy(
        least=1, most=3, target_s=0.05, budget_s=60.0, up_after_s=0.0, down_after_s=0.0
    )
    changes = wrong = requests = 0
    numbers = count()
    local.DECIDE_EVERY_S = 0.1  # so that there are many changes
    with LocalPool({"answer": LocalStage(partial(Speller, "", A_WORD_S), policy)}) as pool:
        while changes < CHANGES:
            # Much at once, until there are more workers, then little, until one is left.
            bursts = (BURST if len(pool.workers("answer")) == 1 else 1 for _ in count())
            for burst in bursts:
                before = {worker.process.pid for worker in pool.workers("answer")}
                names = [f"u{next(numbers)}" for _ in range(burst)]
                texts = [f"{name} b c d e f g h" for name in names]
                streams = [
                    pool.run("answer", asked(*one)) for one in zip(names, texts, strict=True)
                ]
                for text, stream in zip(texts, streams, strict=True):
                    wrong += _words(stream) != text.split()
                requests += burst
                now = {worker.process.pid for worker in pool.workers("answer")}
                changes += len(before - now)
                if burst == 1 and len(now) == 1:
                    break
    return {"drained": changes, "requests": requests, "lost_or_twice": wrong}


def _understanding() -> Stage:
    return Composition(Config()).nlu()


def _transcript(number: int, text: str) -> Transcript:
    return Transcript(utterance_id=f"said-{number}", revision=0, text=text, at_s=boottime_s())


def _seconds(work: Callable[[Transcript], object], numbers: Iterator[int], text: str) -> float:
    said = _transcript(next(numbers), text)
    began_s = time.perf_counter()
    work(said)
    return time.perf_counter() - began_s


def _in(pool: LocalPool, said: Transcript) -> LocalStream:
    return pool.run("nlu", PoolRequest(messages=(said,)))


def _words(stream: LocalStream) -> list[str]:
    return [message.text for message in stream if isinstance(message, SpokenReply)]


PARTS: dict[str, Callable[[], Figures]] = {
    "added": added,
    "mixed": mixed,
    "rising": rising,
    "scaling": scaling,
}


def main() -> None:
    """Print each part's figures; exit status 1 where anything was lost or told twice."""
    parser = argparse.ArgumentParser(description="Measure the pool on this machine.")
    parser.add_argument("parts", nargs="*", choices=[*PARTS, []])
    failed = False
    for part in parser.parse_args().parts or PARTS:
        found = PARTS[part]()
        sys.stdout.write(json.dumps({"part": part, **found}) + "\n")
        sys.stdout.flush()
        failed |= found.get("lost_or_twice", 0) > 0
    sys.exit(failed)


if __name__ == "__main__":
    main()
