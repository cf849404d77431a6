"""The sensors' metrics, and the alert rules and the dashboard that are made of them."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from pathlib import Path

import pytest
import yaml
from msgspec.structs import replace
from prometheus_client.parser import text_string_to_metric_families

from assistant.control.metrics import Counts
from assistant.control.process_metrics import process_lines
from assistant.control.procfs import Usage
from assistant.core.messages import (
    Anomaly,
    ModelsUsed,
    ModelUse,
    SafeModeEntered,
    SensorEvent,
    SensorReading,
    SensorsReport,
    StageRestarted,
)
from assistant.hub.observation.figures import CallFigures, StageLoad
from assistant.hub.observation.watch import CallRecord, StageRecord

OPERATIONS = Path(__file__).resolve().parents[2] / "examples" / "operations"
ANOMALY = Anomaly(
    id="a1", sensor="hum", fault="spike", began=datetime(2026, 1, 1, tzinfo=UTC), score=2.0
)
REPORT = SensorsReport(
    readings=(
        SensorReading("hum", "wrong", 9.0, 0.1, 1.0, 0.5, 1.5),
        SensorReading("heat", "well", 40.0, 0.1, 40.0, 39.0, 41.0),
    ),
    wrong=(ANOMALY,),
    counts={"values": 700, "late": 3, "doubled": 2, "unusable": 1, "unknown": 0},
)


def samples(counts: Counts) -> dict[str, float]:
    families = text_string_to_metric_families(counts.prometheus())
    return {
        " ".join((sample.name, *sample.labels.values())): sample.value
        for family in families
        for sample in family.samples
    }


def test_what_is_told_of_sensors_is_there_for_prometheus() -> None:
    counts = Counts()
    counts.observe(REPORT)
    told = samples(counts)
    assert told["hark_sensor_values_total judged"] == 700
    assert told["hark_sensor_values_total late"] == 3
    assert told["hark_sensor_values_total unusable"] == 1
    assert told["hark_sensors wrong"] == told["hark_sensors well"] == 1
    assert told["hark_sensors learning"] == 0
    assert told["hark_sensor_wrong hum spike"] == 1
    assert told["hark_sensor_anomalies_total spike"] == 0


def test_an_anomaly_counts_once_though_it_is_told_twice() -> None:
    counts = Counts()
    over = replace(ANOMALY, over=ANOMALY.began)
    for anomaly in (ANOMALY, ANOMALY, over, over, replace(ANOMALY, id="a2")):
        counts.observe(SensorEvent(anomaly=anomaly))
    assert samples(counts)["hark_sensor_anomalies_total spike"] == 2


def test_without_sensors_there_are_no_such_metrics() -> None:
    assert "sensor" not in Counts().prometheus()


@pytest.mark.parametrize(
    "gone", [StageRestarted(stage="sensors", reason="hung"), SafeModeEntered(stage="sensors")]
)
def test_of_sensors_that_nobody_judges_nothing_is_told(
    gone: StageRestarted | SafeModeEntered,
) -> None:
    counts = Counts()
    counts.observe(REPORT)
    counts.observe(replace(gone, stage="voice"))
    assert "hark_sensor_wrong hum spike" in samples(counts)
    counts.observe(gone)
    assert "hark_sensor_wrong hum spike" not in samples(counts)


def named(text: str) -> set[str]:
    return set(re.findall(r"\bhark_\w+", text))


def test_rules_and_dashboard_name_metrics_that_there_are() -> None:
    counts = Counts()
    counts.observe(REPORT)
    counts.measured({"total": 0.5})
    ran = ModelUse(model="ner", version="1", cpu_s=1.0, runs=1)
    counts.observe(ModelsUsed(stage="nlu", began_s=1.0, models=(ran,)))
    used = process_lines([Usage(name="asr", cpu_s=1.0, pss_bytes=1)])
    calls = CallFigures()
    calls.observe(CallRecord("/v1/interpret", 1.0, stages=[StageRecord("nlu", 1.0, 1.1, 1.2)]))
    of_hub = calls.exposition({"nlu": StageLoad(1, 0)})
    there = named(counts.prometheus() + "\n".join(used) + of_hub)
    for group in yaml.safe_load((OPERATIONS / "alerts.yml").read_text("utf-8"))["groups"]:
        for rule in group["rules"]:
            assert named(rule["expr"])
            assert named(rule["expr"]) <= there
    board = json.loads((OPERATIONS / "dashboard.json").read_text("utf-8"))
    for panel in board["panels"]:
        for target in panel.get("targets", ()):  # a row has none
            assert named(target["expr"])
            assert named(target["expr"]) <= there


def test_a_metric_that_there_is_not_would_be_noticed() -> None:
    assert not named("rate(hark_telepathy_total[5m])") <= named(Counts().prometheus())
