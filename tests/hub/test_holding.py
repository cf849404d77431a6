"""What a replica tells of itself, with time as data."""

from __future__ import annotations

import pytest

from assistant.hub.ray.holding import PERIOD_S, Holding, News, told


@pytest.fixture
def holding() -> Holding:
    return Holding()


def test_it_tells_what_it_holds_for_each_caller(holding: Holding) -> None:
    assert told(holding.news()) == told({}) == News()
    first, *_ = [holding.take(caller, tokens, 1.0) for caller, tokens in (("a", 5), ("b", 7))]
    holding.take("a", 9, 1.0)
    assert told(holding.news()).left == {"a": (5, 9), "b": (7,)}
    holding.leave(first, is_served=False, now_s=1.0)
    assert told(holding.news()).left == {"a": (9,), "b": (7,)}


def test_its_speed_is_that_of_the_time_in_which_it_works(holding: Holding) -> None:
    for start_s in (0.0, 100.0, 200.0):
        short, long = holding.take("a", 10, start_s), holding.take("b", 30, start_s)
        holding.leave(short, is_served=True, now_s=start_s + 1.0)
        holding.leave(long, is_served=True, now_s=start_s + 2.0)
    assert told(holding.news()).tokens_per_s == 20.0


def test_what_is_not_served_to_the_end_took_time_and_gave_nothing(holding: Holding) -> None:
    served, left = holding.take("a", 100, 0.0), holding.take("a", 100, 0.0)
    holding.leave(served, is_served=True, now_s=1.0)
    holding.leave(left, is_served=False, now_s=2.0)
    assert told(holding.news()).tokens_per_s == 50.0


def test_a_replica_that_always_works_tells_its_speed_too(holding: Holding) -> None:
    held = holding.take("a", 10, 0.0)
    for second in range(1, round(PERIOD_S) + 2):
        following = holding.take("a", 10, float(second))
        holding.leave(held, is_served=True, now_s=float(second))
        held = following
    assert told(holding.news()).tokens_per_s == 10.0


def test_news_are_the_same_where_the_speed_has_hardly_changed(holding: Holding) -> None:
    news = []
    for took_s in (1.0, 1.001):
        number = holding.take("a", 100, 0.0)
        holding.leave(number, is_served=True, now_s=took_s)
        news.append(holding.news())
    assert news[0] == news[1]
