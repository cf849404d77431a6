"""A model whose alarms begin in far too many hours is told, and told again when they do not."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from assistant.core.messages import Anomaly, QualityAlert
from assistant.core.sensors.described import Sensor, Sensors
from assistant.core.sensors.messages import Fault
from assistant.sensors.model_watch import AGAIN_WELL, HOURS, MOST, ModelWatch

NOON = datetime(2026, 3, 1, 12, 30, tzinfo=UTC)
PLANT = Sensors(
    sensors=(
        Sensor(id="heat", name="temperature", of="motor three", topic="t"),
        Sensor(id="flow", name="flow", of="motor three", topic="t"),
        Sensor(id="cold", name="freezer", topic="t"),
    )
)


def began(hour: float, sensor: str = "cold", fault: Fault = "spike") -> Anomaly:
    at = NOON + timedelta(hours=hour)
    return Anomaly(id=f"{sensor}{hour}", sensor=sensor, fault=fault, began=at, score=1.5)


def told(watch: ModelWatch, hour: float) -> list[tuple[str, bool]]:
    alerts = watch.pass_time(NOON + timedelta(hours=hour))
    return [(alert.what, alert.over) for alert in alerts]


def test_alarms_hour_after_hour_are_told_once_and_that_they_have_become_rare() -> None:
    watch = ModelWatch(PLANT)
    for hour in range(MOST - 1):
        watch.observe(began(hour))
        assert told(watch, hour) == []
    watch.observe(began(MOST - 1))
    assert list(watch.pass_time(NOON + timedelta(hours=MOST - 1))) == [
        QualityAlert(stage="sensors", what="cold", value=0.25, expected=0.0417)
    ]
    assert told(watch, MOST) == []
    assert told(watch, MOST + HOURS - AGAIN_WELL - 2) == []
    assert told(watch, MOST + HOURS - AGAIN_WELL - 1) == [("cold", True)]


def test_many_alarms_of_one_hour_are_one_bad_hour() -> None:
    watch = ModelWatch(PLANT, [began(minute / 60) for minute in range(3 * MOST)])
    assert told(watch, 1) == []


@pytest.mark.parametrize("fault", ["low", "high", "fast", "stuck", "silent"])
def test_what_no_model_finds_does_not_speak_against_one(fault: Fault) -> None:
    watch = ModelWatch(PLANT, [began(hour, fault=fault) for hour in range(2 * MOST)])
    assert told(watch, 2 * MOST) == []


def test_what_does_not_fit_together_speaks_against_the_model_of_the_group() -> None:
    alarms = [began(hour, ("heat", "flow")[hour % 2], "together") for hour in range(MOST)]
    assert told(ModelWatch(PLANT, alarms), MOST) == [("motor three", False)]


def test_another_model_is_judged_by_what_it_does_itself() -> None:
    watch = ModelWatch(PLANT, [began(hour) for hour in range(MOST)])
    assert told(watch, MOST) == [("cold", False)]
    watch.forget(["cold"])
    assert told(watch, MOST) == [("cold", True)]


def test_a_sensor_that_the_file_names_no_longer_is_no_hindrance() -> None:
    alarms = [began(hour, "gone", "together") for hour in range(MOST - 1)]
    assert told(ModelWatch(PLANT, alarms), MOST) == []
