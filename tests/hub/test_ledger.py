"""What is counted of the replicas, with time as data."""

from __future__ import annotations

import pytest

from assistant.hub.ray.holding import News
from assistant.hub.ray.ledger import (
    AVOIDED_S,
    BOOKED_S,
    CALLER,
    WAITS_OF_LAST_S,
    WARM,
    Ledger,
    Outcome,
)
from assistant.pool.breaker import FAILURES_TO_OPEN, FIRST_REST_S
from assistant.pool.routing import RequestShape

SUCCEEDED, FAILED, CANCELLED = Outcome.SUCCEEDED, Outcome.FAILED, Outcome.CANCELLED
SHORT = RequestShape(tokens=10)
REPLICAS = ("a", "b")


def ledger() -> Ledger:
    return Ledger(tokens_per_s=100.0, in_slices=False)


def served(of: Ledger, replica: str, outcome: Outcome, at_s: float, name: str = "one") -> None:
    """A request that takes 0.1 s at a replica, as many tokens as it is taken to make in it."""
    of.ranked(REPLICAS, name, SHORT, at_s)
    of.began(replica, name, SHORT, at_s)
    of.ended(name, outcome, at_s + 0.1)


def left(of: Ledger) -> dict[str, int]:
    return {state.name: len(state.left) for state in of.states()}


def test_a_burst_is_shared_though_none_of_it_is_taken_yet() -> None:
    counts = ledger()
    first = [counts.ranked(REPLICAS, str(n), SHORT, 1.0)[0] for n in range(10)]
    assert sorted(first) == ["a"] * 5 + ["b"] * 5


def test_what_another_replica_took_counts_there_alone() -> None:
    counts = ledger()
    assert counts.ranked(REPLICAS, "1", SHORT, 1.0)[0] == "a"
    counts.began("b", "1", SHORT, 1.0)
    assert left(counts) == {"a": 0, "b": 1}
    counts.ended("1", SUCCEEDED, 1.1)
    assert left(counts) == {"a": 0, "b": 0}


def test_what_nobody_took_counts_no_longer() -> None:
    counts = ledger()
    counts.ranked(REPLICAS, "gone", SHORT, 1.0)
    assert left(counts)["a"] == 1
    counts.ranked(REPLICAS, "next", SHORT, 1.0 + BOOKED_S)
    assert left(counts) == {"a": 1, "b": 0}


def test_a_replica_that_is_no_more_takes_its_requests_along() -> None:
    counts = ledger()
    counts.ranked(REPLICAS, "1", SHORT, 1.0)
    counts.began("a", "1", SHORT, 1.0)
    assert counts.ranked(("b",), "2", SHORT, 1.1) == ["b"]
    counts.ended("1", SUCCEEDED, 2.0)
    assert left(counts) == {"b": 1}


def test_its_speed_is_learnt_of_what_it_serves() -> None:
    counts = ledger()
    for number in range(100):
        counts.ranked(("a",), str(number), SHORT, float(number))
        counts.began("a", str(number), SHORT, float(number))
        counts.ended(str(number), SUCCEEDED, number + 0.5)
    (state,) = counts.states()
    assert 19.9 < state.tokens_per_s < 20.1
    assert state.p95_s == 0.5
    assert 0.49 < counts.wait_s(SHORT, 100.0) < 0.51


def test_once_the_usual_length_is_known_a_long_request_leaves_a_replica_to_short_ones() -> None:
    counts, long = ledger(), RequestShape(tokens=40)
    first = [counts.ranked(REPLICAS, name, long, 1.0)[0] for name in ("1", "2")]
    assert first == ["a", "b"]
    for number in range(9):
        served(counts, "a", SUCCEEDED, 3.0 + number)
    assert {state.name: state.usual_tokens for state in counts.states()} == {"a": 10.0, "b": 0.0}
    first = [counts.ranked(REPLICAS, name, long, 20.0)[0] for name in ("3", "4")]
    assert first == ["a", "a"]
    assert counts.ranked(REPLICAS, "5", SHORT, 20.0)[0] == "b"


def test_a_conversation_goes_where_it_is_held_and_is_forgotten_in_the_end() -> None:
    counts = ledger()
    talk = RequestShape(tokens=1, key="kitchen")
    counts.ranked(REPLICAS, "1", talk, 1.0)
    counts.began("b", "1", talk, 1.0)
    counts.ended("1", SUCCEEDED, 1.01)
    assert counts.ranked(REPLICAS, "2", talk, 2.0)[0] == "b"
    for number in range(WARM):
        other = RequestShape(tokens=1, key=str(number))
        counts.began("b", f"x{number}", other, 3.0)
        counts.ended(f"x{number}", SUCCEEDED, 3.01)
    assert {state.name: "kitchen" in state.warm for state in counts.states()}["b"] is False


def test_a_replica_that_does_not_answer_is_asked_last_for_a_while() -> None:
    counts = ledger()
    assert counts.ranked(REPLICAS, "1", SHORT, 1.0) == ["a", "b"]
    counts.ended("1", SUCCEEDED, 1.0)
    counts.avoid("a", 1.0)
    assert counts.ranked(REPLICAS, "2", SHORT, 1.5) == ["b", "a"]
    counts.avoid("b", 1.6)
    assert counts.ranked(REPLICAS, "3", SHORT, 1.1 + AVOIDED_S)[0] == "a"


def test_a_dead_replica_that_older_news_name_again_is_still_asked_last() -> None:
    counts = ledger()
    counts.avoid("a", 1.0)
    assert counts.ranked(("b",), "1", SHORT, 1.1) == ["b"]
    counts.told({"a": News(), "b": News()})
    assert counts.ranked(REPLICAS, "2", SHORT, 1.2) == ["b", "a"]


def test_a_further_replica_is_taken_to_be_as_fast_as_those_that_served() -> None:
    """One that is taken to be far slower is never asked, and so never measured."""
    counts = ledger()
    for number in range(100):
        counts.ranked(("a",), str(number), SHORT, float(number))
        counts.began("a", str(number), SHORT, float(number))
        counts.ended(str(number), SUCCEEDED, number + 0.001)
    assert counts.load(200.0).tokens_per_s > 90 * 100.0
    counts.ranked(REPLICAS, "held", SHORT, 200.0)
    counts.began("a", "held", SHORT, 200.0)
    assert counts.ranked(REPLICAS, "next", SHORT, 200.0)[0] == "b"


def test_a_request_waits_until_a_replica_has_taken_it() -> None:
    counts = ledger()
    counts.ranked(REPLICAS, "1", SHORT, 1.0)
    counts.ranked(REPLICAS, "1", SHORT, 1.5)  # none had room
    assert counts.load(2.0).tokens_outstanding == 10
    assert counts.load(2.0).p95_wait_s == 0.0
    counts.began("b", "1", SHORT, 2.2)
    counts.ended("1", SUCCEEDED, 9.0)
    load = counts.load(9.0)
    assert load.tokens_outstanding == 0
    assert load.p95_wait_s == pytest.approx(1.2)
    assert load.replicas == 2
    assert counts.load(2.2 + WAITS_OF_LAST_S).p95_wait_s == 0.0


def test_what_others_have_sent_counts_as_the_replica_tells_it_and_ours_as_we_count() -> None:
    counts = ledger()
    ours, others = (10,) * 5, (40, 20)
    counts.told({"a": News(left={CALLER: ours, "other": others}), "b": News()})
    assert left(counts) == {"a": 2, "b": 0}
    assert counts.ranked(REPLICAS, "1", SHORT, 1.0)[0] == "b"
    counts.began("b", "1", SHORT, 1.0)
    load = counts.load(1.0)
    assert (load.tokens_outstanding, load.replicas) == (70, 2)
    counts.told({"a": News(left={CALLER: ours}), "b": News(left={CALLER: (10,), "other": (5,)})})
    assert left(counts) == {"a": 0, "b": 2}
    counts.ended("1", SUCCEEDED, 1.1)
    assert left(counts) == {"a": 0, "b": 1}


def test_replicas_that_nothing_is_told_of_any_more_are_forgotten() -> None:
    counts = ledger()
    counts.told({"a": News(left={"other": (10,)}), "b": News()})
    counts.told({"b": News()})
    assert left(counts) == {"b": 0}


def test_a_replica_is_as_fast_as_it_tells_until_it_has_served_us() -> None:
    counts = ledger()
    counts.told({"b": News(), "a": News(tokens_per_s=10.0)})
    assert [state.tokens_per_s for state in counts.states()] == [10.0, 10.0]
    assert counts.load(1.0).tokens_per_s == 10.0
    for number in range(100):
        counts.ranked(("a",), str(number), SHORT, float(number))
        counts.began("a", str(number), SHORT, float(number))
        counts.ended(str(number), SUCCEEDED, number + 0.5)
        counts.told({"a": News(tokens_per_s=10.0)})
    assert counts.load(1.0).tokens_per_s == pytest.approx(20.0, abs=0.1)


def test_a_replica_that_fails_thrice_in_a_row_is_asked_last_and_then_once_again() -> None:
    counts = ledger()
    for number in range(FAILURES_TO_OPEN - 1):
        served(counts, "a", FAILED, float(number))
    assert counts.ranked(REPLICAS, "x", SHORT, 2.0) == ["a", "b"]
    counts.ended("x", CANCELLED, 2.0)
    served(counts, "a", FAILED, 2.0)
    assert counts.ranked(REPLICAS, "2", SHORT, 2.5) == ["b", "a"]
    again_s = 2.1 + FIRST_REST_S
    assert counts.ranked(REPLICAS, "probe", SHORT, again_s) == ["a", "b"]
    assert counts.ranked(REPLICAS, "next", SHORT, again_s) == ["b", "a"]
    counts.began("a", "probe", SHORT, again_s)
    counts.ended("probe", SUCCEEDED, again_s + 0.1)
    assert counts.ranked(REPLICAS, "last", SHORT, again_s + 0.2) == ["a", "b"]


def test_where_all_replicas_rest_a_request_still_goes_to_the_best_of_them() -> None:
    counts = ledger()
    for number in range(FAILURES_TO_OPEN):
        served(counts, "a", FAILED, 1.0, f"a{number}")
        served(counts, "b", FAILED, 1.0, f"b{number}")
    assert counts.ranked(REPLICAS, "1", SHORT, 1.2) == ["a", "b"]
    assert counts.ranked(REPLICAS, "2", SHORT, 1.2) == ["b", "a"]
    assert 0.1 < counts.wait_s(SHORT, 1.2) < 1.0


def test_only_what_was_served_to_the_end_tells_of_a_replica() -> None:
    counts = ledger()
    for number in range(2):
        counts.ranked(("a",), str(number), SHORT, 1.0)
        counts.began("a", str(number), SHORT, 1.0)
    counts.ended("0", FAILED, 1.0001)
    counts.ended("1", CANCELLED, 1.0001)
    (state,) = counts.states()
    assert (state.tokens_per_s, state.p95_s, state.left) == (100.0, 0.0, ())
    assert state.breaker.failures == 1


def test_what_no_replica_has_taken_is_the_fault_of_none() -> None:
    counts = ledger()
    counts.ranked(("a",), "1", SHORT, 1.0)
    counts.ended("1", FAILED, 1.5)
    (state,) = counts.states()
    assert (state.breaker.failures, state.left) == (0, ())
