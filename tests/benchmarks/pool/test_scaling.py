"""The simulated day: what comes, what the policies make of it, and its picture."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from benchmarks.pool.day import DAY_S, Asked, day_of, recorded_days
from benchmarks.pool.plot import picture
from benchmarks.pool.scaling import (
    LATE_S,
    START_S,
    TOKENS_PER_S,
    Outcome,
    Pool,
    fixed,
    like_ray,
    ours,
    simulated,
)

ROOMS = 300


def busy_hour() -> list[Asked]:
    """Nothing, then ten replicas' worth of work for a minute, then nothing."""
    return [Asked(3600.0 + n / 30, 20) for n in range(1800)]


def late(outcome: Outcome) -> int:
    return sum(wait_s > LATE_S for wait_s in outcome.waits_s)


@pytest.mark.depth
def test_the_weeks_give_days() -> None:
    days = recorded_days()
    assert len(days) == 77
    assert all(0 <= at_s < DAY_S for day in days for at_s, _ in day)


@pytest.mark.depth
def test_a_day_is_that_of_its_seed_and_quiet_at_night() -> None:
    day = day_of(ROOMS, 1, 0.02)
    assert day == day_of(ROOMS, 1, 0.02) != day_of(ROOMS, 2, 0.02)
    assert [asked.at_s for asked in day] == sorted(asked.at_s for asked in day)
    night = sum(asked.at_s < 5 * 3600 for asked in day)
    assert night < 0.02 * len(day)


def test_nothing_is_lost_and_one_replica_serves_in_turn() -> None:
    pool = Pool()
    for _ in range(3):
        pool.ask(Asked(0.0, 60))
    pool.run_until(100.0)
    assert pool.waits_s == [0.0, 1.0, 2.0]


def test_a_replica_serves_once_it_has_started() -> None:
    pool = Pool()
    for _ in range(9):
        pool.ask(Asked(0.0, 600))
    pool.scale(2, 0.0)
    assert (pool.seen(1.0).replicas, pool.held) == (1, 2)
    pool.run_until(START_S)
    assert pool.seen(START_S).replicas == 2
    assert pool.waits_s[1] == START_S


def test_a_replica_that_is_not_wanted_finishes_what_it_has() -> None:
    pool = Pool()
    pool.scale(2, 0.0)
    pool.run_until(START_S)
    for _ in range(3):
        pool.ask(Asked(START_S, 60))
    pool.scale(1, START_S)
    assert (pool.seen(START_S).replicas, pool.held) == (1, 2)
    pool.run_until(100.0)
    assert pool.waits_s == [0.0, 0.0, 1.0]
    assert pool.held == 1


@pytest.fixture(scope="module")
def outcomes() -> dict[str, Outcome]:
    policies = {"ours": ours(), "ray": like_ray(), "one": fixed(1), "many": fixed(20)}
    return {name: simulated(busy_hour(), policy) for name, policy in policies.items()}


@pytest.mark.depth
def test_a_busy_minute_is_followed_sooner_than_by_rays_defaults(
    outcomes: dict[str, Outcome],
) -> None:
    assert all(len(outcome.waits_s) == 1800 for outcome in outcomes.values())
    assert late(outcomes["many"]) == 0  # a control: there is a way
    assert late(outcomes["ours"]) < late(outcomes["ray"]) / 2 < late(outcomes["one"])


@pytest.mark.depth
def test_the_plot_is_svg_with_a_line_for_each_policy(outcomes: dict[str, Outcome]) -> None:
    lines = {name: outcome.replicas for name, outcome in outcomes.items()}
    root = ElementTree.fromstring(picture(busy_hour(), lines, TOKENS_PER_S))
    drawn = [
        path for path in root.iter("{http://www.w3.org/2000/svg}path") if path.get("fill") == "none"
    ]
    assert len(drawn) == len(lines)
