"""A new hub takes the place of one that serves; who asks meanwhile notices nothing."""

from __future__ import annotations

import importlib.util
import json
import logging
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from contextlib import closing, suppress
from pathlib import Path

import pytest

from assistant.hub.succession import PREDECESSOR, Succession, predecessor

HAS_EXTRA = all(importlib.util.find_spec(name) for name in ("fastapi", "ray", "uvicorn"))
TAKES_OVER_S = 200.0
"""Longest that a hub takes to start on a busy machine."""


def test_who_takes_over_what_is_told_by_the_process_before_alone(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as bound:
        monkeypatch.setenv(PREDECESSOR, f"{os.getppid()}:{bound.fileno()}")
        before = predecessor()
        assert before is not None
        with closing(before.socket()) as taken:
            assert taken.getsockname() == bound.getsockname()
            taken.detach()
    assert PREDECESSOR not in os.environ
    monkeypatch.setenv(PREDECESSOR, f"{os.getpid()}:3")
    assert predecessor() is None
    assert predecessor() is None  # without the variable


def test_where_the_new_one_cannot_start_that_is_told_and_it_may_be_tried_again(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(sys, "argv", ["assistant", "hub", "--port", "none"])
    told = threading.Event()
    with closing(socket.create_server(("127.0.0.1", 0))) as bound:
        succession = Succession(bound)
        for tries in (1, 2):
            with caplog.at_level(logging.ERROR, "assistant.hub.succession"):
                succession.begin()
                end_s = time.monotonic() + 60.0
                while caplog.text.count("(hub.successor)") < tries:
                    assert time.monotonic() < end_s
                    told.wait(0.1)
        assert "ended with 2; this one goes on" in caplog.text


def test_on_a_cluster_none_is_started(caplog: pytest.LogCaptureFixture) -> None:
    with closing(socket.create_server(("127.0.0.1", 0))) as bound:
        Succession(bound, "192.168.1.30:6379").begin()
        end_s = time.monotonic() + 10.0
        while "no other takes over (hub.successor)" not in caplog.text:
            assert time.monotonic() < end_s
            time.sleep(0.01)


@pytest.mark.skipif(not HAS_EXTRA, reason="the extra hub is not installed")
def test_no_call_is_lost_while_another_takes_over(tmp_path: Path) -> None:
    command = (sys.executable, "-m", "assistant", "hub", "--port", "0")
    folders = {f"{name}_DIRECTORY": str(tmp_path / name) for name in ("STATE", "CACHE")}
    added = folders | {"PYTHONPATH": os.pathsep.join(sys.path), "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(
        command, cwd=tmp_path, env=os.environ | added, stdout=subprocess.PIPE, text=True
    ) as old:
        assert old.stdout is not None
        url = old.stdout.readline().split()[-1]
        over, failed, calls = threading.Event(), list[str](), 0

        def call() -> None:
            nonlocal calls
            while not over.wait(0.05):
                calls += 1
                try:
                    assert _meant(url, "what time is it") == ["HassGetCurrentTime"]
                except (OSError, AssertionError) as error:
                    failed.append(repr(error))

        asking = threading.Thread(target=call)
        asking.start()
        new = 0
        try:
            old.send_signal(signal.SIGUSR2)
            new = _child_of(old.pid)
            assert old.stdout.readline().split()[-1] == url
            assert old.wait(TAKES_OVER_S) == 0
            before = calls
            while calls < before + 10:
                time.sleep(0.05)
        finally:
            over.set()
            asking.join()
            for process in (new, old.pid):
                with suppress(ProcessLookupError):
                    os.kill(process, signal.SIGTERM)
    assert not failed
    assert calls > 10


def _meant(url: str, text: str) -> list[str]:
    body = json.dumps({"text": text}).encode()
    request = urllib.request.Request(
        f"{url}/v1/interpret", body, {"Content-Type": "application/json"}
    )
    with urllib.request.urlopen(request, timeout=60) as reply:
        return [command["intent"] for command in json.load(reply)["commands"]]


def _child_of(process: int) -> int:
    """The hub that a hub has started."""
    end_s = time.monotonic() + 30.0
    while time.monotonic() < end_s:
        for status in Path("/proc").glob("[0-9]*/status"):
            with suppress(OSError):
                child = int(status.parent.name)
                is_hub = b"assistant\0hub\0" in (status.parent / "cmdline").read_bytes()
                if is_hub and f"PPid:\t{process}\n" in status.read_text("utf-8"):
                    return child
        time.sleep(0.05)
    raise AssertionError("no other hub was started")
