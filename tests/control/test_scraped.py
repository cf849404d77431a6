"""What a real Prometheus scrapes, and what its alert rules make of it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from assistant.control.metrics_store import MetricsStore
from assistant.control.procfs import Usage
from assistant.core.messages import Commit, ModelsUsed, ModelUse, SensorsReport, Simplify
from tests.control.test_sensor_metrics import REPORT
from tests.support.network import free_port
from tests.support.prometheus import PROMETHEUS, Asked, listening, prometheus_of

EXPORTER = shutil.which("prometheus-node-exporter")
pytestmark = pytest.mark.skipif(
    not (PROMETHEUS and EXPORTER),
    reason="needs Debian's packages prometheus and prometheus-node-exporter",
)


@contextmanager
def scraping(folder: Path) -> Iterator[Asked]:
    exported = free_port()
    options = (
        *("--collector.disable-defaults", "--collector.textfile"),
        f"--collector.textfile.directory={folder}",
    )
    with (
        listening(folder, str(EXPORTER), *options, port=exported),
        prometheus_of(folder, exported) as asked,
    ):
        yield asked


def test_a_real_prometheus_scrapes_the_metrics_and_evaluates_every_alert_rule(
    tmp_path: Path,
) -> None:
    used = Usage(name="asr", cpu_s=1.5, pss_bytes=1000)
    ran = ModelUse(model="intent", version="1", cpu_s=0.25, runs=3)
    store = MetricsStore(
        tmp_path / "metrics.jsonl", 10, tmp_path / "hark.prom", lambda: [used], tmp_path
    )
    for message in (
        Commit(utterance_id="u", revision=0),
        Simplify(stage="answer", why="slow", for_s=60.0),
        REPORT,
        ModelsUsed(stage="nlu", began_s=1.0, models=(ran,)),
    ):
        store.observe(message)
    store.tick()
    with scraping(tmp_path) as asked:
        assert asked.until(lambda: asked.value("hark_utterances_total")) == ["1"]
        assert asked.value('hark_simpler{stage="answer"}') == ["1"]
        (size,) = asked.value('hark_model_bytes{model="intent",version="1"}')
        assert int(size) > 20_000_000
        # Joined with the size, as a dashboard may.
        by_model = "hark_model_cpu_seconds_total * on (model, version) (hark_model_bytes > bool 0)"
        assert asked.value(by_model) == ["0.25"]
        assert asked.value('hark_process_cpu_seconds_total{process="asr"}') == ["1.5"]
        rules = asked.rules()
        assert {rule["name"]: rule.get("lastError", "") for rule in rules} == {
            rule["name"]: "" for rule in rules
        }
        assert {rule["name"] for rule in rules} >= {"HarkTakesItsSimplerPath", "HarkRepliesLate"}
        assert asked.until(asked.firing) == {"HarkSensorWrong"}
        # The control: what is well again no longer fires.
        store.observe(SensorsReport(readings=()))
        store.tick()
        asked.until(lambda: not asked.firing())
