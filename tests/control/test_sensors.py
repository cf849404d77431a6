"""The sensors at the control socket: the last report, and requests that are sent on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from assistant.control.metrics_store import MetricsStore
from assistant.control.recollection import Recollection
from assistant.control.sensors import ASKED_HERE, SensorsSeen, sensors_request
from assistant.control.server import ControlServer
from assistant.control.stage import ControlStage
from assistant.core.errors import ControlError
from assistant.core.messages import Level, SensorReading, SensorsReport, SensorsRequest

REPORT = SensorsReport(
    at_s=10.0,
    readings=(SensorReading("hum", "well", 1.2, 0.1, 1.0, None, 2.0),),
    counts={"values": 7},
)


@pytest.fixture
def stage(tmp_path: Path) -> Iterator[ControlStage]:
    server = ControlServer(tmp_path / "control.sock", {})
    metrics = MetricsStore(tmp_path / "metrics.jsonl", keep=10)
    yield ControlStage(server, metrics, Recollection())
    server.close()


def test_the_last_report_is_kept() -> None:
    seen = SensorsSeen(clock=lambda: 13.5)
    assert seen.told().report is None
    seen.observe(REPORT)
    seen.observe(Level(rms_dbfs=-40.0, noise_floor_dbfs=-60.0, speech=False))
    assert seen.told().report is REPORT
    assert seen.told().ago_s == 3.5


def test_requests_are_read() -> None:
    learn = sensors_request(("learn", "600", "hum", "heat"))
    assert (learn.what, learn.sensors, learn.for_s) == ("learn", ("hum", "heat"), 600.0)
    back = sensors_request(("roll_back", "motor three"))
    assert (back.what, back.sensors) == ("roll_back", ("motor three",))


@pytest.mark.parametrize(
    "arguments",
    [
        *((), ("false_alarm", "x"), ("learn",), ("learn", "600"), ("roll_back",)),
        *(("learn", seconds, "hum") for seconds in ("soon", "0", "-1", "nan", "inf", "1e9")),
        ("roll_back", "x" * 201),
    ],
)
def test_other_requests_are_refused(arguments: tuple[str, ...]) -> None:
    with pytest.raises(ControlError) as refused:
        sensors_request(arguments)
    assert refused.value.code == "control.arguments"


def test_a_request_of_the_socket_goes_out_and_one_of_a_skill_is_out_already(
    stage: ControlStage,
) -> None:
    asked = SensorsRequest(utterance_id=ASKED_HERE, what="learn", sensors=("hum",), for_s=60.0)
    assert list(stage.feed(asked)) == [asked]
    said = SensorsRequest(utterance_id="u1", what="false_alarm", anomaly="a1")
    assert list(stage.feed(said)) == []
