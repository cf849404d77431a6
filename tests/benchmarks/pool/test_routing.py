"""The simulation of routing: all are served, and what it tells of each router can be otherwise."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from assistant.answer.generation.token_scheduler import shortest_first
from assistant.pool.routing import RequestShape, WorkerState, choose
from benchmarks.pool.routing import (
    BURST,
    LOAD,
    SHORT,
    SPEEDS,
    STUCK,
    Arrival,
    arrivals,
    conversations,
    first_come,
    routers,
    simulated,
    without_p95,
)

SLOWER = SPEEDS["one slower"]


def always_the_first(
    workers: Sequence[WorkerState], request: RequestShape, now_s: float
) -> WorkerState | None:
    return workers[0]


def test_arrivals_make_the_load_that_is_stated() -> None:
    for burst in (1, BURST):
        coming = list(arrivals(20_000, 100.0, burst, seed=1))
        load = sum(one.tokens for one in coming) / coming[-1].at_s / 100.0
        assert abs(load - LOAD) < 0.05


def test_a_request_alone_takes_its_own_tokens() -> None:
    alone = [Arrival(at_s=float(n), tokens=12 + 48 * (n % 2), expected=9) for n in range(10)]
    found = simulated(choose, (100.0,), shortest_first, alone)
    assert [round(ms) for ms in found[:4]] == [120, 120, 600, 600]


def test_short_ones_pass_long_ones_in_slices_alone() -> None:
    coming = [Arrival(0.0, 60, 60), Arrival(0.001, SHORT[0], SHORT[0])]
    in_slices, in_turn = (
        simulated(choose, (100.0,), order, coming) for order in (shortest_first, first_come)
    )
    assert in_slices.short_p50 < 100 < 600 < in_turn.short_p50


@pytest.mark.depth
def test_token_aware_is_ahead_of_the_others_and_one_that_does_not_choose_is_behind() -> None:
    coming = list(arrivals(2_000, sum(SLOWER), 1, seed=3))
    found = {name: simulated(r, SLOWER, first_come, coming) for name, r in routers(1).items()}
    ours = found.pop("token-aware").short_p95
    assert all(ours < one.short_p95 for one in found.values())
    assert simulated(always_the_first, SLOWER, first_come, coming).short_p95 > 10 * ours


def test_a_stuck_worker_is_noticed_by_its_p95_alone() -> None:
    coming = list(arrivals(2_000, 330.0, 1, seed=3))
    found = [
        simulated(router, SPEEDS["alike"], shortest_first, coming, STUCK).long_p95
        for router in (choose, without_p95)
    ]
    assert found[0] < 0.8 * found[1]


@pytest.mark.depth
def test_conversations_find_their_worker_again() -> None:
    coming = list(conversations(list(arrivals(2_000, sum(SLOWER), 1, seed=3)), seed=4))
    found = {name: simulated(r, SLOWER, shortest_first, coming) for name, r in routers(1).items()}
    assert found["token-aware"].warm > 2 * found["power of two"].warm > 0
