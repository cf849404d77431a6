"""How many replicas are wanted, with load and time as data."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise
from random import Random

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.pool.breaker import Breaker
from assistant.pool.routing import WorkerState
from assistant.pool.scaling import (
    LONGEST,
    PoolLoad,
    ScalingPolicy,
    ScalingState,
    decide,
    surplus,
)

POLICY = ScalingPolicy(least=1, most=8, target_s=0.5, up_after_s=1.0, down_after_s=60.0)
SPEED = 100.0
IDLE = 0.0


def work(replicas: float) -> float:
    """The tokens that are the target of so many replicas."""
    return replicas * POLICY.target_s * SPEED


def wanted(
    tokens: Iterable[float], state: ScalingState, p95_wait_s: float = 0.0, replicas: int = 1
) -> list[int]:
    """What is wanted at each second of such a load."""
    counts = []
    for now_s, outstanding in enumerate(tokens):
        load = PoolLoad(
            tokens_outstanding=outstanding,
            tokens_per_s=SPEED,
            p95_wait_s=p95_wait_s,
            replicas=replicas,
        )
        state, count = decide(state, load, float(now_s), POLICY)
        counts.append(count)
    return counts


def changes(counts: Sequence[int]) -> int:
    return sum(a != b for a, b in pairwise(counts))


def test_load_is_followed_up_within_three_seconds_in_one_step() -> None:
    assert wanted([work(5)] * 4, ScalingState(wanted=1)) == [1, 5, 5, 5]


def test_each_further_step_up_is_waited_for_anew() -> None:
    load = [work(5)] * 2 + [work(7)] * 2
    assert wanted(load, ScalingState(wanted=1)) == [1, 5, 5, 7]


def test_what_is_over_within_a_second_changes_nothing() -> None:
    assert wanted([work(5), IDLE, work(5), IDLE], ScalingState(wanted=1)) == [1] * 4


def test_it_goes_down_by_one_a_minute() -> None:
    counts = wanted([IDLE] * 200, ScalingState(wanted=4))
    assert [counts[at] for at in (59, 60, 120, 121, 182, 199)] == [4, 3, 3, 2, 1, 1]


def test_a_load_between_the_limits_changes_nothing() -> None:
    for replicas in (3.9, 2.1):
        assert changes(wanted([work(replicas)] * 1000, ScalingState(wanted=4))) == 0


def test_a_moment_of_work_puts_off_the_step_down() -> None:
    load = ([IDLE] * 59 + [work(4)]) * 5
    assert set(wanted(load, ScalingState(wanted=4))) == {4}


def test_a_long_wait_asks_for_one_more_than_serve_and_no_more_until_it_serves() -> None:
    state = ScalingState(wanted=2)
    assert wanted([work(1)] * 9, state, p95_wait_s=2.0, replicas=2)[-1] == 3
    assert wanted([work(1)] * 9, state, p95_wait_s=0.4, replicas=2)[-1] == 2


def test_a_long_wait_asks_for_no_more_than_the_most() -> None:
    counts = wanted([work(1)] * 9, ScalingState(wanted=8), p95_wait_s=2.0, replicas=8)
    assert set(counts) == {8}


def test_a_long_wait_of_what_is_over_asks_for_nothing() -> None:
    assert wanted([IDLE] * 9, ScalingState(wanted=2), p95_wait_s=2.0, replicas=2)[-1] == 2


def flapping(counted: bool) -> int:
    """The changes in an hour of a load that two replicas bear easily and one does not.

    Where they are not `counted`, the policy forgets that it had to take a step down back.
    """
    state, changed = ScalingState(wanted=2), 0
    for second in range(3600):
        tokens = work(2) if state.wanted < 2 else work(0.2)
        load = PoolLoad(tokens_outstanding=tokens, tokens_per_s=SPEED, replicas=state.wanted)
        before = state.wanted
        state, count = decide(state, load, float(second), POLICY)
        changed += count != before
        if not counted:
            state = msgspec.structs.replace(state, lowered_s=-math.inf, patience=1)
    return changed


def test_a_step_that_is_taken_back_is_tried_ever_less_often() -> None:
    assert flapping(counted=True) <= 12


def test_without_that_memory_it_would_flap() -> None:
    # The control of the test above.
    assert flapping(counted=False) > 30


def test_its_patience_is_bounded_and_ends() -> None:
    patient = ScalingState(wanted=1, lowered_s=0.0, patience=LONGEST)
    load = PoolLoad(tokens_outstanding=work(3), tokens_per_s=SPEED)
    for last_s, patience in ((10.0, LONGEST), (1e6, 1)):
        state, _ = decide(patient, load, last_s - 1.0, POLICY)
        state, count = decide(state, load, last_s, POLICY)
        assert (count, state.patience) == (3, patience)


@given(st.integers(0, 2**32), st.floats(0.0, 12.0), st.integers(1, 8))
def test_it_stays_within_its_bounds_and_settles_under_a_steady_load(
    seed: int, replicas: float, first: int
) -> None:
    random = Random(seed)
    wild = [work(random.uniform(0, 20)) for _ in range(100)]
    counts = wanted(wild, ScalingState(wanted=first))
    assert {1 <= count <= 8 for count in counts} == {True}
    settled = wanted([work(replicas)] * 1000, ScalingState(wanted=first))
    assert changes(settled) <= 8
    assert len(set(settled[600:])) == 1


@pytest.mark.parametrize(("remembered", "count"), [(0, 1), (99, 8)])
def test_bounds_hold_for_what_was_remembered_under_others(remembered: int, count: int) -> None:
    assert wanted([work(0.8) * count], ScalingState(wanted=remembered)) == [count]


def worker(name: str, tokens: int, draining: bool = False, failures: int = 0) -> WorkerState:
    breaker = Breaker(failures=failures)
    left = (tokens,) if tokens else ()
    return WorkerState(
        name=name, tokens_per_s=SPEED, left=left, is_draining=draining, breaker=breaker
    )


def test_what_drains_goes_first_then_what_failed_then_what_has_least_to_do() -> None:
    workers = [
        worker("a", 9),
        worker("b", 0),
        worker("c", 99, draining=True),
        worker("d", 5),
        worker("e", 50, failures=1),
    ]
    for count, names in ((5, ""), (4, "c"), (3, "ec"), (2, "bec"), (1, "dbec"), (0, "adbec")):
        assert "".join(one.name for one in surplus(workers, count)) == names
