"""Whatever befalls the clock, each thing comes once at its time; a naive board would be noticed."""

from __future__ import annotations

import pytest

from benchmarks.endurance.clock_jumps import EXACT_S, Attack

JUMPS, MANY = 5, 20


@pytest.mark.parametrize("jumps", [JUMPS, pytest.param(MANY, marks=pytest.mark.depth)])
def test_each_thing_comes_once_and_at_its_time(jumps: int) -> None:
    found = Attack().run(jumps)
    assert (found.missing, found.again, found.wrong_time, found.wrong_words) == ([], [], [], [])
    assert found.worst_s < EXACT_S
    assert found.occurrences > jumps


def test_lengths_that_are_counted_by_the_wall_clock_are_noticed() -> None:
    found = Attack(naive=True).run(JUMPS)
    assert found.wrong_time
    assert found.worst_s > 60


@pytest.mark.depth
def test_a_board_that_trusts_any_clock_is_noticed() -> None:
    assert Attack(trusting=True).run(MANY).wrong_time
