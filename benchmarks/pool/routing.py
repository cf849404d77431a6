"""Token-aware routing beside round robin and power of two: `python -m benchmarks.pool.routing`.

A simulation of four workers, in virtual time. Each is the real `TokenScheduler`: it serves the
request with the fewest tokens left in slices, or, to compare, one request after the other (FIFO). A
reply takes 5 to 12 tokens (four in five) or 40 to 60, and its length is known to within a quarter.
Requests come at 0.7 of what the workers can do, one by one (Poisson) or in bursts of eight on the
average. Every router gets the same arrivals. Then one worker takes four times as long as its speed
says. In the last table requests have prompts, too, of 60 tokens that are read ten times as fast;
half of them go on with one of the last twelve conversations, and a worker holds the eight that it
served last.
"""

from __future__ import annotations

import argparse
import sys
from collections import deque
from collections.abc import Callable, Generator, Iterator, Sequence
from functools import partial
from itertools import count, product
from random import Random
from typing import NamedTuple

import msgspec

from assistant.answer.generation.token_scheduler import (
    GenerationRequest,
    Order,
    TokenScheduler,
    shortest_first,
)
from assistant.control.metrics import percentile
from assistant.pool.routing import (
    RequestShape,
    WorkerState,
    choose,
    mean,
    power_of_two,
    predicted_s,
    round_robin,
)

SHORT, LONG, SHORT_SHARE = (5, 12), (40, 60), 0.8
LOAD = 0.7
STUCK = 4.0
"""How many times longer than its speed says one worker takes."""
LAST = 100
"""Requests that a worker's p95 is taken of."""
BURST = 8
"""Requests of a burst in the mean, all at one moment."""
GUESS = 0.25
"""By how much of itself the length of a reply may be expected too long or too short."""
PROMPT_TOKENS, PROMPT_SPEED = 60, 10
TALKS, GOES_ON, HELD = 12, 0.5, 8
SPEEDS = {"one slower": (120.0, 120.0, 120.0, 80.0), "alike": (110.0, 110.0, 110.0, 110.0)}
"""Tokens a second; GPT-Neo-125M's shape makes about 120 on two cores."""

Router = Callable[[Sequence[WorkerState], RequestShape, float], WorkerState | None]


class Arrival(NamedTuple):
    """One request: when it comes, the tokens that it takes, those expected, and whose it is."""

    at_s: float
    tokens: int
    expected: int
    key: str = ""

    @property
    def shape(self) -> RequestShape:
        """What a router is told of it."""
        prompt_tokens = PROMPT_TOKENS if self.key else 0
        return RequestShape(tokens=self.expected, prompt_tokens=prompt_tokens, key=self.key)


def first_come(request: GenerationRequest, now_s: float) -> float:
    """One request after the other."""
    return request.asked_s


ORDERS: dict[str, Order] = {"slices": shortest_first, "fifo": first_come}


def routers(seed: int) -> dict[str, Router]:
    """The routers by name; those that compare know nothing of the request, or not all."""
    turn, random = count(), Random(seed)
    return {
        "token-aware": choose,
        "round robin": lambda workers, _, now_s: round_robin(workers, next(turn), now_s),
        "power of two": lambda workers, _, now_s: power_of_two(workers, random, now_s),
        "without the next": without_the_next,
    }


def arrivals(requests: int, tokens_per_s: float, burst: int, seed: int) -> Iterator[Arrival]:
    """Requests that make a load of `LOAD`, in bursts of `burst` in the mean."""
    random = Random(seed)
    mean = SHORT_SHARE * sum(SHORT) / 2 + (1 - SHORT_SHARE) * sum(LONG) / 2
    bursts_per_s = LOAD * tokens_per_s / mean / burst
    at_s, left = 0.0, 0
    for _ in range(requests):
        if left == 0:
            at_s += random.expovariate(bursts_per_s)
            left = random.randint(1, 2 * burst - 1)
        left -= 1
        tokens = random.randint(*(SHORT if random.random() < SHORT_SHARE else LONG))
        yield Arrival(at_s, tokens, max(1, round(tokens * random.uniform(1 - GUESS, 1 + GUESS))))


def conversations(coming: Sequence[Arrival], seed: int) -> Iterator[Arrival]:
    """The same arrivals, each in a conversation."""
    random, last = Random(seed), deque[str](maxlen=TALKS)
    for number, one in enumerate(coming):
        if last and random.random() < GOES_ON:
            key = random.choice(last)
        else:
            key = str(number)
            last.append(key)
        yield one._replace(key=key)


class Taken(NamedTuple):
    """A request at its worker, and the time that was predicted for it."""

    arrival: Arrival
    served: GenerationRequest
    predicted_s: float

    @property
    def took_s(self) -> float:
        """From its arrival to its last token."""
        return (self.served.ended_s or 0.0) - self.arrival.at_s


class SimulatedWorker:
    """A scheduler on a clock of its own, which its tokens move on.

    It says that it makes `tokens_per_s` and takes `stuck` times as long.
    """

    def __init__(self, name: str, tokens_per_s: float, order: Order, stuck: float = 1.0) -> None:
        self.name, self._tokens_per_s, self._stuck = name, tokens_per_s, stuck
        self._in_slices = order is shortest_first
        self._now_s = 0.0
        self._scheduler = TokenScheduler(sys.maxsize, order, clock=lambda: self._now_s)
        self._held: list[Taken] = []
        self._last: deque[Taken] = deque(maxlen=LAST)
        self._p95_s = self._predicted_p95_s = self._usual_tokens = 0.0
        self._warm: deque[str] = deque(maxlen=HELD)
        self.warm_hits = 0

    def state(self, now_s: float) -> WorkerState:
        """What the router sees; the rest of a slice that has begun counts as outstanding."""
        if ended := [one for one in self._held if one.served.ended_s is not None]:
            self._held = [one for one in self._held if one.served.ended_s is None]
            self._last += ended
            self._p95_s = percentile([one.took_s for one in self._last], 0.95)
            self._predicted_p95_s = percentile([one.predicted_s for one in self._last], 0.95)
            self._usual_tokens = mean([one.arrival.expected for one in self._last])
        slice_left = round(max(0.0, self._now_s - now_s) * self._tokens_per_s / self._stuck)
        left = [max(1, one.served.left) for one in self._held]
        return WorkerState(
            name=self.name,
            tokens_per_s=self._tokens_per_s,
            prompt_tokens_per_s=PROMPT_SPEED * self._tokens_per_s,
            left=(*left, slice_left) if slice_left else tuple(left),
            in_slices=self._in_slices,
            warm=frozenset(self._warm),
            p95_s=self._p95_s,
            predicted_p95_s=self._predicted_p95_s,
            usual_tokens=self._usual_tokens,
        )

    def take(self, arrival: Arrival, expected_s: float) -> Taken:
        """Hold a request from its arrival on."""
        self._now_s = max(self._now_s, arrival.at_s)
        is_warm = arrival.key in self._warm
        if is_warm:
            self._warm.remove(arrival.key)
            self.warm_hits += 1
        if arrival.key:
            self._warm.append(arrival.key)
        prompt_tokens = 0 if is_warm else arrival.shape.prompt_tokens
        tokens = self._tokens(arrival.tokens, prompt_tokens)
        taken = Taken(arrival, self._scheduler.submit(tokens, arrival.expected), expected_s)
        self._held.append(taken)
        return taken

    def work_until(self, until_s: float) -> None:
        """Serve what it holds; the last slice may end later."""
        while self._scheduler.busy and self._now_s < until_s:
            self._scheduler.work()

    def _tokens(self, tokens: int, prompt_tokens: int) -> Generator[int, None, None]:
        self._now_s += prompt_tokens / PROMPT_SPEED / self._tokens_per_s * self._stuck
        for token in range(tokens):
            self._now_s += self._stuck / self._tokens_per_s
            yield token


class Latencies(NamedTuple):
    """Milliseconds to the last token at the median and at 95 %, and requests that found a worker
    that held their conversation, in percent."""

    short_p50: float
    short_p95: float
    long_p50: float
    long_p95: float
    warm: float


def simulated(
    router: Router,
    speeds: Sequence[float],
    order: Order,
    coming: Sequence[Arrival],
    stuck: float = 1.0,
) -> Latencies:
    """Every arrival served where the router has it go; the first worker is `stuck`."""
    workers = {
        f"w{n}": SimulatedWorker(f"w{n}", speed, order, 1.0 if n else stuck)
        for n, speed in enumerate(speeds)
    }
    taken = []
    for one in coming:
        for worker in workers.values():
            worker.work_until(one.at_s)
        states = [worker.state(one.at_s) for worker in workers.values()]
        chosen = router(states, one.shape, one.at_s)
        assert chosen is not None  # noqa: S101 - all of them are fit
        expected_s = predicted_s(msgspec.structs.replace(chosen, p95_s=0.0), one.shape)
        taken.append(workers[chosen.name].take(one, expected_s))
    for worker in workers.values():
        worker.work_until(float("inf"))
    short = [1000 * one.took_s for one in taken if one.arrival.tokens <= SHORT[1]]
    long = [1000 * one.took_s for one in taken if one.arrival.tokens > SHORT[1]]
    return Latencies(
        short_p50=percentile(short, 0.5),
        short_p95=percentile(short, 0.95),
        long_p50=percentile(long, 0.5),
        long_p95=percentile(long, 0.95),
        warm=100 * sum(worker.warm_hits for worker in workers.values()) / len(coming),
    )


def without_the_next(
    workers: Sequence[WorkerState], request: RequestShape, now_s: float
) -> WorkerState | None:
    """Token-aware, by each request's own time alone."""
    return choose([msgspec.structs.replace(w, usual_tokens=0.0) for w in workers], request, now_s)


def without_p95(
    workers: Sequence[WorkerState], request: RequestShape, now_s: float
) -> WorkerState | None:
    """Token-aware, from the counts of tokens alone."""
    return choose([msgspec.structs.replace(w, p95_s=0.0) for w in workers], request, now_s)


def without_keys(
    workers: Sequence[WorkerState], request: RequestShape, now_s: float
) -> WorkerState | None:
    """Token-aware, as if every conversation were new."""
    return choose(workers, msgspec.structs.replace(request, key=""), now_s)


def compare(title: str, simulate: Callable[[Router], Latencies], some: dict[str, Router]) -> None:
    """Print what each router makes of the same arrivals."""
    found = {name: simulate(router) for name, router in some.items()}
    ours = found["token-aware"].short_p95
    sys.stdout.write(f"{title}: ms\n")
    for name, one in found.items():
        told = ", ".join(f"{field} {value:.0f}" for field, value in one._asdict().items())
        sys.stdout.write(f"  {name}: {told}; {ours / one.short_p95:.2f} token-aware to it\n")


def main() -> None:
    """Print a table for each kind of workers, service and arrivals."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--requests", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    seed = given.seed
    for (kind, speeds), (service, order), burst in product(
        SPEEDS.items(), ORDERS.items(), (1, BURST)
    ):
        coming = list(arrivals(given.requests, sum(speeds), burst, seed))
        title = f"workers {kind}, {service}, {'bursts' if burst > 1 else 'poisson'}"
        simulate = partial(simulated, speeds=speeds, order=order, coming=coming)
        compare(title, simulate, routers(seed))
    speeds = SPEEDS["alike"]
    coming = list(arrivals(given.requests, sum(speeds[1:]), 1, seed))
    simulate = partial(simulated, speeds=speeds, order=shortest_first, coming=coming, stuck=STUCK)
    title = "one of four alike is stuck, slices, poisson, load of the other three"
    compare(title, simulate, {**routers(seed), "without p95": without_p95})
    speeds = SPEEDS["one slower"]
    coming = list(conversations(list(arrivals(given.requests, sum(speeds), 1, seed)), seed))
    simulate = partial(simulated, speeds=speeds, order=shortest_first, coming=coming)
    title = "workers one slower, slices, poisson, conversations"
    compare(title, simulate, {**routers(seed), "without keys": without_keys})


if __name__ == "__main__":
    main()
