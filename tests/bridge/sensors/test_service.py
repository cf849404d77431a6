"""The bridge as a process, between a broker and the process that judges the sensors."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from contextlib import ExitStack, closing
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path

import pytest

from assistant.bridge.stage import VALUES_AGAIN_S
from assistant.core.bus import Address, Bus
from assistant.core.clock import boottime_s
from assistant.core.layout import SENSORS
from assistant.core.messages import (
    Anomaly,
    HomeCommand,
    Message,
    Reload,
    Reloaded,
    SensorAlarm,
    SensorsReport,
    SensorValues,
    Work,
)
from tests.support.mosquitto import PATIENCE_S, Lamp, Mosquitto

LEVEL = "sensors: [{id: level, name: level, topic: plant/level, alarm: {topic: plant/stop}}]"
DEPTH = "sensors: [{id: depth, name: depth, topic: plant/depth}]"


class Service:
    """A running `assistant bridge`, and the ends of its bus at other processes."""

    def __init__(self, folder: Path, things: ExitStack, home: str, sensors: str) -> None:
        self.file, self._log, settings = (
            folder / name for name in ("sensors.yaml", "log", "config.toml")
        )
        self._things = things
        self.file.write_text(sensors, "utf-8")
        lines = (f'[storage]\nruntime = "{folder}/run"', f'[sensors]\nfile = "{self.file}"', home)
        settings.write_text("\n".join(lines), "utf-8")
        self._address = things.enter_context(closing(Address(folder / "run")))
        command = (sys.executable, "-m", "assistant", "bridge", "--config", str(settings))
        with self._log.open("wb") as log:
            self.process = subprocess.Popen(command, stderr=log)
        things.callback(self.process.wait)
        things.callback(self.process.kill)

    @property
    def log(self) -> str:
        """All that it has logged."""
        return self._log.read_text("utf-8")

    def end(self, name: str) -> Bus:
        """The end of the bus at another process."""
        consumers: dict[type[Message], str] = {SensorAlarm: "bridge", HomeCommand: "bridge"}
        consumes: tuple[type[Message], ...] = (SensorValues, Reloaded)
        bus = Bus(name, self._address, ["bridge"], consumers | {SensorValues: SENSORS}, consumes)
        return self._things.enter_context(closing(bus))

    @cached_property
    def bus(self) -> Bus:
        """The end where values are judged."""
        return self.end(SENSORS)

    def values(self, lamp: Lamp, topic: str, payload: bytes) -> SensorValues:
        """The first values that come once this is published, again and again."""
        deadline_s = boottime_s() + PATIENCE_S
        while boottime_s() < deadline_s:
            lamp.tell(topic, payload, retain=False)
            for message in self.bus.receive(0.2):
                if isinstance(message, SensorValues):
                    return message
        raise AssertionError("no values")

    def reload(self) -> Reloaded:
        """Have the settings read again, also where the first such message is lost."""
        deadline_s = boottime_s() + PATIENCE_S
        while boottime_s() < deadline_s:
            self.bus.send(Reload(stage="bridge"))
            for message in self.bus.receive(2.0):
                if isinstance(message, Reloaded):
                    return message
        raise AssertionError("not reloaded")


def broker(mosquitto: Mosquitto) -> str:
    return f'[mqtt]\nhost = "127.0.0.1"\nport = {mosquitto.port}'


def alarm(sensor: str) -> Work:
    began = datetime(2026, 1, 5, tzinfo=UTC)
    return SensorAlarm(anomaly=Anomaly(id="1", sensor=sensor, fault="low", began=began, score=2.0))


def test_values_come_in_and_alarms_go_out(
    mosquitto: Mosquitto, things: ExitStack, tmp_path: Path
) -> None:
    lamp = things.enter_context(closing(Lamp(mosquitto.port, topic="#")))
    service = Service(tmp_path, things, broker(mosquitto), LEVEL)
    before_s = boottime_s()
    value = service.values(lamp, "plant/level", b"3.5").values[0]
    assert (value.sensor, value.value) == ("level", 3.5)
    assert before_s <= value.at_s <= boottime_s()
    service.bus.send(alarm("level"))
    assert lamp.hears("plant/stop") == (b"", False)
    assert json.loads(lamp.hears("hark/anomaly/level")[0])["fault"] == "low"


def test_a_reload_reads_the_file_again_and_keeps_the_old_one_for_a_wrong_one(
    mosquitto: Mosquitto, things: ExitStack, tmp_path: Path
) -> None:
    lamp = things.enter_context(closing(Lamp(mosquitto.port)))
    service = Service(tmp_path, things, broker(mosquitto), LEVEL)
    service.values(lamp, "plant/level", b"1")
    service.file.write_text(DEPTH.replace("name", "nmae"), "utf-8")
    assert "nmae" in service.reload().error
    service.values(lamp, "plant/level", b"1")
    service.file.write_text(DEPTH, "utf-8")
    told = service.reload()
    while told.error:  # one of a message that came late
        told = service.reload()
    found = service.values(lamp, "plant/depth", b"2")
    while found.values[0].sensor == "level":  # from before
        found = service.values(lamp, "plant/depth", b"2")
    assert (found.values[0].sensor, found.values[0].value) == ("depth", 2.0)


def test_a_wrong_file_is_one_clear_error(
    mosquitto: Mosquitto, things: ExitStack, tmp_path: Path
) -> None:
    service = Service(tmp_path, things, broker(mosquitto), "sensors: [{id: a, name: a}]")
    assert service.process.wait(PATIENCE_S) == 2
    (line,) = service.log.splitlines()
    assert "a: it needs either a topic or an entity" in line


@pytest.mark.parametrize("entity", [False, True])
def test_sensors_that_nothing_tells_of_are_named(
    things: ExitStack, tmp_path: Path, entity: bool
) -> None:
    home_assistant = '[home_assistant]\nurl = "http://127.0.0.1:1"'
    file = LEVEL.replace("topic: plant/level", "entity: sensor.level") if entity else LEVEL
    service = Service(tmp_path, things, home_assistant, file)
    service.reload()
    unheard = "level gets no values, nor do 0 more: set mqtt.host (sensors.unheard)"
    assert (unheard in service.log) is not entity


def test_while_nobody_judges_values_commands_go_on_and_then_values_come_again(
    mosquitto: Mosquitto, things: ExitStack, tmp_path: Path
) -> None:
    lamp = things.enter_context(closing(Lamp(mosquitto.port)))
    service = Service(tmp_path, things, broker(mosquitto), LEVEL)
    deadline_s = boottime_s() + PATIENCE_S
    while "sensors takes no SensorValues" not in service.log:
        assert boottime_s() < deadline_s
        lamp.throw("plant/level", b"1")
        time.sleep(0.004)  # so that each value is a message
    began_s = boottime_s()
    skills = service.end("skills")
    for state in ("on", "off", "on"):
        skills.send(HomeCommand(utterance_id="u", entity_id="light.a", state=state))
        lamp.hears("hark/light/a/set")
    assert boottime_s() - began_s < VALUES_AGAIN_S / 2
    assert service.log.count("sensors takes no SensorValues") == 1
    lamp.tell("plant/level", b"77", retain=False)
    found = set[float]()
    while 77.0 not in found:
        assert boottime_s() < began_s + VALUES_AGAIN_S / 2
        service.bus.send(SensorsReport(readings=()))
        found |= {
            one.value
            for message in service.bus.receive(0.5)
            if isinstance(message, SensorValues)
            for one in message.values
        }
