"""Where the time of the tests goes: the wall clock and the processor time of each, and of a folder.

A pytest plugin. At the end of a run it names the tests that took longer than is right on a quiet
machine. With `ASSISTANT_TEST_TIMES` it also appends one JSON line a test to that file, from which
`python -m tests.support.timing FILE…` prints a table by folder. Nothing fails by time.
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections import defaultdict
from collections.abc import Generator, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import pytest

LONGEST_UNIT_S = 2.0
"""Longest time that a test without a daemon should take on a quiet machine, in seconds."""
LONGEST_STORY_S = 20.0
"""Longest time that a test with a daemon should take on a quiet machine, in seconds."""
SHOWN = 40
"""Greatest number of slow tests that are named at the end of a run."""


class Timed(NamedTuple):
    """One test, with the fixtures that were made for it."""

    test: str
    wall_s: float
    cpu_s: float
    story: bool

    @property
    def folder(self) -> str:
        """The test's folder, at most two levels below `tests`."""
        parts = self.test.partition("::")[0].split("/")
        return "/".join(parts[:3] if len(parts) > 3 else parts[:2])

    @property
    def slow(self) -> bool:
        """Whether it took longer than is right."""
        return self.wall_s > (LONGEST_STORY_S if self.story else LONGEST_UNIT_S)


def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(_Timing(config), "timing")


class _Timing:
    def __init__(self, config: pytest.Config) -> None:
        self._is_worker = hasattr(config, "workerinput")
        self._file = os.environ.get("ASSISTANT_TEST_TIMES")
        self._timed: list[Timed] = []
        self._began = (0.0, 0.0)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_logstart(self) -> None:
        self._began = (time.monotonic(), cpu_s())

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item
    ) -> Generator[None, pytest.TestReport, pytest.TestReport]:
        report = yield
        if report.when == "teardown":
            began_s, cpu_began_s = self._began
            took = (time.monotonic() - began_s, cpu_s() - cpu_began_s)
            story = item.get_closest_marker("e2e") is not None
            report.user_properties.append(("took", (*took, story)))
        return report

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        took = dict(report.user_properties).get("took")
        if took is not None and not self._is_worker:
            timed = Timed(report.nodeid, *took)  # type: ignore[misc]
            self._timed.append(timed)
            if self._file:
                with Path(self._file).open("a") as file:
                    file.write(json.dumps(timed) + "\n")

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        slow = sorted((t for t in self._timed if t.slow), key=lambda t: -t.wall_s)
        if slow:
            terminalreporter.section(
                f"{len(slow)} slow tests: over {LONGEST_UNIT_S:.0f} s,"
                f" with a daemon {LONGEST_STORY_S:.0f} s"
            )
        for timed in slow[:SHOWN]:
            terminalreporter.line(f"{timed.wall_s:6.1f} s {timed.cpu_s:6.1f} s CPU  {timed.test}")


def cpu_s() -> float:
    """Processor time of this process and of the children that it has waited for, in seconds."""
    return sum(os.times()[:4])


def by_folder(timed: Iterable[Timed]) -> list[tuple[str, int, float, float]]:
    """Folder, number of tests, their wall time and processor time in seconds; the longest first."""
    sums: dict[str, list[float]] = defaultdict(lambda: [0, 0.0, 0.0])
    for each in timed:
        for place, amount in enumerate((1, each.wall_s, each.cpu_s)):
            sums[each.folder][place] += amount
    rows = [(folder, int(count), wall, cpu) for folder, (count, wall, cpu) in sums.items()]
    return sorted(rows, key=lambda row: -row[2])


def main(files: Sequence[str]) -> None:
    """Print the table by folder of what `ASSISTANT_TEST_TIMES` named."""
    lines = [line for file in files for line in Path(file).read_text().splitlines()]
    timed = [Timed(*json.loads(line)) for line in lines]
    print("| folder | tests | wall | CPU |\n|---|---|---|---|")
    for folder, count, wall_s, of_processor_s in by_folder(timed):
        print(f"| `{folder}` | {count} | {wall_s:.0f} s | {of_processor_s:.0f} s |")


if __name__ == "__main__":
    main(sys.argv[1:])
