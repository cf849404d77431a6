"""What a real Prometheus scrapes, and what its alert rules make of it."""

from __future__ import annotations

import json
import shutil
import subprocess
import time
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from assistant.control.metrics_store import MetricsStore
from assistant.control.procfs import Usage
from assistant.core.messages import Commit, ModelsUsed, ModelUse, SensorsReport, Simplify
from tests.control.test_sensor_metrics import REPORT
from tests.support.network import free_port

PROMETHEUS, EXPORTER = shutil.which("prometheus"), shutil.which("prometheus-node-exporter")
ALERTS = Path(__file__).parents[2] / "examples" / "operations" / "alerts.yml"
PATIENCE_S = 60.0
SETTINGS = """
global: {{scrape_interval: 1s, evaluation_interval: 1s}}
rule_files: [{rules}]
scrape_configs: [{{job_name: hark, static_configs: [{{targets: ["127.0.0.1:{port}"]}}]}}]
"""
pytestmark = pytest.mark.skipif(
    not (PROMETHEUS and EXPORTER),
    reason="needs Debian's packages prometheus and prometheus-node-exporter",
)


class Asked:
    """A running Prometheus, asked over its API."""

    def __init__(self, port: int) -> None:
        self._api = f"http://127.0.0.1:{port}/api/v1"

    def ask(self, path: str, **given: str) -> dict[str, Any]:
        url = f"{self._api}/{path}?{urllib.parse.urlencode(given)}"
        with urllib.request.urlopen(url, timeout=5) as answer:
            told: dict[str, Any] = json.load(answer)["data"]
        return told

    def until(self, found: Callable[[], Any]) -> Any:
        """What is found, once it is anything."""
        ends_s = time.monotonic() + PATIENCE_S
        while time.monotonic() < ends_s:
            with suppress(OSError):
                if what := found():
                    return what
            time.sleep(0.1)
        raise AssertionError("it is not told")

    def value(self, query: str) -> list[str]:
        return [one["value"][1] for one in self.ask("query", query=query)["result"]]

    def firing(self) -> set[str]:
        alerts = self.ask("alerts")["alerts"]
        return {one["labels"]["alertname"] for one in alerts if one["state"] == "firing"}


@contextmanager
def scraping(folder: Path) -> Iterator[Asked]:
    exported, served = free_port(), free_port()
    settings = folder / "prometheus.yml"
    settings.write_text(SETTINGS.format(rules=ALERTS, port=exported))
    collector = ("--collector.disable-defaults", "--collector.textfile")
    commands = (
        (EXPORTER, *collector, f"--collector.textfile.directory={folder}"),
        (PROMETHEUS, f"--config.file={settings}", f"--storage.tsdb.path={folder / 'tsdb'}"),
    )
    log = (folder / "log").open("wb")
    started = [
        subprocess.Popen(
            [*map(str, command), f"--web.listen-address=127.0.0.1:{port}"], stdout=log, stderr=log
        )
        for command, port in zip(commands, (exported, served), strict=True)
    ]
    try:
        yield Asked(served)
    finally:
        for process in started:
            process.terminate()
        for process in started:
            process.wait(PATIENCE_S)
        log.close()


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

        def evaluated() -> list[dict[str, Any]]:
            groups = asked.ask("rules")["groups"]
            rules = [rule for group in groups for rule in group["rules"]]
            return rules if all(rule["health"] != "unknown" for rule in rules) else []

        rules = asked.until(evaluated)
        assert {rule["name"]: rule.get("lastError", "") for rule in rules} == {
            rule["name"]: "" for rule in rules
        }
        assert {rule["name"] for rule in rules} >= {"HarkTakesItsSimplerPath", "HarkRepliesLate"}
        assert asked.until(asked.firing) == {"HarkSensorWrong"}
        # The control: what is well again no longer fires.
        store.observe(SensorsReport(readings=()))
        store.tick()
        asked.until(lambda: not asked.firing())
