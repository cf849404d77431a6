"""A new hub takes the place of one that serves; who asks meanwhile notices nothing."""

from __future__ import annotations

import importlib.util
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import closing, suppress
from pathlib import Path
from queue import Empty, Queue, SimpleQueue

import pytest

from assistant.hub.succession import PREDECESSOR, Succession, predecessor
from assistant.hub.tenants import KnownTenants, Tenant
from assistant.hub.updates import Updates, Wish

HAS_EXTRA = all(importlib.util.find_spec(name) for name in ("fastapi", "ray", "uvicorn"))
TAKES_OVER_S = 200.0
"""Longest that a hub takes to start on a busy machine."""


@pytest.fixture
def bound() -> Iterator[socket.socket]:
    with closing(socket.create_server(("127.0.0.1", 0))) as bound:
        yield bound


def test_who_takes_over_what_is_told_by_the_process_before_alone(
    bound: socket.socket, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(PREDECESSOR, f"{os.getppid()}:{bound.fileno()}:1")
    before = predecessor()
    assert before is not None
    with closing(before.socket()) as taken:
        assert taken.getsockname() == bound.getsockname()
        taken.detach()
    assert PREDECESSOR not in os.environ
    monkeypatch.setenv(PREDECESSOR, f"{os.getpid()}:3:4")
    assert predecessor() is None
    assert predecessor() is None  # without the variable


def test_where_the_new_one_cannot_start_that_is_told_and_it_may_be_tried_again(
    bound: socket.socket, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(sys, "argv", ["assistant", "hub", "--port", "none"])
    failed = threading.Semaphore(0)
    succession = Succession(bound, failed.release)
    for _ in range(2):
        succession.begin()
        assert failed.acquire(timeout=60.0)
        assert not succession.is_under_way
    assert caplog.text.count("ended with 2; this one goes on (hub.successor)") == 2
    succession.close()


def started(folder: Path, monkeypatch: pytest.MonkeyPatch, serves: bool) -> Path:
    """Have this started in place of a hub; gives the file in which it tells its number."""
    told = folder / "told"
    program = (
        "import os, pathlib, time",
        "from assistant.hub.succession import predecessor",
        "predecessor().end()" if serves else "",
        f"pathlib.Path({str(told)!r}).write_text(str(os.getpid()))",
        "time.sleep(60)",
    )
    monkeypatch.setattr("assistant.hub.succession.COMMAND", ("-c", "\n".join(program)))
    return told


@pytest.mark.parametrize("serves", [True, False])
def test_one_that_is_starting_ends_with_this_one_unless_it_serves(
    bound: socket.socket, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, serves: bool
) -> None:
    told, ended = started(tmp_path, monkeypatch, serves), threading.Event()
    before = signal.signal(signal.SIGTERM, lambda *_: ended.set())
    try:
        succession = Succession(bound, lambda: None)
        succession.begin()
        end_s = time.monotonic() + 60.0
        while not (told.exists() and told.read_text("utf-8")):
            assert time.monotonic() < end_s
            time.sleep(0.02)
        assert succession.is_under_way
        assert ended.is_set() is serves
        succession.close()
        process = int(told.read_text("utf-8"))
        if not serves:
            _until_gone(process)
        else:
            os.kill(process, signal.SIGKILL)
    finally:
        signal.signal(signal.SIGTERM, before)


def test_on_a_cluster_none_is_started(
    bound: socket.socket, caplog: pytest.LogCaptureFixture
) -> None:
    succession = Succession(bound, lambda: None, "192.168.1.30:6379")
    succession.begin()
    assert "no other takes over (hub.successor)" in caplog.text
    assert not succession.is_under_way


class Noted:
    """What there is to renew, and who succeeds: what they are told to do is noted."""

    def __init__(self) -> None:
        self.done: Queue[str] = Queue()
        self.is_under_way = False

    def renew(self, tenants: Mapping[str, Tenant]) -> None:
        self.done.put("renew")

    def interrupt(self) -> None:
        self.done.put("interrupt")

    def attend(self) -> None:
        self.done.put("attend")

    def begin(self) -> None:
        self.is_under_way = True
        self.done.put("begin")


def test_no_trial_goes_on_while_another_starts_and_what_changes_is_read_there_too() -> None:
    noted, wishes = Noted(), SimpleQueue[Wish]()
    Updates(noted, KnownTenants({}), dict, lambda _: None, wishes, noted).start()

    def does(*wanted: str) -> None:
        assert [noted.done.get(timeout=30.0) for _ in wanted] == list(wanted)

    does("attend")
    wishes.put(Wish.SUCCEED)
    does("interrupt", "begin")
    wishes.put(Wish.UPDATE)
    does("renew", "interrupt", "begin")
    wishes.put(Wish.ATTEND)  # as of a trial that was decided just then: nothing is done
    with pytest.raises(Empty):
        noted.done.get(timeout=0.5)
    noted.is_under_way = False
    wishes.put(Wish.UPDATE)
    does("renew", "attend")


def _until_gone(process: int) -> None:
    end_s = time.monotonic() + 30.0
    with suppress(ProcessLookupError):
        while time.monotonic() < end_s:
            os.kill(process, 0)
            time.sleep(0.02)
        raise AssertionError("it goes on")


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
