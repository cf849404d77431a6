"""The sets of tests: which of them a run left out, and what it had no model for, said at its end.

`make test` runs what has neither mark, `make test-all` also what is marked `depth`, and
`make test-long` what is marked `long`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pytest

from tests.support.real_model import NAME, NEEDS

SETS = {"depth": "make test-all", "long": "make test-long"}
"""Mark of a set that the gate leaves out → the command that runs it."""


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(LeftOut(config), "left-out")


class LeftOut:
    """Counts what is deselected; a worker of xdist sends its counts to the run's own process."""

    def __init__(self, config: pytest.Config) -> None:
        self._output = getattr(config, "workeroutput", None)
        self._counts: Counter[str] = Counter()
        self._without_model: list[str] = []

    def pytest_deselected(self, items: Sequence[pytest.Item]) -> None:
        for item in items:
            self._counts.update([name for name in SETS if item.get_closest_marker(name)][:1])

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.skipped and isinstance(report.longrepr, tuple) and NEEDS in report.longrepr[2]:
            self._without_model.append(report.nodeid.rpartition("::")[2])

    def pytest_sessionfinish(self) -> None:
        if self._output is not None:
            self._output["left_out"] = dict(self._counts)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: object) -> None:
        # Each worker collects, and leaves out, the same.
        self._counts |= Counter(getattr(node, "workeroutput", {}).get("left_out", {}))

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        for name, count in sorted(self._counts.items()):
            terminalreporter.line(f"not run: {count} tests marked {name} ({SETS[name]})")
        if self._without_model:
            names = ", ".join(sorted(self._without_model))
            message = f"not run: {len(self._without_model)} tests need {NAME}"
            terminalreporter.line(f"{message} (assistant models pull {NAME}): {names}")
