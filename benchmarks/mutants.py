"""Mutants: does a test notice a small fault? Draws them by a seed, and runs each file's own tests.

Mutants are drawn from the committed files of `OWN_TESTS`; each lives in a copy of the tree. It is
killed when a test fails or the tests do not end in time. Results are appended to one file for each
seed and commit, from which an interrupted run continues; two may share the work (`--part 1/2`).

Maintained mutation testers (mutmut, cosmic-ray, poodle) cannot draw mutants by a seed, or run one
set of tests for all.
"""

from __future__ import annotations

import argparse
import ctypes
import difflib
import json
import multiprocessing
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from multiprocessing import forkserver
from pathlib import Path
from typing import NamedTuple

import pytest

from benchmarks.mutations import Mutation, compiles, mutations

SEED, COUNT = 20261122, 300
REPOSITORY = Path(__file__).resolve().parent.parent
RESULTS = REPOSITORY / "build/mutants"
LATE_S, LATE_TIMES = 20.0, 4.0
"""Time limit of a mutant's tests: so many seconds plus so many times what they take without it."""
MOST_MEMORY_BYTES = 16_000_000_000
PR_SET_CHILD_SUBREAPER = 36
PRELOADED = ["pytest", "hypothesis.strategies", "hypothesis.internal.conjecture.engine", "numpy"]
"""Slow imports of most tests; each run is forked from a process that has loaded them."""
KILLED, SURVIVED = "killed", "survived"

_FORKS = multiprocessing.get_context("forkserver")
_WORKER = "tests/core/test_worker.py"
_CONTROL = ("tests/control/test_server.py",)
_MODELS = ("tests/core/models/test_versions.py", "tests/core/models/test_session.py")
_INDEXER = ("tests/answer/ingest/test_parser_client.py",)

_CONFINED = ("tests/core/confinement/test_rights.py", "tests/core/confinement/test_seccomp.py")

OWN_TESTS: dict[str, tuple[str, ...]] = {
    "assistant/answer/ingest/sandbox.py": ("tests/answer/ingest/test_sandbox.py", *_INDEXER),
    "assistant/core/confinement/rights.py": (*_CONFINED, *_INDEXER),
    "assistant/core/confinement/seccomp.py": (*_CONFINED, *_INDEXER),
    "assistant/answer/ingest/parser_messages.py": _INDEXER,
    "assistant/answer/ingest/parser_client.py": _INDEXER,
    "assistant/answer/ingest/parser_process.py": _INDEXER,
    "assistant/answer/generation/token_scheduler.py": (
        "tests/answer/generation/test_token_scheduler.py",
    ),
    "assistant/bridge/client.py": ("tests/bridge/test_client.py", "tests/bridge/test_tls.py"),
    "assistant/bridge/complaints.py": ("tests/bridge/test_stage.py",),
    "assistant/bridge/mqtt.py": (
        "tests/bridge/test_mqtt.py",
        "tests/bridge/test_announcement.py",
        "tests/bridge/sensors/test_broker.py",
    ),
    "assistant/bridge/payloads.py": ("tests/bridge/test_payloads.py",),
    "assistant/bridge/stage.py": (
        "tests/bridge/test_stage.py",
        "tests/bridge/sensors/test_stage.py",
    ),
    "assistant/supervision/announcer.py": ("tests/supervision/test_announcer.py",),
    "assistant/control/connection.py": ("tests/control/test_connection.py", *_CONTROL),
    "assistant/control/client.py": ("tests/control/test_connection.py", *_CONTROL),
    "assistant/control/server.py": _CONTROL,
    "assistant/core/bus.py": ("tests/core/test_bus.py", "tests/core/test_private.py", _WORKER),
    "assistant/core/models/canary.py": ("tests/core/models/test_canary.py",),
    "assistant/core/clock.py": ("tests/core/test_clock.py",),
    "assistant/core/codec.py": ("tests/core/test_codec.py",),
    "assistant/core/config.py": ("tests/core/test_settings.py", "tests/core/test_config.py"),
    "assistant/core/database.py": ("tests/core/test_database.py", "tests/core/test_private.py"),
    "assistant/core/files.py": (
        "tests/core/test_files.py",
        "tests/core/test_private.py",
        "tests/core/models/test_versions.py",
    ),
    "assistant/core/errors.py": ("tests/core/test_errors.py",),
    "assistant/core/failure.py": ("tests/core/test_errors.py", "tests/core/test_failure.py"),
    "assistant/core/degraded.py": ("tests/core/test_degraded.py",),
    "assistant/core/models/session.py": (
        "tests/core/models/test_session.py",
        "tests/core/models/test_providers.py",
        "tests/core/models/test_shared.py",
        "tests/core/models/test_usage.py",
    ),
    "assistant/core/models/manifest.py": _MODELS,
    "assistant/core/memory.py": ("tests/core/test_memory.py",),
    "assistant/core/messages.py": ("tests/core/test_codec.py",),
    "assistant/core/models/onnx.py": (
        "tests/core/models/test_onnx.py",
        "tests/core/models/test_session.py",
        "tests/core/models/test_adapter.py",
    ),
    "assistant/core/parts.py": ("tests/core/test_parts.py", "tests/core/test_codec.py"),
    "assistant/core/models/opened.py": ("tests/core/models/test_opened.py",),
    "assistant/core/models/usage.py": ("tests/core/models/test_usage.py",),
    "assistant/core/models/tokens.py": ("tests/core/models/test_tokens.py",),
    "assistant/core/models/swap.py": ("tests/core/models/test_swap.py",),
    "assistant/core/stage.py": (_WORKER,),
    "assistant/core/models/versions.py": ("tests/core/models/test_versions.py",),
    "assistant/core/worker.py": ("tests/core/test_loop.py", _WORKER),
    "assistant/core/yaml_text.py": ("tests/core/test_yaml_text.py",),
    "assistant/core/zmtp.py": ("tests/core/test_zmtp.py", "tests/core/test_bus.py"),
    "assistant/supervision/daemon.py": ("tests/supervision/test_daemon.py",),
    "assistant/supervision/heartbeat.py": ("tests/supervision/test_heartbeat.py",),
    "assistant/control/metrics_store.py": ("tests/control/test_metrics.py",),
    "assistant/supervision/channel.py": (
        "tests/supervision/test_heartbeat.py",
        "tests/supervision/test_announcer.py",
    ),
    "assistant/supervision/process.py": ("tests/supervision/test_process.py",),
    "assistant/supervision/supervisor.py": (
        "tests/supervision/test_supervising.py",
        "tests/supervision/test_supervisor.py",
    ),
    "assistant/serving/hot_swap.py": ("tests/serving/test_hot_swap.py",),
    "assistant/supervision/zygote.py": ("tests/supervision/test_zygote.py",),
    "skills/scheduler.py": ("tests/skills/test_scheduler.py",),
}
"""The tests of each file: few and quick."""


class Mutant(NamedTuple):
    """A file with one mutation."""

    file: str
    mutation: Mutation

    def diff(self, root: Path) -> str:
        """The change as a readable diff."""
        before = (root / self.file).read_bytes()
        after = self.mutation.applied(before)
        old, new = (text.decode().splitlines(keepends=True) for text in (before, after))
        return "".join(difflib.unified_diff(old, new, self.file, self.what(before), n=1))

    def what(self, source: bytes) -> str:
        """The line and the operator."""
        return f"line {source[: self.mutation.start].count(10) + 1}: {self.mutation.what}"


class Verdict(NamedTuple):
    """The result for a mutant, and the first test that failed."""

    outcome: str
    by: str
    seconds: float


def drawn(root: Path, files: list[str], seed: int, count: int) -> Iterator[Mutant]:
    """The first `count` of all mutants of `files`, shuffled by `seed`."""
    sources = {file: (root / file).read_bytes() for file in sorted(files)}
    every = [Mutant(file, m) for file, source in sources.items() for m in mutations(source)]
    random.Random(seed).shuffle(every)
    whole = (m for m in every if compiles(m.mutation.applied(sources[m.file])))
    return (mutant for mutant, _ in zip(whole, range(count), strict=False))


class UnsoundError(Exception):
    """Tests fail without a mutant, so they judge none."""


class Tree:
    """A copy of the repository that mutants are put into, one at a time."""

    def __init__(self, root: Path, tests: dict[str, tuple[str, ...]]) -> None:
        self._root, self._tests = root, tests
        self._sound: dict[tuple[str, ...], float] = {}
        self._changes = 0
        _FORKS.set_forkserver_preload(PRELOADED)
        forkserver.ensure_running()

    def judge(self, mutant: Mutant) -> Verdict:
        """Run the file's own tests with the mutant in it; raises `UnsoundError`."""
        tests, file = self._tests[mutant.file], self._root / mutant.file
        late_s = LATE_S + LATE_TIMES * self._sound_s(tests)
        before = file.read_bytes()
        try:
            self._write(file, mutant.mutation.applied(before))
            return self._run(tests, late_s)
        finally:
            self._write(file, before)

    def _write(self, file: Path, content: bytes) -> None:
        file.write_bytes(content)
        # Python mistakes compiled code of the same second and size for this file's.
        self._changes += 1
        os.utime(file, (self._changes, self._changes))

    def _sound_s(self, tests: tuple[str, ...]) -> float:
        """The seconds that they take without a mutant."""
        if tests not in self._sound:
            found = self._run(tests, 600.0)
            if found.outcome == KILLED:
                raise UnsoundError(f"{' '.join(tests)}: fails without a mutant: {found.by}")
            self._sound[tests] = found.seconds
        return self._sound[tests]

    def _run(self, tests: tuple[str, ...], late_s: float) -> Verdict:
        shutil.rmtree(self._root / ".hypothesis", ignore_errors=True)  # it replays earlier failures
        others, began_s = _children(), time.monotonic()
        with tempfile.NamedTemporaryFile() as output:
            process = _FORKS.Process(target=_be_pytest, args=(self._root, tests, output.name))
            process.start()
            process.join(late_s)
            status = process.exitcode
            if status is None:
                process.kill()
                process.join()
            _end_all(others)
            said = output.read().decode(errors="replace")
        seconds = round(time.monotonic() - began_s, 1)
        if status == 0:
            return Verdict(SURVIVED, "", seconds)
        if status in (3, 4, 5):
            sys.exit(f"{' '.join(tests)}: no test ran\n{said}")
        failed = re.search(r"^(?:FAILED|ERROR) (\S+)", said, re.MULTILINE)
        by = "took too long" if status is None else failed[1] if failed else f"status {status}"
        return Verdict(KILLED, by, seconds)


def _be_pytest(root: Path, tests: tuple[str, ...], output: str) -> None:
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY_BYTES,) * 2)
    with open(output, "wb") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    os.chdir(root)
    sys.path[:] = [str(root), *(p for p in sys.path if p not in ("", str(REPOSITORY)))]
    os.environ["PYTHONPATH"] = str(root)
    for name in [name for name in sys.modules if name.partition(".")[0] == "benchmarks"]:
        del sys.modules[name]
    sys.exit(pytest.main(["-x", "--assert=plain", "-p", "no:cacheprovider", *tests]))


def _children() -> set[int]:
    """This process's children, including any that a mutant's tests have left behind."""
    return set(map(int, Path(f"/proc/self/task/{os.getpid()}/children").read_text().split()))


def _end_all(but: set[int]) -> None:
    while left := _children() - but:
        for child in left:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)


def copied(commit: str, folder: Path) -> Path:
    """Copy the tree of a commit into `folder`."""
    archive = subprocess.run(
        ("git", "archive", commit), cwd=REPOSITORY, check=True, stdout=subprocess.PIPE
    )
    subprocess.run(("tar", "-x"), cwd=folder, check=True, input=archive.stdout)
    return folder


def told(rows: list[dict[str, str]], count: int) -> str:
    """The survivors and the figures as text."""
    outcomes = Counter(row["outcome"] for row in rows)
    survivors = [row["diff"] for row in rows if row["outcome"] == SURVIVED]
    share = outcomes[KILLED] / len(rows) if rows else 0.0
    figures = f"{len(rows)} of {count} mutants, {outcomes[KILLED]} killed ({share:.3f})"
    return "\n".join([*survivors, figures])


def main() -> None:
    """Continue the run of this seed and commit; print the survivors and the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--count", type=int, default=COUNT)
    parser.add_argument("--commit", default="HEAD")
    parser.add_argument("--part", default="1/1", help="this part of the mutants, such as 1/2")
    parser.add_argument("--only", default="", help="draw from files whose path fits this pattern")
    options = parser.parse_args()
    part, parts = map(int, options.part.split("/"))
    commit = subprocess.check_output(
        ("git", "rev-parse", "--short=12", options.commit), cwd=REPOSITORY, text=True
    ).strip()
    name = re.sub(r"\W+", "-", f"{options.seed}-{commit}-{options.only}").strip("-")
    results = RESULTS / f"{name}.jsonl"
    results.parent.mkdir(parents=True, exist_ok=True)
    results.touch()
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    with tempfile.TemporaryDirectory(prefix="hark-mutants-") as folder:
        root = copied(commit, Path(folder))
        tree = Tree(root, OWN_TESTS)
        files = [file for file in OWN_TESTS if re.search(options.only, file)]
        mutants = list(drawn(root, files, options.seed, options.count))
        unsound: set[str] = set()
        for place, mutant in enumerate(mutants):
            known = {json.loads(line)["place"] for line in results.read_text().splitlines()}
            if place % parts != part - 1 or place in known or mutant.file in unsound:
                continue
            diff = mutant.diff(root)
            try:
                row = {"place": place, "diff": diff, **tree.judge(mutant)._asdict()}
            except UnsoundError as error:
                print(error)  # noqa: T201
                unsound.add(mutant.file)
                continue
            with results.open("a") as file:
                file.write(json.dumps(row) + "\n")
    rows = [json.loads(line) for line in results.read_text().splitlines()]
    print(told(sorted(rows, key=lambda row: row["place"]), len(mutants)))  # noqa: T201


if __name__ == "__main__":
    main()
