"""Which worker a request goes to, over random workers."""

from __future__ import annotations

import math
from random import Random

import msgspec
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from assistant.pool.breaker import FAILURES_TO_OPEN, Breaker
from assistant.pool.routing import (
    MOST_FOR_THE_NEXT,
    SLOWEST,
    STAYS_RATIO,
    STAYS_S,
    RequestShape,
    WorkerState,
    choose,
    expected_s,
    power_of_two,
    predicted_s,
    round_robin,
)

NOW_S = 100.0
OPEN = Breaker(failures=FAILURES_TO_OPEN, until_s=NOW_S + 1.0, rest_s=1.0)
HALF_OPEN = Breaker(failures=FAILURES_TO_OPEN, until_s=NOW_S, rest_s=1.0)
SHORT = RequestShape(tokens=8)
TALK = RequestShape(tokens=8, prompt_tokens=60, key="kitchen")


def worker(name: str, *left: int, **told: object) -> WorkerState:
    known = {"tokens_per_s": 100.0, "prompt_tokens_per_s": 1000.0, **told}
    return msgspec.convert({"name": name, "left": left, **known}, WorkerState)


def with_breaker(one: WorkerState, breaker: Breaker) -> WorkerState:
    return msgspec.structs.replace(one, breaker=breaker)


requests = st.builds(
    RequestShape,
    tokens=st.integers(1, 60),
    prompt_tokens=st.integers(0, 500),
    key=st.sampled_from(("", "a", "b", "c")),
)
states = st.builds(
    WorkerState,
    name=st.just(""),
    tokens_per_s=st.sampled_from((0.0, 30.0, 100.0, 400.0)),
    prompt_tokens_per_s=st.sampled_from((300.0, 1000.0)),
    left=st.lists(st.integers(0, 60), max_size=8).map(tuple),
    in_slices=st.booleans(),
    warm=st.frozensets(st.sampled_from(("a", "b", "c"))),
    p95_s=st.floats(0.0, 10.0),
    predicted_p95_s=st.floats(0.0, 10.0),
    usual_tokens=st.sampled_from((0.0, 0.4, 9.0, 17.5)),
    breaker=st.sampled_from((Breaker(), OPEN, HALF_OPEN)),
    is_draining=st.booleans(),
)


@st.composite
def pools(draw: st.DrawFn) -> list[WorkerState]:
    drawn = draw(st.lists(states, max_size=6))
    return [msgspec.structs.replace(one, name=f"w{n}") for n, one in enumerate(drawn)]


@st.composite
def new_pools(draw: st.DrawFn) -> list[WorkerState]:
    """Pools that know of no request yet how long one usually is."""
    return [msgspec.structs.replace(one, usual_tokens=0.0) for one in draw(pools())]


@given(pools(), requests, st.integers(0, 9))
def test_none_that_is_unfit_is_chosen_and_one_that_is_fit_always_is(
    pool: list[WorkerState], request_: RequestShape, turn: int
) -> None:
    fit = [w for w in pool if w.breaker != OPEN and not w.is_draining and w.tokens_per_s]
    chosen = (
        choose(pool, request_, NOW_S),
        round_robin(pool, turn, NOW_S),
        power_of_two(pool, Random(turn), NOW_S),
    )
    assert all(one in fit if fit else one is None for one in chosen)


@given(pools(), requests, st.randoms(use_true_random=False))
def test_the_order_of_the_workers_changes_nothing(
    pool: list[WorkerState], request_: RequestShape, random: Random
) -> None:
    shuffled = random.sample(pool, len(pool))
    assert choose(shuffled, request_, NOW_S) == choose(pool, request_, NOW_S)


@given(new_pools(), requests)
def test_none_takes_clearly_longer_than_the_best(
    pool: list[WorkerState], request_: RequestShape
) -> None:
    chosen = choose(pool, request_, NOW_S)
    assume(chosen is not None)
    assert chosen is not None
    least_s = min(predicted_s(one, request_) for one in pool if one.is_fit(NOW_S))
    took_s = predicted_s(chosen, request_)
    assert took_s <= STAYS_RATIO * least_s + STAYS_S
    assert took_s == least_s or request_.key in chosen.warm


@given(pools(), requests)
def test_what_is_left_to_the_next_request_costs_one_thrice_its_least_time_at_most(
    pool: list[WorkerState], request_: RequestShape
) -> None:
    took_s = expected_s(pool, request_, NOW_S)
    assume(took_s < math.inf)
    least_s = min(predicted_s(one, request_) for one in pool if one.is_fit(NOW_S))
    assert took_s <= STAYS_RATIO * (1 + MOST_FOR_THE_NEXT) * least_s + STAYS_S + 1e-9


@pytest.mark.parametrize(
    ("in_slices", "left", "tokens", "chosen"),
    [
        (False, 60, 50, "busy"),
        (False, 60, 8, "idle"),
        (False, 120, 50, "idle"),  # it would take too long itself
        (True, 30, 50, "busy"),
        (True, 60, 50, "idle"),  # short ones wait little for it
    ],
)
def test_a_long_request_leaves_a_worker_to_short_ones(
    in_slices: bool, left: int, tokens: int, chosen: str
) -> None:
    busy = worker("busy", left, in_slices=in_slices, usual_tokens=16.0)
    idle = worker("idle", in_slices=in_slices, usual_tokens=16.0)
    found = choose([busy, idle], RequestShape(tokens=tokens), NOW_S)
    assert found is not None
    assert found.name == chosen


@given(new_pools(), requests, st.integers(0, 60))
def test_more_to_do_never_draws_a_request(
    pool: list[WorkerState], request_: RequestShape, tokens: int
) -> None:
    """Whoever is not chosen is not chosen either once it has still more to do."""
    chosen = choose(pool, request_, NOW_S)
    for at, one in enumerate(pool):
        busier = msgspec.structs.replace(one, left=(*one.left, tokens))
        assert one.tokens_per_s == 0 or predicted_s(busier, request_) >= predicted_s(one, request_)
        if one != chosen:
            again = choose([*pool[:at], busier, *pool[at + 1 :]], request_, NOW_S)
            assert again is None or again.name != one.name


@given(requests)
@example(TALK)
def test_a_conversation_stays_with_its_worker_where_all_else_is_equal(
    request_: RequestShape,
) -> None:
    assume(request_.key)
    workers = [worker("a"), worker("b", warm=[request_.key])]
    chosen = choose(workers, request_, NOW_S)
    assert chosen is not None
    assert chosen.name == "b"


@pytest.mark.parametrize(
    ("held", "chosen"), [((), "b"), ((8,), "b"), ((8, 8), "a"), ((8,) * 9, "a")]
)
def test_it_leaves_only_for_clearly_less(held: tuple[int, ...], chosen: str) -> None:
    found = choose([worker("a"), worker("b", *held, warm=["kitchen"])], TALK, NOW_S)
    assert found is not None
    assert found.name == chosen


def test_a_short_request_passes_by_long_ones_only_where_they_are_served_in_slices() -> None:
    one_long, two_short = worker("a", 60), worker("b", 8, 8)
    assert choose([one_long, two_short], SHORT, NOW_S) == one_long
    in_turn = [msgspec.structs.replace(w, in_slices=False) for w in (one_long, two_short)]
    assert choose(in_turn, SHORT, NOW_S) == in_turn[1]


def test_the_time_is_that_of_what_is_ahead_the_prompt_and_the_request() -> None:
    cold, warm = worker("a", 4, 60), worker("b", 4, 60, warm=["kitchen"])
    assert predicted_s(cold, TALK) == pytest.approx((4 + 8 + 8) / 100 + 60 / 1000)
    assert predicted_s(warm, TALK) == pytest.approx((4 + 8 + 8) / 100)


def test_speed_counts_and_not_the_number_of_requests() -> None:
    slow, quick = worker("a", 8, tokens_per_s=20.0), worker("b", 8, 8, 8, tokens_per_s=200.0)
    assert choose([slow, quick], SHORT, NOW_S) == quick


def test_ties_go_to_the_least_p95_then_to_the_first_name() -> None:
    later = worker("a", p95_s=0.3, predicted_p95_s=0.2)
    assert choose([later, worker("c"), worker("b")], SHORT, NOW_S) == worker("b")


def test_one_that_is_far_slower_than_it_predicts_is_believed_less() -> None:
    stuck = worker("a", p95_s=3.0, predicted_p95_s=1.0)
    assert choose([stuck, worker("b", 8)], SHORT, NOW_S) == worker("b", 8)
    late = worker("a", p95_s=1.9, predicted_p95_s=1.0)
    assert choose([late, worker("b", 8)], SHORT, NOW_S) == late
    lost = worker("a", p95_s=900.0, predicted_p95_s=1.0)
    assert predicted_s(lost, SHORT) == SLOWEST * predicted_s(worker("b"), SHORT)


def test_an_open_breaker_keeps_requests_away_until_it_is_half_open() -> None:
    idle, busy = worker("a"), worker("b", 60, 60)
    assert choose([with_breaker(idle, OPEN), busy], SHORT, NOW_S) == busy
    half = with_breaker(idle, HALF_OPEN)
    assert choose([half, busy], SHORT, NOW_S) == half
    probing = with_breaker(idle, HALF_OPEN.sent(NOW_S))
    assert choose([probing, busy], SHORT, NOW_S) == busy


def test_round_robin_takes_turns_and_power_of_two_the_shorter_queue() -> None:
    workers = [worker("a", 1, 1), worker("b", 60)]
    assert [round_robin(workers, turn, NOW_S) for turn in range(3)] == [*workers, workers[0]]
    assert {power_of_two(workers, Random(n), NOW_S) for n in range(9)} == {workers[1]}
