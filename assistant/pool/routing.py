"""Which worker a request goes to: where it and the next one are predicted to be done first.

A worker is fit unless it drains or its breaker is open. Of those that are:

1. The predicted time is that of the tokens ahead and the request's own at the worker's speed, and
   that of its prompt, which a worker that holds the conversation need not read again. All that a
   worker holds is ahead where it serves in turn. Where it serves the shortest first in slices, of
   each other request as much is ahead as the request itself takes: a shorter one goes first, and a
   longer one is kept waiting as long, which counts alike.
2. A worker whose p95 is more than twice what was predicted is taken to stay as slow, up to four
   times: a stuck disk or another tenant is seen in no count of tokens.
3. What a request of the usual length would take after it, where that is done first, counts as
   well: as often as the request is of the usual length, and twice at most. So long requests leave a
   worker to short ones, and a request takes at most three times the least time for it.
4. A conversation stays with the worker that holds it unless another one takes clearly less time.
5. The least cost wins; among equals the least p95, then the first name.

The same input gives the same worker. `round_robin` and `power_of_two` are for comparison.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from random import Random

import msgspec

from assistant.pool.breaker import Breaker, BreakerState

FAR_SLOWER, SLOWEST = 2.0, 4.0
"""How many times the predicted p95 counts, and the most that does, so that none is starved."""
MOST_FOR_THE_NEXT = 2.0
"""How often what the next request takes counts at the most, so that no long one is starved."""
STAYS_RATIO, STAYS_S = 1.25, 0.05
"""A conversation stays where it takes up to so many times the least time, and so much more."""


class WorkerState(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of one worker at one moment."""

    name: str
    tokens_per_s: float
    """Its speed as measured; one with none yet has that of its kind."""
    prompt_tokens_per_s: float = math.inf
    """The speed at which it reads prompts."""
    left: tuple[int, ...] = ()
    """For each request that it holds, the tokens that are expected still."""
    in_slices: bool = True
    """Whether it serves the one with the fewest tokens left in slices, or else one by one."""
    warm: frozenset[str] = frozenset()
    """Keys of the conversations and prefixes that it holds."""
    p95_s: float = 0.0
    """The time that its last 100 requests took, at 95 %."""
    predicted_p95_s: float = 0.0
    """The same of the times that were predicted for them."""
    usual_tokens: float = 0.0
    """The tokens of these requests in the mean; 0 where there were none yet."""
    breaker: Breaker = Breaker()
    is_draining: bool = False

    @property
    def tokens_outstanding(self) -> int:
        """The tokens that its requests are expected to take still."""
        return sum(self.left)

    def tokens_ahead(self, tokens: int) -> int:
        """The tokens of what it holds that count for a request of so many `tokens`."""
        return sum(min(left, tokens) for left in self.left) if self.in_slices else sum(self.left)

    def is_fit(self, now_s: float) -> bool:
        """Whether a request may go to it."""
        is_open = self.breaker.state(now_s) is BreakerState.OPEN
        return self.tokens_per_s > 0 and not self.is_draining and not is_open


class RequestShape(msgspec.Struct, frozen=True, kw_only=True):
    """What is known of a request before it is served."""

    tokens: int
    """The tokens that its reply is expected to take."""
    prompt_tokens: int = 0
    key: str = ""
    """Its conversation, or the hash of its prompt's prefix; "" for none."""


def predicted_s(worker: WorkerState, request: RequestShape) -> float:
    """The time until the request's last token if `worker` takes it now, in seconds."""
    time_s = (worker.tokens_ahead(request.tokens) + request.tokens) / worker.tokens_per_s
    if request.key not in worker.warm:
        time_s += request.prompt_tokens / worker.prompt_tokens_per_s
    return time_s * _slowness(worker)


def choose(
    workers: Sequence[WorkerState], request: RequestShape, now_s: float
) -> WorkerState | None:
    """The worker that `request` goes to; None where none is fit."""
    fit = [worker for worker in workers if worker.is_fit(now_s)]
    if len(fit) < 2:
        return fit[0] if fit else None

    costs_s = _costs_s(fit, request)

    def order(worker: WorkerState) -> tuple[float, float, str]:
        return costs_s[worker.name], worker.p95_s, worker.name

    best = min(fit, key=order)
    warm = min((one for one in fit if request.key in one.warm), key=order, default=best)
    stays_for_s = (STAYS_RATIO - 1) * predicted_s(best, request) + STAYS_S
    return warm if costs_s[warm.name] <= costs_s[best.name] + stays_for_s else best


def expected_s(workers: Sequence[WorkerState], request: RequestShape, now_s: float) -> float:
    """The predicted time until a request's last token; infinite where no worker is fit."""
    chosen = choose(workers, request, now_s)
    return predicted_s(chosen, request) if chosen is not None else math.inf


def round_robin(workers: Sequence[WorkerState], turn: int, now_s: float) -> WorkerState | None:
    """The next worker in their order, whatever it holds; `turn` counts requests."""
    fit = [worker for worker in workers if worker.is_fit(now_s)]
    return fit[turn % len(fit)] if fit else None


def power_of_two(
    workers: Sequence[WorkerState], random: Random, now_s: float
) -> WorkerState | None:
    """The one with fewer requests of two drawn workers (Mitzenmacher 2001)."""
    fit = [worker for worker in workers if worker.is_fit(now_s)]
    drawn = random.sample(fit, min(2, len(fit)))
    return min(drawn, key=lambda worker: len(worker.left), default=None)


def mean(tokens: Collection[int]) -> float:
    """Their mean; 0 for none."""
    return sum(tokens) / len(tokens) if tokens else 0.0


def p95(times_s: Collection[float]) -> float:
    """The time that 95 of 100 do not exceed; 0 for none."""
    return sorted(times_s)[int(0.95 * (len(times_s) - 1))] if times_s else 0.0


def _costs_s(fit: Sequence[WorkerState], request: RequestShape) -> dict[str, float]:
    """What it costs to have each worker serve a request: its own time, and the next one's."""
    known = [worker.usual_tokens for worker in fit if worker.usual_tokens]
    if not known:
        return {worker.name: predicted_s(worker, request) for worker in fit}
    usual = sum(known) / len(known)
    counts = min(request.tokens / usual, MOST_FOR_THE_NEXT)
    following = RequestShape(tokens=max(1, round(usual)))
    now = {worker.name: predicted_s(worker, following) for worker in fit}
    first_s, second_s = sorted(now.values())[:2]
    costs_s = {}
    for worker in fit:
        later = msgspec.structs.replace(worker, left=(*worker.left, request.tokens))
        elsewhere_s = second_s if now[worker.name] == first_s else first_s
        next_s = min(predicted_s(later, following), elsewhere_s)
        costs_s[worker.name] = predicted_s(worker, request) + counts * next_s
    return costs_s


def _slowness(worker: WorkerState) -> float:
    """How many times longer than predicted the worker's requests take; 1 unless far longer."""
    if worker.p95_s <= FAR_SLOWER * worker.predicted_p95_s or not worker.predicted_p95_s:
        return 1.0
    return min(worker.p95_s / worker.predicted_p95_s, SLOWEST)
