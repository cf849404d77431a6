"""`assistant sensors list`, `watch`, `learn` and `rollback` of sensors that are judged for real."""

from __future__ import annotations

import json
import random
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace
from typer.testing import CliRunner, Result

from assistant.cli.sensors.group import app
from assistant.control.connection import listen
from assistant.control.metrics_store import MetricsStore
from assistant.control.recollection import Recollection
from assistant.control.sensors import SensorsSeen
from assistant.control.server import ControlServer
from assistant.control.stage import ControlStage
from assistant.core.clock import boottime_s
from assistant.core.codec import as_json
from assistant.core.errors import ControlError, InputError
from assistant.core.messages import (
    Anomaly,
    Message,
    SensorAlarm,
    SensorEvent,
    SensorsReport,
    SensorsRequest,
    SensorValue,
    SensorValues,
)
from assistant.core.sensors.described import load_sensors
from assistant.sensors.detection.judge import Learnt
from assistant.sensors.detection.single import SingleLearner, SingleModel
from assistant.sensors.stage import REPORT_EVERY_S, SensorsStage
from assistant.sensors.store import Store
from assistant.supervision.channel import ProcessStatus, Status
from tests.support.processes import until

RUNNING = Status(processes=(ProcessStatus(name="sensors", state="ready", pid=1),))
SENSORS = """
sensors:
  - {id: motor3_hum, name: vibration, of: motor three, unit: mm/s, topic: m, high: 11}
  - {id: motor3_heat, name: temperature, of: motor three, topic: m}
  - {id: boiler, name: pressure, of: Boiler, group: heating, topic: b}
"""
NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


class Daemon:
    """A control process and a process of the sensors, in a thread; both are the real stages."""

    def __init__(self, folder: Path, status: Status) -> None:
        seen = SensorsSeen()
        self.server = ControlServer(folder / "control.sock", {"sensors": seen.told}, status=status)
        metrics = MetricsStore(folder / "metrics.jsonl", keep=10)
        self.control = ControlStage(self.server, metrics, Recollection(), sensors=seen)
        self.store = Store()
        described = load_sensors(folder / "sensors.yaml")
        self.sensors = SensorsStage(described, self.store, lambda: NOW, "boot")
        self.asked: list[Message] = []
        self._lock = threading.Lock()
        self.stopped = threading.Event()

    def serve(self) -> None:
        while not self.stopped.wait(0.002):
            with self._lock:
                for message in self.server.read():
                    self._publish(list(self.control.feed(message)))

    def feed(self, *values: SensorValue, later_s: float = 0.0) -> None:
        """Have values judged, and then all that time alone shows."""
        with self._lock:
            for told in self.sensors.feed(SensorValues(at_s=boottime_s() + later_s, values=values)):
                list(self.control.feed(told))

    def _publish(self, messages: list[Message]) -> None:
        self.asked += messages
        for message in messages:
            for told in self.sensors.feed(message):
                list(self.control.feed(told))


def value(sensor: str, number: float) -> SensorValue:
    return SensorValue(sensor, number, boottime_s())


@pytest.fixture
def config(tmp_path: Path) -> Path:
    (tmp_path / "sensors.yaml").write_text(SENSORS)
    file = tmp_path / "config.toml"
    listed = f'[sensors]\nfile = "{tmp_path}/sensors.yaml"\n'
    file.write_text(f'[storage]\nruntime = "{tmp_path}"\nstate = "{tmp_path}"\n{listed}')
    return file


@contextmanager
def serving(folder: Path, status: Status = RUNNING) -> Iterator[Daemon]:
    daemon = Daemon(folder, status)
    thread = threading.Thread(target=daemon.serve)
    thread.start()
    try:
        yield daemon
    finally:
        daemon.stopped.set()
        thread.join()
        daemon.server.close()
        daemon.store.close()


@pytest.fixture
def daemon(tmp_path: Path, config: Path) -> Iterator[Daemon]:
    assert config.is_file()
    with serving(tmp_path) as daemon:
        yield daemon


def invoke(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def objects(result: Result) -> list[dict[str, object]]:
    assert result.exit_code == 0, result.exception
    return [json.loads(line) for line in result.stdout.splitlines()]


def test_every_sensor_is_listed_with_what_is_wrong_and_since_when(
    daemon: Daemon, config: Path
) -> None:
    daemon.feed(value("motor3_hum", 12.5), value("boiler", 1.5), value("odd", 1.0))
    hum, heat, boiler, counts = objects(invoke("list", "--config", config, "--json"))
    assert (hum["id"], hum["value"], hum["state"]) == ("motor3_hum", 12.5, "high")
    assert hum["since"]
    assert (heat["state"], heat["value"], heat["since"]) == ("no value yet", None, "")
    assert (boiler["state"], boiler["since"]) == ("well", "")
    assert counts["counts"] == {"values": 2, "late": 0, "doubled": 0, "unusable": 0, "unknown": 1}


@pytest.mark.usefixtures("daemon")
def test_before_the_first_report_that_is_told(config: Path) -> None:
    assert "Nothing has been told" in invoke("list", "--config", config).stdout


def test_the_table_has_units_and_bands(daemon: Daemon, config: Path) -> None:
    daemon.feed(value("motor3_hum", 12.5))
    shown = " ".join(invoke("list", "--config", config).stdout.split())
    for part in ("12.5", "mm/s", "up to", "high", "1 values, 0 late"):
        assert part in shown


def test_what_is_to_be_learnt_is_told_at_once_and_learnt(daemon: Daemon, config: Path) -> None:
    learnt = invoke("learn", "MOTOR three", "boiler", "--minutes", "5", "--config", config)
    assert learnt.stdout.startswith("Learning 3 sensors until ")
    assert "vibration of motor three" in learnt.stdout
    (asked,) = until(lambda: daemon.asked)
    assert isinstance(asked, SensorsRequest)
    assert asked.sensors == ("motor3_hum", "motor3_heat", "boiler")
    assert asked.for_s == 300
    daemon.feed(value("motor3_heat", 40.0), later_s=REPORT_EVERY_S)
    rows = objects(invoke("list", "--config", config, "--json"))
    assert rows[1]["state"] == "learning"


def test_all_and_a_group_can_be_learnt(daemon: Daemon, config: Path) -> None:
    (every,) = objects(invoke("learn", "--all", "--config", config, "--json"))
    assert every["names"] == ["motor3_hum", "motor3_heat", "boiler"]
    (group,) = objects(invoke("learn", "heating", "--config", config, "--json"))
    assert group["names"] == ["boiler"]
    assert group["until"]


@pytest.mark.parametrize("names", [("motor thre",), ("boiler", "motor thre"), ()])
def test_an_unknown_name_is_one_error(daemon: Daemon, config: Path, names: tuple[str, ...]) -> None:
    for command in ("learn", "rollback") if len(names) == 1 else ("learn",):
        refused = invoke(command, *names, "--config", config).exception
        assert isinstance(refused, InputError)
        assert refused.code == "sensors.unknown"
        assert 'did you mean "motor three"?' in refused.message or not names
    assert daemon.asked == []


def learnt(spread: float) -> SingleModel:
    learner, noise = SingleLearner(), random.Random(1)
    for second in range(200):
        learner.feed(40 + noise.gauss(0, spread), float(second))
    return learner.learnt()


def test_what_was_learnt_last_is_forgotten(daemon: Daemon, config: Path) -> None:
    first, second = learnt(0.1), learnt(5.0)
    for model in (first, second):
        daemon.store.keep_learnt(Learnt(single={"motor3_heat": model}), NOW)
    told = invoke("rollback", "motor three", "--config", config).stdout
    assert told.startswith("Going back")
    (asked,) = until(lambda: daemon.asked)
    assert isinstance(asked, SensorsRequest)
    assert asked.sensors == ("motor three", "motor3_hum", "motor3_heat")
    until(lambda: daemon.store.learnt.single == {"motor3_heat": first})
    invoke("rollback", "motor3_heat", "--config", config)  # nothing came before that: it stays
    until(lambda: len(daemon.asked) == 2)
    daemon.feed()
    assert daemon.store.learnt.single == {"motor3_heat": first}


def test_anomalies_are_told_as_they_begin_and_end_each_once(
    tmp_path: Path, config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assistant.cli.shared.events.RETURNS_WITHIN_S", 0.05)
    begun = SensorEvent(
        anomaly=Anomaly(
            id="a", sensor="motor3_hum", fault="high", began=NOW, score=2.0, value=12.5, high=11
        )
    )
    over = SensorEvent(anomaly=replace(begun.anomaly, over=NOW))
    alarm, report = SensorAlarm(anomaly=begun.anomaly), SensorsReport(readings=())
    events = (report, alarm, begun, begun, over, over)

    def told(*options: str) -> list[str]:
        listener = listen(tmp_path / "control.sock")
        listener.setblocking(True)

        def tell() -> None:
            peer, _ = listener.accept()
            listener.close()
            with peer, peer.makefile("rb") as requests:
                assert json.loads(requests.readline()) == {"command": "watch"}
                lines = (msgspec.json.encode(as_json(event)) + b"\n" for event in events)
                peer.sendall(msgspec.json.encode(RUNNING) + b"\n" + b"".join(lines))

        thread = threading.Thread(target=tell)
        thread.start()
        result = invoke("watch", "--config", config, *options)
        thread.join()
        assert isinstance(result.exception, ControlError)
        return result.stdout.splitlines()

    first, second = told()
    assert "vibration of motor three (motor3_hum): high, 12.5 mm/s, well: up to 11" in first
    assert second.endswith("vibration of motor three (motor3_hum): high is over")
    assert [json.loads(line)["over"] is None for line in told("--json")] == [True, False]


def test_without_a_file_of_sensors_the_setting_is_named(tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text(f'[storage]\nruntime = "{tmp_path}"\n')
    for command in (("list",), ("watch",), ("learn", "--all"), ("rollback", "x")):
        refused = invoke(*command, "--config", config).exception
        assert isinstance(refused, InputError)
        assert refused.code == "sensors.none"
        assert "sensors.file" in refused.message


def test_without_a_daemon_there_is_one_error(config: Path) -> None:
    for command in (("list",), ("watch",), ("learn", "--all"), ("rollback", "boiler")):
        refused = invoke(*command, "--config", config).exception
        assert isinstance(refused, ControlError)
        assert refused.code == "control.down"


def test_a_daemon_without_the_process_refuses(tmp_path: Path, config: Path) -> None:
    with serving(tmp_path, Status(processes=())):
        refused = invoke("learn", "--all", "--config", config).exception
    assert isinstance(refused, ControlError)
    assert refused.code == "control.not_running"
