"""Supervisor, zygote, bus and control socket together, as real processes."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest

from assistant.control.client import ControlClient
from assistant.core.errors import ControlError
from assistant.supervision.process import Patience, ProcessSpec
from tests.support import processes
from tests.support.processes import Plan

DEADLINE_S = 60.0


@pytest.fixture
def hang_after_s() -> float:
    """Seconds without a beat after which the meter hangs: none is late on a busy machine."""
    return DEADLINE_S


@pytest.fixture
def daemon(tmp_path: Path, hang_after_s: float) -> Iterator[subprocess.Popen[bytes]]:
    specs = [
        ProcessSpec(
            name=n,
            target=f"tests.support.on_the_bus:{n}",
            arguments=(str(tmp_path),),
            hang_after_s=after_s,
        )
        for n, after_s in (("control", DEADLINE_S), ("meter", hang_after_s))
    ]
    # On a busy machine they end late, and what is killed is still there when the daemon has ended.
    patience = Patience(backoff_s=(0.05,), stop_s=DEADLINE_S, zygote_s=DEADLINE_S)
    plan = Plan(processes=specs, patience=patience, preload=["tests.support.on_the_bus"])
    script = Path(processes.__file__)
    with (
        (tmp_path / "log").open("wb") as log,
        subprocess.Popen(
            (sys.executable, script, msgspec.json.encode(plan), tmp_path / "modules"),
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
            stderr=log,
        ) as daemon,
    ):
        yield daemon
        daemon.kill()


@pytest.fixture
def client(daemon: subprocess.Popen[bytes], tmp_path: Path) -> ControlClient:
    client = ControlClient(tmp_path / "control.sock")
    ready(client)
    return client


def ready(client: ControlClient) -> dict[str, int]:
    """The processes' ids, once all are ready."""
    end_s = time.monotonic() + DEADLINE_S
    while time.monotonic() < end_s:
        try:
            processes = client.ask("status")["processes"]
        except ControlError:
            processes = []
        if processes and all(p["state"] == "ready" for p in processes):
            return {p["name"]: p["pid"] for p in processes}
        time.sleep(0.02)
    raise AssertionError("the daemon did not become ready")


@pytest.fixture
def joined(client: ControlClient) -> ControlClient:
    """The client of a daemon whose processes hear each other: a broadcast before that is lost."""
    end_s = time.monotonic() + DEADLINE_S
    while time.monotonic() < end_s:
        with suppress(ControlError), closing(client.follow("reload", 0.3)) as lines:
            if next(lines) and next(lines)["type"] == "Reloaded":
                return client
    raise AssertionError("the processes do not hear each other")


def first(lines: Iterator[dict[str, Any]], wanted: Callable[[dict[str, Any]], bool]) -> Any:
    return next(line for line in lines if wanted(line))


def test_events_of_one_process_reach_a_watcher_through_another(client: ControlClient) -> None:
    with closing(client.follow("watch", DEADLINE_S)) as lines:
        assert next(lines)["type"] == "Status"
        assert first(lines, lambda e: e["type"] == "Level")["rms_dbfs"] == -50.0


@pytest.mark.parametrize(
    ("number", "reason", "hang_after_s"),
    [(signal.SIGKILL, "killed by SIGKILL", DEADLINE_S), (signal.SIGSTOP, "hung", 2.0)],
)
def test_a_watcher_is_told_of_a_restart_and_hears_the_new_process(
    client: ControlClient, number: signal.Signals, reason: str
) -> None:
    with closing(client.follow("watch", DEADLINE_S)) as lines:
        os.kill(ready(client)["meter"], number)
        told = first(lines, lambda e: e["type"] == "StageRestarted")
        assert (told["stage"], told["reason"]) == ("meter", reason)
        assert first(lines, lambda e: e["type"] == "Level" and e["at_s"] > told["at_s"])


def test_the_control_process_itself_comes_back_and_tells_of_it(client: ControlClient) -> None:
    before = ready(client)
    os.kill(before["control"], signal.SIGKILL)
    after = ready(client)
    assert after["control"] != before["control"]
    assert after["meter"] == before["meter"]
    with closing(client.follow("watch", DEADLINE_S)) as lines:
        assert first(lines, lambda e: e["type"] == "Level")


def test_reload_goes_over_the_supervisor_to_every_worker(joined: ControlClient) -> None:
    with closing(joined.follow("reload", DEADLINE_S)) as lines:
        assert next(lines) == {"type": "Reloading", "stages": ["control", "meter"]}
        assert next(lines)["stage"] == "meter"


def test_sighup_is_a_reload_too(joined: ControlClient, daemon: subprocess.Popen[bytes]) -> None:
    with closing(joined.follow("watch", DEADLINE_S)) as lines:
        next(lines)
        os.kill(daemon.pid, signal.SIGHUP)
        assert first(lines, lambda e: e["type"] == "Reload")
        assert first(lines, lambda e: e["type"] == "Reloaded")["stage"] == "meter"


def test_after_sigterm_nothing_is_left(
    client: ControlClient, daemon: subprocess.Popen[bytes], tmp_path: Path
) -> None:
    pids = ready(client)
    events = client.follow("watch", DEADLINE_S)
    next(events)  # or the daemon may be gone before it is asked
    watching = threading.Thread(target=lambda: list(events))
    watching.start()
    daemon.terminate()
    assert daemon.wait(DEADLINE_S) == 0
    watching.join()
    assert not any(Path(f"/proc/{pid}").exists() for pid in pids.values())
    assert not (tmp_path / "control.sock").exists()
    assert "did not end" not in (tmp_path / "log").read_text()
