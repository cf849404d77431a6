"""What is counted of the replicas, with time as data."""

from __future__ import annotations

import pytest

from assistant.hub.ray.ledger import AVOIDED_S, BOOKED_S, WAITS_OF_LAST_S, WARM, Ledger
from assistant.pool.routing import RequestShape

SHORT = RequestShape(tokens=10)
REPLICAS = ("a", "b")


def ledger() -> Ledger:
    return Ledger(tokens_per_s=100.0, in_slices=False)


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
    counts.ended("b", "1", 1.1)
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
    counts.ended("a", "1", 2.0)
    assert left(counts) == {"b": 1}


def test_its_speed_is_learnt_of_what_it_serves() -> None:
    counts = ledger()
    for number in range(100):
        counts.ranked(("a",), str(number), SHORT, float(number))
        counts.began("a", str(number), SHORT, float(number))
        counts.ended("a", str(number), number + 0.5)
    (state,) = counts.states()
    assert 19.9 < state.tokens_per_s < 20.1
    assert state.p95_s == 0.5
    assert 0.49 < counts.wait_s(SHORT) < 0.51


def test_a_conversation_goes_where_it_is_held_and_is_forgotten_in_the_end() -> None:
    counts = ledger()
    talk = RequestShape(tokens=1, key="kitchen")
    counts.ranked(REPLICAS, "1", talk, 1.0)
    counts.began("b", "1", talk, 1.0)
    counts.ended("b", "1", 1.01)
    assert counts.ranked(REPLICAS, "2", talk, 2.0)[0] == "b"
    for number in range(WARM):
        other = RequestShape(tokens=1, key=str(number))
        counts.began("b", f"x{number}", other, 3.0)
        counts.ended("b", f"x{number}", 3.01)
    assert {state.name: "kitchen" in state.warm for state in counts.states()}["b"] is False


def test_a_replica_that_does_not_answer_is_asked_last_for_a_while() -> None:
    counts = ledger()
    assert counts.ranked(REPLICAS, "1", SHORT, 1.0) == ["a", "b"]
    counts.ended("a", "1", 1.0)
    counts.avoid("a", 1.0)
    assert counts.ranked(REPLICAS, "2", SHORT, 1.5) == ["b", "a"]
    counts.avoid("b", 1.6)
    assert counts.ranked(REPLICAS, "3", SHORT, 1.1 + AVOIDED_S)[0] == "a"


def test_a_further_replica_is_taken_to_be_as_fast_as_those_that_served() -> None:
    """One that is taken to be far slower is never asked, and so never measured."""
    counts = ledger()
    for number in range(100):
        counts.ranked(("a",), str(number), SHORT, float(number))
        counts.began("a", str(number), SHORT, float(number))
        counts.ended("a", str(number), number + 0.001)
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
    counts.ended("b", "1", 9.0)
    load = counts.load(9.0)
    assert load.tokens_outstanding == 0
    assert load.p95_wait_s == pytest.approx(1.2)
    assert load.replicas == 2
    assert counts.load(2.2 + WAITS_OF_LAST_S).p95_wait_s == 0.0
