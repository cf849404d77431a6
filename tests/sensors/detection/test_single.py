"""One sensor: what differs from what was learnt is a fault with its name, and nothing else is."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterable, Iterator

import msgspec
import pytest

from assistant.core.sensors.described import Sensor
from assistant.core.sensors.messages import Fault
from assistant.sensors.detection.single import (
    FEWEST_BINS,
    HOLDS_LEVEL,
    SingleDetector,
    SingleLearner,
    SingleModel,
)

RATE_HZ = 10
LEARNT_S = 1800
SENSOR = Sensor(id="s", name="heat", topic="t")


def noise(seconds: float, seed: int, level: float = 20.0) -> Iterator[float]:
    """White noise of deviation one, in tenths, ten values a second."""
    chance = random.Random(seed)
    for _ in range(round(seconds * RATE_HZ)):
        yield round(level + chance.gauss(0, 1), 1)


def timed(values: Iterable[float], from_s: float = 0.0) -> Iterator[tuple[float, float]]:
    for number, value in enumerate(values):
        yield value, from_s + number / RATE_HZ


@pytest.fixture(scope="module")
def model() -> SingleModel:
    learner = SingleLearner()
    for value, at_s in timed(noise(LEARNT_S, seed=1)):
        learner.feed(value, at_s)
    return learner.learnt()


def found(
    model: SingleModel | None, values: Iterable[float], sensor: Sensor = SENSOR, slack: float = 1.0
) -> list[tuple[float, Fault]]:
    """When what was wrong."""
    detector = SingleDetector(sensor, model, slack)
    return [
        (at_s, wrong[0])
        for value, at_s in timed(values)
        if (wrong := detector.feed(value, at_s)) is not None
    ]


def changed(change: Callable[[float, float], float], seconds: float = 120.0) -> list[float]:
    """Noise of another seed that `change` makes something else of: (value, seconds) → value."""
    return [change(value, at_s) for value, at_s in timed(noise(seconds, seed=2))]


def test_what_was_learnt_is_what_the_values_were(model: SingleModel) -> None:
    assert model.interval_s == pytest.approx(0.1)
    assert model.level == pytest.approx(20, abs=0.1)
    assert model.spread == pytest.approx(1, abs=0.1)
    assert model.spread_of_three == pytest.approx(1 / math.sqrt(3), abs=0.1)
    assert msgspec.json.decode(msgspec.json.encode(model), type=SingleModel) == model


def test_what_is_as_it_was_is_no_fault(model: SingleModel) -> None:
    assert found(model, noise(3600, seed=2)) == []


@pytest.mark.parametrize("size", [6.0, -6.0])
def test_a_spike_of_six_deviations_is_found_within_three_values(
    model: SingleModel, size: float
) -> None:
    values = changed(lambda value, at_s: value + size * (60 <= at_s < 60.5))
    wrong = found(model, values)
    assert {fault for _, fault in wrong} == {"spike"}
    assert 60 <= wrong[0][0] <= 60.3
    assert wrong[-1][0] < 61


def test_half_of_it_is_noise(model: SingleModel) -> None:
    assert found(model, changed(lambda value, at_s: value + 1.5 * (60 <= at_s < 60.5))) == []


def test_a_drift_is_found_though_no_value_is_unusual(model: SingleModel) -> None:
    values = changed(lambda value, at_s: value + 3 * min(at_s / 600, 1), seconds=900)
    wrong = found(model, values)
    assert {fault for _, fault in wrong} == {"drift"}
    assert wrong[0][0] < 600


def test_a_value_that_stands_still_is_stuck_from_then_until_it_moves(model: SingleModel) -> None:
    wrong = found(model, changed(lambda value, at_s: 20.5 if 60 <= at_s < 70 else value))
    assert {fault for _, fault in wrong} == {"stuck"}
    assert 60 < wrong[0][0] < 65
    assert wrong[-1][0] < 70.1


def test_silence_is_wrong_after_some_times_the_longest_gap(model: SingleModel) -> None:
    detector = SingleDetector(SENSOR, model)
    assert detector.silent(100.0) == 0  # none has ever come
    detector.feed(20.0, 100.0)
    assert detector.silent(102.0) < 1 <= detector.silent(104.0)
    patient = SingleDetector(msgspec.structs.replace(SENSOR, silent_after_s=60.0), model)
    patient.feed(20.0, 100.0)
    assert patient.silent(150.0) < 1 <= patient.silent(161.0)


@pytest.mark.parametrize(
    ("limits", "value", "fault"),
    [
        ({"high": 25.0}, 25.1, "high"),
        ({"low": 15.0}, 14.9, "low"),
        ({"fastest": 10.0}, 23.0, "fast"),
    ],
)
def test_the_limits_of_the_file_hold_though_nothing_was_learnt(
    limits: dict[str, float], value: float, fault: Fault
) -> None:
    sensor = msgspec.structs.replace(SENSOR, **limits)
    assert found(None, [20.0, 20.0, value], sensor) == [(0.2, fault)]
    assert found(None, [20.0, 20.0, 20.5], sensor) == []


def test_without_limits_and_learning_nothing_is_wrong() -> None:
    assert found(None, [20.0, 2000.0] * 100) == []


def test_what_goes_on_after_a_step_is_no_spike_for_ever(model: SingleModel) -> None:
    wrong = found(model, changed(lambda value, at_s: value + 8 * (at_s >= 60)))
    spikes = [at_s for at_s, fault in wrong if fault == "spike"]
    assert 60 <= spikes[0] <= 60.3
    assert spikes[-1] < 60 + 3 * HOLDS_LEVEL
    assert wrong[-1][1] == "drift"


def test_slack_lets_pass_what_was_a_false_alarm(model: SingleModel) -> None:
    values = changed(lambda value, at_s: value + 6 * (60 <= at_s < 60.5))
    assert found(model, values)
    assert found(model, values, slack=3.0) == []


def test_a_sensor_that_tells_a_value_a_minute_has_bins_of_one() -> None:
    chance = random.Random(3)
    learner = SingleLearner()
    for number in range(3 * FEWEST_BINS):
        learner.feed(-18 + chance.gauss(0, 0.3), 60.0 * number)
    model = learner.learnt()
    assert model.bins == 3 * FEWEST_BINS - 1
    assert model.interval_s == pytest.approx(60)
    detector = SingleDetector(SENSOR, model)
    for number in range(30):
        assert detector.feed(-18 + chance.gauss(0, 0.3), 60.0 * number) is None
    assert detector.feed(-12, 1860.0) is not None


def test_too_little_is_not_learnt() -> None:
    learner = SingleLearner()
    for number in range(FEWEST_BINS):
        learner.feed(1.0, float(number))
    assert not learner.enough
    with pytest.raises(ValueError, match="needed"):
        learner.learnt()


def test_levels_go_on_in_another_trace(model: SingleModel) -> None:
    values = list(timed(noise(120, seed=4)))
    before, after = SingleDetector(SENSOR, model), SingleDetector(SENSOR, model)
    for value, at_s in values:
        before.feed(value, at_s)
    kept = before.trace.kept()
    assert kept is not None
    after.trace.go_on(kept)
    assert after.feed(30.0, 200.0) is not None
    assert SingleDetector(SENSOR, model).feed(30.0, 200.0) is None
