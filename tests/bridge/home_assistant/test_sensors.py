"""Sensors whose values are states of devices of Home Assistant."""

from __future__ import annotations

from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from assistant.bridge.home_assistant.link import HomeAssistant as Link
from assistant.core.messages import SensorValues
from assistant.core.sensors.described import Sensor, Sensors
from assistant.core.settings.home_assistant import HomeAssistantSettings
from tests.bridge.home_assistant.conftest import Bench
from tests.support.home_assistant import HomeAssistant

SIGNAL = Sensor(id="signal", name="signal", entity="sensor.signal")
BLINDS = Sensor(id="blinds", name="blinds", entity="cover.blinds", field="current_position")


@pytest.fixture
def bench(things: ExitStack, there: HomeAssistant, token: Path) -> Bench:
    settings = HomeAssistantSettings(url=there.url, token_file=str(token))
    link = Link(settings, ["light.kitchen"], Sensors(sensors=(SIGNAL, BLINDS)))
    made = Bench(things.enter_context(closing(link)))
    made.is_there()
    return made


def heard(bench: Bench) -> tuple[list[tuple[str, float]], dict[str, int]]:
    message = bench.hears(SensorValues)
    return [(one.sensor, one.value) for one in message.values], message.unusable


def test_what_changes_is_a_value_of_devices_that_the_home_does_not_name(
    bench: Bench, there: HomeAssistant
) -> None:
    there.put("sensor.signal", "-61.5")
    assert heard(bench) == ([("signal", -61.5)], {})
    there.put("cover.blinds", "open", current_position=40)
    assert heard(bench) == ([("blinds", 40.0)], {})


def test_a_device_that_is_away_tells_no_value(bench: Bench, there: HomeAssistant) -> None:
    there.put("sensor.signal", "unavailable")
    assert heard(bench) == ([], {"signal": 1})


def test_other_sensors_take_the_place_of_these(bench: Bench, there: HomeAssistant) -> None:
    kitchen = Sensor(id="kitchen", name="temperature", entity="sensor.kitchen")
    bench.stage.follow_sensors(Sensors(sensors=(kitchen,)))
    there.put("sensor.signal", "-62")
    there.put("sensor.kitchen", "22")
    assert heard(bench) == ([("kitchen", 22.0)], {})


def test_what_is_read_when_it_connects_again_is_no_new_value(
    bench: Bench, there: HomeAssistant
) -> None:
    there.stop()
    bench.is_away()
    there.start()
    bench.is_there()
    there.put("sensor.signal", "-63")
    assert heard(bench) == ([("signal", -63.0)], {})
