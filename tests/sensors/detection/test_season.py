"""The season of the day: what is unusual for the time is found, and what has no season has none."""

from __future__ import annotations

import math
import random
from collections.abc import Callable

import pytest

from assistant.sensors.detection.season import DAY_S, DayClock, Season, SeasonLearner, SeasonModel

STEP_S = 300.0
A_DAY = round(DAY_S / STEP_S)


def daily(at_s: float) -> float:
    return 10 * math.sin(2 * math.pi * at_s / DAY_S)


def learnt(
    course: Callable[[float], float], days: float, clock: DayClock | None = None
) -> SeasonModel | None:
    chance = random.Random(1)
    learner = SeasonLearner(clock or DayClock())
    for number in range(round(days * A_DAY)):
        learner.feed(course(number * STEP_S) + chance.gauss(0, 1), number * STEP_S)
    return learner.learnt()


@pytest.fixture(scope="module")
def season() -> Season:
    model = learnt(daily, 4)
    assert model is not None
    return Season(model, DayClock(), STEP_S)


def scores(season: Season, course: Callable[[float], float]) -> list[float]:
    """The scores of one more day."""
    chance = random.Random(2)
    times = [DAY_S * 4 + number * STEP_S for number in range(A_DAY)]
    return [season.feed(course(at_s) + chance.gauss(0, 1), at_s) for at_s in times]


def test_a_day_like_the_others_is_well(season: Season) -> None:
    assert max(scores(season, daily)) < 1
    assert season.usual(DAY_S / 4) == pytest.approx(10, abs=1)


def test_noon_at_midnight_is_unusual_though_no_value_is(season: Season) -> None:
    assert max(scores(season, lambda at_s: daily(at_s + DAY_S / 2))) > 1


@pytest.mark.parametrize("days", [0.9, 1.5])
def test_a_day_and_a_bit_tells_no_season(days: float) -> None:
    assert learnt(daily, days) is None


def test_noise_has_no_season() -> None:
    assert learnt(lambda at_s: 0.0, 5) is None


def test_what_the_days_become_is_followed() -> None:
    model = learnt(daily, 4)
    assert model is not None
    season = Season(model, DayClock(), STEP_S)
    for day in range(60):  # a fifth of a deviation warmer each day, twelve in all
        assert max(scores(season, lambda at_s, d=day: daily(at_s) + d / 5)) < 1
    assert max(scores(Season(model, DayClock(), STEP_S), lambda at_s: daily(at_s) + 12)) > 1


def test_the_time_of_the_day_is_that_of_the_wall() -> None:
    clock = DayClock(offset_s=DAY_S / 2)
    assert (clock.slot(0.0), clock.slot(DAY_S / 2)) == (24, 0)
    assert (clock.day(0.0), clock.day(DAY_S / 2)) == (0, 1)
    model = learnt(daily, 4, clock)
    assert model is not None
    assert max(model.profile[:24]) < 2  # the upper half of the sine lies after noon
