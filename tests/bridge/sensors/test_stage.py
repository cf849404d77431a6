"""Values on their way to the process that judges them, which may be away."""

from __future__ import annotations

from contextlib import ExitStack, closing
from datetime import UTC, datetime

import pytest

from assistant.bridge.mqtt import Broker
from assistant.bridge.stage import VALUES_AGAIN_S, VALUES_EVERY_S, BridgeStage
from assistant.core.messages import (
    Anomaly,
    Message,
    SensorAlarm,
    SensorsReport,
    SensorValues,
    Tick,
)
from assistant.core.sensors.described import Sensor, Sensors
from assistant.core.settings.mqtt import MqttSettings


@pytest.fixture
def broker(things: ExitStack) -> Broker:
    """One that is never there; values are put in by hand."""
    return things.enter_context(closing(Broker(MqttSettings(host="127.0.0.1", port=1))))


def add(broker: Broker, *values: float) -> None:
    for value in values:
        broker.values.add("a", value, 0.0)


def values(message: Message) -> list[float]:
    assert isinstance(message, SensorValues)
    return [one.value for one in message.values]


def told(stage: BridgeStage, at_s: float) -> list[list[float]]:
    return [values(m) for m in stage.feed(Tick(at_s=at_s)) if isinstance(m, SensorValues)]


def untaken(stage: BridgeStage, at_s: float) -> list[float]:
    """The values that the bus does not take, after which the worker leaves the generator."""
    messages = iter(stage.feed(Tick(at_s=at_s)))
    return next(values(m) for m in messages if isinstance(m, SensorValues))


def test_values_go_at_once_all_of_them_and_in_a_flood_together(broker: Broker) -> None:
    stage = BridgeStage(broker)
    add(broker, 1.0, 1.0)
    assert told(stage, 10.0) == [[1.0, 1.0]]
    add(broker, 2.0)
    assert told(stage, 10.0 + VALUES_EVERY_S / 2) == []
    add(broker, 3.0)
    assert stage.deadline_s() == 10.0 + VALUES_EVERY_S
    assert told(stage, 10.0 + VALUES_EVERY_S) == [[2.0, 3.0]]


def test_after_the_last_value_it_asks_once_more_and_rests(broker: Broker) -> None:
    stage = BridgeStage(broker)
    add(broker, 1.0)
    assert told(stage, 10.0) == [[1.0]]
    assert stage.deadline_s() == 10.0 + VALUES_EVERY_S
    assert told(stage, 11.0) == []
    deadline_s = stage.deadline_s()
    assert deadline_s is not None
    assert deadline_s > 11.0


def test_values_that_nobody_takes_wait_and_are_not_tried_at_each_turn(broker: Broker) -> None:
    stage = BridgeStage(broker)
    add(broker, 1.0)
    assert untaken(stage, 10.0) == [1.0]
    add(broker, 2.0)
    assert told(stage, 10.0 + VALUES_AGAIN_S - 0.1) == []
    assert told(stage, 10.0 + VALUES_AGAIN_S) == [[1.0]]
    assert told(stage, 11.0 + VALUES_AGAIN_S) == [[2.0]]


def test_a_report_of_the_process_says_that_it_is_there(broker: Broker) -> None:
    stage = BridgeStage(broker)
    add(broker, 1.0)
    assert untaken(stage, 10.0) == [1.0]
    assert told(stage, 12.0) == []
    assert list(stage.feed(SensorsReport(readings=()))) == []
    deadline_s = stage.deadline_s()
    assert deadline_s is not None
    assert deadline_s <= 12.0
    assert told(stage, 12.0) == [[1.0]]


def test_an_alarm_is_logged_by_the_name_that_the_file_has(
    broker: Broker, caplog: pytest.LogCaptureFixture
) -> None:
    sensors = Sensors(sensors=(Sensor(id="a", name="level", topic="t"),))
    stage = BridgeStage(broker, sensors=sensors)
    began = datetime(2026, 1, 5, tzinfo=UTC)
    alarm = SensorAlarm(
        anomaly=Anomaly(id="1", sensor="a", fault="low", began=began, score=2.0, value=0.5)
    )
    assert list(stage.feed(alarm)) == []
    stage.follow_sensors(Sensors(sensors=(Sensor(id="a", name="depth", topic="t"),)))
    list(stage.feed(alarm))
    told = [r.message for r in caplog.records if "(sensors.alarm)" in r.message]
    assert [line.split(":")[0] for line in told] == ["a (level)", "a (depth)"]
