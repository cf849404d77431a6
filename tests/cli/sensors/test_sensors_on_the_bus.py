"""The commands of the sensors, the control process and that of the sensors, on a real bus."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import ExitStack, closing
from datetime import UTC, datetime
from pathlib import Path

import pytest
from typer.testing import CliRunner

from assistant.cli.sensors.group import app
from assistant.core.bus import Address, Bus
from assistant.core.clock import boottime_s
from assistant.core.config import Config, load_config
from assistant.core.messages import Reload, SensorValue, SensorValues
from assistant.core.sensors.described import load_sensors
from assistant.core.worker import Worker
from assistant.sensors.stage import SensorsStage
from assistant.sensors.store import Store
from assistant.serving.processes import consumers, make_worker, peers
from assistant.supervision.heartbeat import Heartbeat
from tests.support.processes import until

LISTED = "sensors: [{id: hum, name: vibration, of: motor three, topic: t, high: 11}]"


@pytest.fixture
def config(tmp_path: Path) -> Path:
    (tmp_path / "run").mkdir(mode=0o700)
    (tmp_path / "sensors.yaml").write_text(LISTED)
    file = tmp_path / "config.toml"
    folders = f'[storage]\nstate = "{tmp_path}"\nruntime = "{tmp_path}/run"\n'
    file.write_text(f'{folders}[sensors]\nfile = "{tmp_path}/sensors.yaml"\n')
    return file


def sensors_worker(settings: Config, address: Address, open_things: ExitStack) -> Worker:
    """The process of the sensors on a database in memory, which ends with the test."""
    assert settings.sensors_file is not None
    described, store = load_sensors(settings.sensors_file), Store()
    open_things.callback(store.close)
    stage = SensorsStage(described, store, lambda: datetime.now(UTC), "boot")
    bus = Bus("sensors", address, peers(settings), consumers(), (*stage.consumes, Reload))
    open_things.callback(bus.close)
    return Worker("sensors", stage, bus, Heartbeat(), lambda: stage)


@pytest.fixture
def bus(config: Path) -> Iterator[Bus]:
    """A connection as the bridge has one, beside both processes."""
    settings = load_config((config,))[0]
    with closing(Address(settings.runtime_dir)) as address, ExitStack() as open_things:
        control = make_worker("control", (config,), Heartbeat(), address, open_things)
        workers = [control, sensors_worker(settings, address, open_things)]
        threads = [threading.Thread(target=worker.run) for worker in workers]
        for thread in threads:
            thread.start()
        with closing(Bus("skills", address, peers(settings), consumers(), ())) as bus:
            yield bus
        for worker, thread in zip(workers, threads, strict=True):
            worker.stop()
            thread.join()


def objects(*arguments: object) -> list[dict[str, object]]:
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == 0, result.exception
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_a_request_reaches_the_process_and_its_report_comes_back(bus: Bus, config: Path) -> None:
    def state() -> object:
        now_s = boottime_s()
        bus.send(SensorValues(at_s=now_s, values=(SensorValue("hum", 1.0, now_s),)))
        return objects("list", "--config", config, "--json")[0]["state"]

    (asked,) = objects("learn", "motor three", "--config", config, "--json")
    assert asked["names"] == ["hum"]
    until(lambda: state() == "learning")
