"""A group of sensors that belong together: what breaks their usual course is noticed and named."""

from __future__ import annotations

import msgspec
import numpy as np
import pytest

from assistant.sensors.detection.group import FAST, FEWEST, Array, GroupDetector, GroupModel

PUMP, FLOW, HEAT, HUM = range(4)
NORMAL = 600


def machine(rows: int, seed: int = 0) -> Array:
    """A pump whose flow follows it, a temperature, and a hum with no part in that."""
    rng = np.random.default_rng(seed)
    pump = 20 + np.cumsum(rng.normal(0, 0.3, rows)) * 0.1 + rng.normal(0, 1, rows)
    flow = 3 * pump + rng.normal(0, 0.3, rows)
    return np.column_stack([pump, flow, 60 + rng.normal(0, 0.5, rows), rng.normal(0, 0.01, rows)])


@pytest.fixture(scope="module")
def model() -> GroupModel:
    return GroupModel.learn(machine(NORMAL))


def scores(model: GroupModel, readings: Array) -> tuple[list[float], GroupDetector]:
    detector = GroupDetector(model)
    return [detector.feed(reading) for reading in readings], detector


def test_what_is_usual_is_no_fault(model: GroupModel) -> None:
    assert max(scores(model, machine(2000, seed=1))[0]) < 1


@pytest.mark.parametrize(
    ("sensor", "off"), [(PUMP, 4.0), (FLOW, -12.0), (HEAT, 4.0), (HUM, 0.08), (HUM, -0.08)]
)
def test_the_sensor_that_is_off_is_named(model: GroupModel, sensor: int, off: float) -> None:
    readings = machine(100, seed=2)
    readings[50:, sensor] += off
    found, _ = scores(model, readings)
    assert max(found[:50]) < 1
    assert max(found[50 : 50 + FAST.window]) >= 1
    _, detector = scores(model, readings[: 50 + FAST.window])
    shares = detector.contributions()
    assert int(np.argmax(shares)) == sensor
    assert shares.sum() == pytest.approx(1)


def test_a_flow_that_no_longer_follows_its_pump_is_a_fault_though_each_is_usual(
    model: GroupModel,
) -> None:
    readings = machine(200, seed=3)
    apart = machine(200, seed=4)
    readings[100:, FLOW] = apart[100:, FLOW]
    assert (
        np.abs(readings - readings[:100].mean(0)).max(0)[FLOW]
        < 3.5 * readings[:100].std(0)[FLOW] + 3
    )
    found, _ = scores(model, readings)
    assert max(found[:100]) < 1 <= max(found[100:])


def test_the_centre_follows_what_changes_slowly_and_no_fault(model: GroupModel) -> None:
    slow = machine(3000, seed=5)
    slow[:, HEAT] += np.linspace(0, 5, 3000)  # ten deviations in all
    assert max(scores(model, slow)[0]) < 1
    fault = machine(3000, seed=6)
    fault[100:, HEAT] += 5
    found = scores(model, fault)[0]
    assert min(found[100 + FAST.window : 100 + FAST.holds]) >= 1
    assert max(found[-1000:]) < 1  # what has stayed for so long is how it is now


def test_a_load_that_goes_on_while_a_sensor_is_wrong_is_followed(model: GroupModel) -> None:
    readings = machine(500, seed=10)
    readings[:, PUMP] += np.linspace(0, 10, 500)
    readings[:, FLOW] += np.linspace(0, 30, 500)
    fault = readings.copy()
    fault[100:300, HUM] += 0.08
    found = scores(model, fault)[0]
    assert max(found[:100]) < 1 <= min(found[100 + FAST.window : 300])
    assert max(found[300 + 2 * FAST.window :]) < 1


def test_a_value_that_is_missing_counts_as_usual(model: GroupModel) -> None:
    readings = machine(300, seed=7)
    readings[::3, FLOW] = np.nan
    readings[100:120] = np.nan
    found, _ = scores(model, readings)
    assert np.isfinite(found).all()
    assert max(found) < 1


def test_a_sensor_that_stood_still_when_it_was_learnt_may_not_move() -> None:
    still = machine(NORMAL)
    still[:, HUM] = 1.0
    model = GroupModel.learn(still)
    readings = still[:40].copy()
    assert max(scores(model, readings)[0]) < 1
    readings[20:, HUM] = 1.1
    found, detector = scores(model, readings)
    assert found[20] >= 1
    assert int(np.argmax(detector.contributions())) == HUM


def test_one_sensor_may_be_a_group() -> None:
    model = GroupModel.learn(machine(NORMAL)[:, [HEAT]])
    readings = machine(60, seed=8)[:, [HEAT]]
    readings[30:] += 4
    found, detector = scores(model, readings)
    assert max(found[:30]) < 1 <= max(found[30:])
    assert detector.contributions().tolist() == [1.0]


@pytest.mark.parametrize("readings", [machine(FEWEST - 1), np.full((FEWEST, 2), np.nan)])
def test_too_little_is_not_learnt(readings: Array) -> None:
    with pytest.raises(ValueError, match="are needed"):
        GroupModel.learn(readings)


def test_a_model_is_kept_as_text(model: GroupModel) -> None:
    again = msgspec.json.decode(msgspec.json.encode(model), type=GroupModel)
    readings = machine(50, seed=9)
    assert scores(again, readings)[0] == scores(model, readings)[0]
