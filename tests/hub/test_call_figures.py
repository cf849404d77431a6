"""The hub's metrics, and the alert rules and the dashboard that are made of them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families

from assistant.hub.observation.figures import CallFigures, StageLoad
from assistant.hub.observation.watch import CallRecord, StageRecord
from tests.support.prometheus import ALERTS, PROMTOOL

LOADS = {"nlu": StageLoad(replicas=2, tokens_outstanding=30), "asr": StageLoad(0, 0)}


def samples(figures: CallFigures) -> dict[str, float]:
    return {
        " ".join((sample.name, *sample.labels.values())): sample.value
        for family in text_string_to_metric_families(figures.exposition(LOADS))
        for sample in family.samples
    }


def call(*stages: StageRecord, status: int = 200, seconds: float = 0.75) -> CallRecord:
    return CallRecord("/v1/hear", 10.0, ended_s=10.0 + seconds, status=status, stages=list(stages))


def test_a_call_and_each_stage_that_it_asked_are_timed() -> None:
    figures = CallFigures()
    figures.observe(
        call(StageRecord("asr", 10.0, 10.25, 10.5), StageRecord("nlu", 10.5, 0.0, 10.75))
    )
    told = samples(figures)
    assert told["hark_hub_requests_total /v1/hear 200"] == 1
    assert told["hark_hub_request_seconds_bucket /v1/hear 0.5"] == 0
    assert told["hark_hub_request_seconds_bucket /v1/hear 1.0"] == 1
    assert told["hark_hub_stage_seconds_sum asr"] == 0.5
    assert told["hark_hub_queue_seconds_sum asr"] == told["hark_hub_stage_seconds_sum nlu"] == 0.25
    assert "hark_hub_queue_seconds_sum nlu" not in told  # no worker ever began


def test_what_had_no_time_what_was_lighter_and_whose_worker_died_are_counted() -> None:
    figures = CallFigures()
    figures.observe(call(StageRecord("nlu", error="pool.busy"), status=503))
    figures.observe(call(StageRecord("nlu", 1.0, 1.1, 1.2, retries=2, is_lighter=True)))
    told = samples(figures)
    assert told["hark_hub_busy_total nlu"] == told["hark_hub_lighter_total nlu"] == 1
    assert told["hark_hub_retries_total nlu"] == 2
    assert told["hark_hub_stage_seconds_count nlu"] == 1


def test_the_load_of_each_stage_is_told_and_counts_begin_at_zero() -> None:
    told = samples(CallFigures())
    assert (told["hark_hub_replicas nlu"], told["hark_hub_tokens_outstanding nlu"]) == (2, 30)
    assert told["hark_hub_replicas asr"] == told["hark_hub_busy_total asr"] == 0


OF = {"HarkHubCallsLate": {"path": "/v1/interpret"}, "HarkHubFails": {}}
"""Rule → the labels of its alert, where they are not the stage."""


def series(name: str, growth: str, **labels: str) -> dict[str, str]:
    """A series of promtool's, a sample a minute for an hour."""
    told = ",".join(f'{key}="{value}"' for key, value in ({"instance": "hub"} | labels).items())
    return {"series": f"hark_hub_{name}{{{told}}}", "values": growth}


def calls(late: int = 0, failed: int = 0) -> list[dict[str, str]]:
    """A hundred calls a minute."""
    path = {"path": "/v1/interpret"}
    return [
        series("request_seconds_count", "0+100x60", **path),
        series("request_seconds_bucket", f"0+{100 - late}x60", le="1.5", **path),
        series("requests_total", f"0+{100 - failed}x60", status="200", **path),
        series("requests_total", f"0+{failed}x60", status="500", **path),
    ]


def asked(busy: int = 0, died: int = 0, replicas: int = 2) -> list[dict[str, str]]:
    """A hundred requests a minute to a stage."""
    stage = {"stage": "nlu"}
    return [
        series("stage_seconds_count", f"0+{100 - busy}x60", **stage),
        series("busy_total", f"0+{busy}x60", **stage),
        series("retries_total", f"0+{died}x60", **stage),
        series("replicas", f"{replicas}x60", **stage),
    ]


@pytest.mark.skipif(PROMTOOL is None, reason="needs promtool, of Debian's package prometheus")
@pytest.mark.parametrize(
    ("given", "fires"),
    [
        (calls(late=10), "HarkHubCallsLate"),
        (calls(late=3), ""),
        (calls(failed=5), "HarkHubFails"),
        (calls(failed=1), ""),
        (asked(busy=5), "HarkHubBusy"),
        (asked(busy=1), ""),
        (asked(died=1), "HarkHubWorkersDie"),
        (asked(replicas=0), "HarkHubStageHasNoWorker"),
        (asked(), ""),
    ],
)
def test_the_alerts_fire_when_they_should_and_else_not(
    given: list[dict[str, str]], fires: str, tmp_path: Path
) -> None:
    rules = yaml.safe_load(ALERTS.read_text("utf-8"))
    names = set()
    for group in rules["groups"]:
        for rule in group["rules"]:
            del rule["annotations"]
            if group["name"] == "hark-hub":
                names.add(rule["alert"])
    assert fires in names | {""}
    labels = {"instance": "hub", **OF.get(fires, {"stage": "nlu"})}
    tests = [
        {
            "eval_time": "45m",
            "alertname": name,
            "exp_alerts": [{"exp_labels": labels}] if name == fires else [],
        }
        for name in names
    ]
    test = {"interval": "1m", "input_series": given, "alert_rule_test": tests}
    (tmp_path / "alerts.yml").write_text(yaml.safe_dump(rules))
    (tmp_path / "test.yml").write_text(
        yaml.safe_dump({"rule_files": ["alerts.yml"], "tests": [test]})
    )
    command = [str(PROMTOOL), "test", "rules", "test.yml"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
