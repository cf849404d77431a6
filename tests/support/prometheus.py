"""A Prometheus of a test's own, asked over its API."""

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

from tests.support.network import free_port

PROMETHEUS, PROMTOOL = shutil.which("prometheus"), shutil.which("promtool")
ALERTS = Path(__file__).parents[2] / "examples" / "operations" / "alerts.yml"
PATIENCE_S = 60.0
SETTINGS = """
global: {{scrape_interval: 1s, evaluation_interval: 1s}}
rule_files: [{rules}]
scrape_configs: [{{job_name: hark, static_configs: [{{targets: ["127.0.0.1:{port}"]}}]}}]
"""


class Asked:
    """A running Prometheus, asked over its API."""

    def __init__(self, port: int) -> None:
        self._api = f"http://127.0.0.1:{port}/api/v1"

    def ask(self, path: str, **given: str) -> dict[str, Any]:
        url = f"{self._api}/{path}?{urllib.parse.urlencode(given)}"
        with urllib.request.urlopen(url, timeout=60) as answer:
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

    def rules(self) -> list[dict[str, Any]]:
        """All rules, once each has been evaluated."""

        def evaluated() -> list[dict[str, Any]]:
            groups = self.ask("rules")["groups"]
            rules = [rule for group in groups for rule in group["rules"]]
            return rules if all(rule["health"] != "unknown" for rule in rules) else []

        found: list[dict[str, Any]] = self.until(evaluated)
        return found

    def firing(self) -> set[str]:
        alerts = self.ask("alerts")["alerts"]
        return {one["labels"]["alertname"] for one in alerts if one["state"] == "firing"}


@contextmanager
def prometheus_of(folder: Path, port: int) -> Iterator[Asked]:
    """One that scrapes a port of this machine, with the alert rules."""
    served = free_port()
    settings = folder / "prometheus.yml"
    settings.write_text(SETTINGS.format(rules=ALERTS, port=port))
    options = (f"--config.file={settings}", f"--storage.tsdb.path={folder / 'tsdb'}")
    with listening(folder, str(PROMETHEUS), *options, port=served):
        yield Asked(served)


@contextmanager
def listening(folder: Path, program: str, *options: str, port: int) -> Iterator[None]:
    """A program of Prometheus' that listens at a port."""
    with (folder / f"{Path(program).name}.log").open("wb") as log:
        command = (program, *options, f"--web.listen-address=127.0.0.1:{port}")
        process = subprocess.Popen(command, stdout=log, stderr=log)
        try:
            yield
        finally:
            process.terminate()
            process.wait(PATIENCE_S)
