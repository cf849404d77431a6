"""A worker's circuit breaker, with time as data."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from assistant.pool.breaker import (
    FAILURES_TO_OPEN,
    FIRST_REST_S,
    LONGEST_REST_S,
    Breaker,
    BreakerState,
)


def opened(now_s: float = 0.0) -> Breaker:
    breaker = Breaker()
    for _ in range(FAILURES_TO_OPEN):
        assert breaker.state(now_s) is BreakerState.CLOSED
        breaker = breaker.failed(now_s)
    return breaker


def test_failures_in_a_row_open_it_until_its_rest_is_over() -> None:
    breaker = opened(10.0)
    assert breaker.state(10.0 + FIRST_REST_S - 0.01) is BreakerState.OPEN
    assert breaker.state(10.0 + FIRST_REST_S) is BreakerState.HALF_OPEN


def test_a_success_between_failures_keeps_it_closed() -> None:
    breaker = Breaker()
    for _ in range(FAILURES_TO_OPEN):
        breaker = breaker.failed(0.0).succeeded()
    assert breaker == Breaker()


def test_one_probe_alone_is_let_through() -> None:
    probing = opened().sent(FIRST_REST_S)
    assert probing.state(FIRST_REST_S) is BreakerState.OPEN
    assert probing.succeeded() == Breaker()


def test_a_probe_that_fails_doubles_the_rest_up_to_the_longest() -> None:
    breaker, now_s, rests = opened(), 0.0, []
    for _ in range(10):
        rests.append(breaker.until_s - now_s)
        now_s = breaker.until_s
        breaker = breaker.sent(now_s).failed(now_s)
    assert rests[:3] == [FIRST_REST_S, 2 * FIRST_REST_S, 4 * FIRST_REST_S]
    assert rests[-1] == LONGEST_REST_S


def test_a_probe_of_which_nothing_is_heard_has_failed() -> None:
    probing = opened().sent(FIRST_REST_S)
    again_s = probing.until_s
    assert probing.state(again_s) is BreakerState.HALF_OPEN
    assert probing.sent(again_s).until_s == again_s + 2 * FIRST_REST_S


def test_what_was_sent_before_it_opened_changes_nothing() -> None:
    breaker = opened()
    assert breaker.failed(0.5) == breaker
    assert breaker.succeeded() == breaker


def test_what_is_sent_while_it_is_closed_is_no_probe() -> None:
    assert Breaker(failures=1).sent(0.0) == Breaker(failures=1)


@given(st.lists(st.tuples(st.sampled_from(("sent", "succeeded", "failed")), st.floats(0.0, 5.0))))
def test_whatever_happens_it_admits_again_within_the_longest_rest(
    events: list[tuple[str, float]],
) -> None:
    breaker, now_s = Breaker(), 0.0
    for event, after_s in events:
        now_s += after_s
        breaker = breaker.succeeded() if event == "succeeded" else getattr(breaker, event)(now_s)
    assert breaker.state(now_s + LONGEST_REST_S) is not BreakerState.OPEN
