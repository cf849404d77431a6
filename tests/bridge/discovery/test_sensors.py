"""Sensors whose values are states of devices that announce themselves."""

from __future__ import annotations

import json
from contextlib import ExitStack, closing
from typing import Any

import pytest

from assistant.bridge.discovery import link as link_module
from assistant.bridge.discovery.link import DiscoveringBroker
from assistant.core.messages import HomeDescribed, SensorValues
from assistant.core.sensors.described import Sensor, Sensors
from assistant.core.settings.mqtt import MqttSettings
from tests.support.mosquitto import Lamp, Mosquitto
from tests.support.pumped_bridge import PumpedBridge

CONFIG = "homeassistant/sensor/boiler/config"
BOILER = {
    "name": "Boiler",
    "stat_t": "boiler",
    "val_tpl": "{{ value_json.heat }}",
    "unit_of_meas": "°C",
}
HEAT = Sensor(id="heat", name="heat", entity="sensor.boiler")
FLOW = Sensor(id="flow", name="flow", topic="boiler", field="flow")


@pytest.fixture(autouse=True)
def soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(link_module, "SETTLE_S", 0.05)
    monkeypatch.setattr(link_module, "SETTLE_EVERY_S", 0.05)


@pytest.fixture
def lamp(mosquitto: Mosquitto, things: ExitStack) -> Lamp:
    return things.enter_context(closing(Lamp(mosquitto.port)))


class Bench(PumpedBridge[DiscoveringBroker]):
    """The bridge's stage on a broker where a boiler announces itself."""

    def __init__(self, port: int, *sensors: Sensor) -> None:
        settings = MqttSettings(host="127.0.0.1", port=port, discover=True)
        super().__init__(DiscoveringBroker(settings, sensors=Sensors(sensors=sensors)))

    def described(self, count: int) -> None:
        """Wait until the home has so many devices."""
        self.hears(HomeDescribed, lambda m: len(json.loads(m.text)["entities"]) == count)

    def close(self) -> None:
        self.link.close()


def tell(lamp: Lamp, retain: bool = False, **told: Any) -> None:
    lamp.tell("boiler", json.dumps(told).encode(), retain=retain)


def heard(bench: Bench, count: int) -> list[tuple[str, float]]:
    found: list[tuple[str, float]] = []
    while len(found) < count:
        found += [(one.sensor, one.value) for one in bench.hears(SensorValues).values]
    return found


def test_both_have_their_values_and_the_topic_stays_when_the_device_goes(
    mosquitto: Mosquitto, things: ExitStack, lamp: Lamp
) -> None:
    lamp.tell(CONFIG, json.dumps(BOILER).encode())
    tell(lamp, retain=True, heat=50, flow=2)
    bench = things.enter_context(closing(Bench(mosquitto.port, HEAT, FLOW)))
    bench.described(1)
    tell(lamp, heat=51, flow=3)
    assert sorted(heard(bench, 2)) == [("flow", 3.0), ("heat", 51.0)]
    lamp.tell(CONFIG, b"")
    bench.described(0)
    tell(lamp, heat=52, flow=4)
    assert heard(bench, 1) == [("flow", 4.0)]


def test_without_its_sensor_the_topic_stays_for_the_device(
    mosquitto: Mosquitto, things: ExitStack, lamp: Lamp
) -> None:
    lamp.tell(CONFIG, json.dumps(BOILER).encode())
    bench = things.enter_context(closing(Bench(mosquitto.port, HEAT, FLOW)))
    bench.described(1)
    bench.stage.follow_sensors(Sensors(sensors=(HEAT,)))
    tell(lamp, heat=53, flow=5)
    assert heard(bench, 1) == [("heat", 53.0)]
