"""The zygote by itself: what it forks, how that ends, and what ends with it."""

from __future__ import annotations

import gc
import logging
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import weakref
from collections.abc import Iterator
from pathlib import Path
from typing import TypeVar

import pytest

from assistant.core.fork import LARGEST_PACKET_BYTES
from assistant.supervision import zygote
from assistant.supervision.zygote import Alive, Fork, Forked, ProcessEnded, Zygote, describe_exit
from tests.support.processes import DEADLINE_S, until

T = TypeVar("T")


class ZygoteHarness:
    """A zygote, the reports that it made, and the lines of what it forked."""

    def __init__(self, *preload: str, log_level: str = "info") -> None:
        self.zygote = Zygote(preload, log_level)
        self.reports: list[Alive | Forked | ProcessEnded] = []
        self.lines: list[socket.socket] = []

    def fork(self, name: str, target: str, *arguments: str) -> int:
        """Its process id."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.lines.append(ours)
        with theirs:
            self.zygote.fork(Fork(name=name, target=target, arguments=arguments), theirs)
        return self.heard(Forked, name).pid

    def heard(self, kind: type[T], name: str = "") -> T:
        """The last report of its kind, of this process, once there is one."""

        def last() -> list[T]:
            self.reports += self.zygote.reports()
            return [
                r for r in self.reports if isinstance(r, kind) and getattr(r, "name", "") == name
            ]

        return until(last)[-1]

    def close(self) -> None:
        self.zygote.close()
        for line in self.lines:
            line.close()


@pytest.fixture
def harness() -> Iterator[ZygoteHarness]:
    harness = ZygoteHarness()
    yield harness
    harness.close()


def proc(pid: int, name: str) -> str:
    return Path(f"/proc/{pid}/{name}").read_text().rstrip("\n")


def gone(pid: int) -> bool:
    try:
        return proc(pid, "stat").rpartition(")")[2].split()[0] == "Z"
    except (FileNotFoundError, ProcessLookupError):
        return True


def test_it_says_that_it_lives_once_a_second(harness: ZygoteHarness) -> None:
    for _ in range(2):
        harness.heard(Alive)
        harness.reports.clear()
    assert zygote.ALIVE_EVERY_S == 1.0


def test_what_it_forks_has_a_line_a_name_and_an_end(harness: ZygoteHarness) -> None:
    pid = harness.fork("asr", "tests.support.processes:works")
    until(lambda: proc(pid, "comm") == "hark-asr")
    assert proc(harness.zygote.pid, "comm") == "hark-zygote"
    assert harness.lines[0].recv(LARGEST_PACKET_BYTES).startswith(b'{"type":"Beat"')
    harness.zygote.signal("nobody", signal.SIGTERM)
    harness.zygote.signal("asr", signal.SIGTERM)
    assert harness.heard(ProcessEnded, "asr").reason == "killed by SIGTERM"
    assert gone(pid)


def test_how_it_ended_is_told(harness: ZygoteHarness, tmp_path: Path) -> None:
    harness.fork("a", "tests.support.processes:crashes_until", str(tmp_path / "never"))
    assert harness.heard(ProcessEnded, "a").reason == "exited with status 3"
    harness.fork("b", "tests.support.processes:crashes")
    assert harness.heard(ProcessEnded, "b").reason == "exited with status 1"
    harness.fork("c", "json:no_such_function")
    assert harness.heard(ProcessEnded, "c").reason == "exited with status 1"
    harness.fork("d", "tests.support.processes:has_wrong_settings", str(tmp_path / "never"))
    assert harness.heard(ProcessEnded, "d").reason == "exited with status 2"
    harness.fork("e", "builtins:id")
    assert harness.heard(ProcessEnded, "e").reason == "exited with status 0"
    harness.reports.clear()
    harness.heard(Alive)  # it waits for no order after an end


def test_one_process_after_the_other_under_the_same_name(harness: ZygoteHarness) -> None:
    harness.heard(Alive)
    before = len(open_files(harness.zygote.pid))
    first = harness.fork("asr", "tests.support.processes:works")
    harness.zygote.signal("asr", signal.SIGKILL)
    assert harness.heard(ProcessEnded, "asr").reason == "killed by SIGKILL"
    assert len(open_files(harness.zygote.pid)) == before
    harness.reports.clear()
    second = harness.fork("asr", "tests.support.processes:works")
    assert second != first
    harness.zygote.signal("asr", signal.SIGTERM)
    assert harness.heard(ProcessEnded, "asr").reason == "killed by SIGTERM"


def test_a_process_holds_its_own_line_and_nobody_elses(harness: ZygoteHarness) -> None:
    pids = [harness.fork(name, "tests.support.processes:works") for name in ("a", "b", "c")]
    for line in harness.lines:
        assert line.recv(LARGEST_PACKET_BYTES)
    sockets = [
        sum(link.startswith("socket:") for link in map(os.readlink, open_files(pid)))
        for pid in pids
    ]
    assert sockets == [1, 1, 1]
    for pid in pids:
        links = {file: os.readlink(file) for file in open_files(pid)}
        assert [link for link in links.values() if "eventpoll" in link or "pidfd" in link] == []
        (line,) = (file for file, link in links.items() if link.startswith("socket:"))
        about = Path(line.replace("/fd/", "/fdinfo/")).read_text()
        (flags,) = re.findall(r"flags:\s+(\d+)", about)
        assert int(flags, 8) & os.O_CLOEXEC  # nor does a program that it starts hold its line
    assert os.readlink(f"/proc/{pids[0]}/fd/0") == "/dev/null"


def open_files(pid: int) -> list[str]:
    return [f"/proc/{pid}/fd/{n}" for n in os.listdir(f"/proc/{pid}/fd")]


def test_all_go_down_with_it(harness: ZygoteHarness) -> None:
    pids = [harness.fork(name, "tests.support.processes:stubborn") for name in ("a", "b")]
    harness.zygote.close()
    until(lambda: all(map(gone, pids)))


def test_the_end_of_it_is_the_end_of_its_reports(harness: ZygoteHarness) -> None:
    harness.fork("a", "tests.support.processes:works")
    os.kill(harness.zygote.pid, signal.SIGKILL)
    with pytest.raises(EOFError, match=r"^the zygote is gone$"):
        until(lambda: harness.heard(ProcessEnded, "a"))
    # Whoever has not yet learned of it may go on giving orders.
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    with ours, theirs:
        harness.zygote.fork(Fork(name="b", target="m:f", arguments=()), theirs)
        harness.zygote.signal("a", signal.SIGTERM)


@pytest.mark.parametrize("first", ["an order", "its reports"])
def test_one_that_died_with_orders_unread_is_gone_too(harness: ZygoteHarness, first: str) -> None:
    harness.heard(Alive)
    os.kill(harness.zygote.pid, signal.SIGSTOP)
    harness.zygote.signal("a", signal.SIGTERM)
    list(harness.zygote.reports())
    os.kill(harness.zygote.pid, signal.SIGKILL)
    until(lambda: gone(harness.zygote.pid))
    if first == "an order":
        harness.zygote.signal("a", signal.SIGTERM)
    with pytest.raises(EOFError):
        list(harness.zygote.reports())


def test_when_it_is_closed_nothing_of_it_is_left() -> None:
    before = len(open_files(os.getpid()))
    harness = ZygoteHarness()
    harness.heard(Alive)
    harness.close()
    assert not Path(f"/proc/{harness.zygote.pid}").exists()
    assert len(open_files(os.getpid())) == before


def test_whose_line_is_closed_ends_in_peace() -> None:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    arguments = (str(theirs.fileno()), str(os.getpid()), "info")
    program = (sys.executable, "-m", "assistant.supervision.zygote", *arguments)
    with ours, subprocess.Popen(program, pass_fds=(theirs.fileno(),)) as process:
        theirs.close()
        assert ours.recv(LARGEST_PACKET_BYTES) == b'{"type":"Alive"}'
        ours.close()
        assert process.wait(DEADLINE_S) == 0


def test_it_finds_modules_where_its_parent_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "found_here.py").write_text("def ends(_): raise SystemExit(9)\n")
    monkeypatch.syspath_prepend(tmp_path)
    harness = ZygoteHarness()
    harness.fork("a", "found_here:ends")
    assert harness.heard(ProcessEnded, "a").reason == "exited with status 9"
    harness.close()


def test_one_that_stands_still_takes_orders_until_it_is_full(harness: ZygoteHarness) -> None:
    harness.heard(Alive)
    os.kill(harness.zygote.pid, signal.SIGSTOP)
    for _ in range(1_000):
        harness.zygote.signal("a", signal.SIGTERM)


def test_ctrl_c_is_not_for_it_and_libraries_start_no_threads_in_it(harness: ZygoteHarness) -> None:
    harness.heard(Alive)
    pid = harness.zygote.pid
    assert os.getsid(pid) == pid
    environment = Path(f"/proc/{pid}/environ").read_text().split("\0")
    assert {"OPENBLAS_NUM_THREADS=1", "ORT_DISABLE_TELEMETRY=1"} <= set(environment)


ORPHAN = """
import os, subprocess, sys, time
from assistant.supervision.zygote import Zygote
zygote = Zygote((), "info")
next(iter(zygote.reports()), None)
print(zygote.pid, flush=True)
time.sleep(3600)
"""


def test_one_that_stands_still_ends_with_its_supervisor() -> None:
    program = (sys.executable, "-c", ORPHAN)
    with subprocess.Popen(program, stdout=subprocess.PIPE, text=True) as supervisor:
        assert supervisor.stdout is not None
        pid = int(supervisor.stdout.readline())
        until(lambda: proc(pid, "comm") == "hark-zygote")
        os.kill(pid, signal.SIGSTOP)
        supervisor.kill()
    until(lambda: gone(pid))


@pytest.mark.parametrize(
    ("code", "status", "words"),
    [
        (os.CLD_EXITED, 0, "exited with status 0"),
        (os.CLD_EXITED, 9, "exited with status 9"),
        (os.CLD_KILLED, 9, "killed by SIGKILL"),
        (os.CLD_DUMPED, 11, "killed by SIGSEGV"),
        (os.CLD_KILLED, 40, "killed by signal 40"),
    ],
)
def test_an_end_in_words(code: int, status: int, words: str) -> None:
    assert describe_exit(code, status) == words


def test_what_cannot_be_loaded_is_named_and_the_rest_is_kept_from_the_collector(
    caplog: pytest.LogCaptureFixture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "no_library.py").write_text("raise OSError('libportaudio.so.2: no such file')\n")
    (tmp_path / "sound_module.py").write_text("loaded = []\ndef keep(): loaded.append(1)\n")
    monkeypatch.syspath_prepend(tmp_path)
    for name in ("no_library", "sound_module"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    before = gc.get_freeze_count()
    try:
        zygote.load(["no_such_engine", "no_library", "sound_module:keep"])
        assert gc.get_freeze_count() > before
    finally:
        gc.unfreeze()
    assert sys.modules["sound_module"].loaded == [1]
    told = [r.message for r in caplog.records if "(zygote.preload)" in r.message]
    assert [line.split()[1] for line in told] == ["no_such_engine", "no_library"]


def test_what_loading_left_behind_is_not_kept_from_the_collector() -> None:
    class Node:
        """Refers to itself."""

    gc.disable()
    try:
        node = Node()
        node.itself = node  # type: ignore[attr-defined]
        left = weakref.ref(node)
        del node
        zygote.load([])
        assert left() is None
    finally:
        gc.enable()
        gc.unfreeze()


@pytest.mark.parametrize("threads", [1, 2])
def test_the_second_thread_is_one_too_many(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch, threads: int
) -> None:
    tasks = {"/proc/self/task": [str(n) for n in range(threads)]}
    monkeypatch.setattr(zygote.os, "listdir", lambda folder: tasks[folder])
    try:
        zygote.load([])
    finally:
        gc.unfreeze()
    assert ("(zygote.threads)" in caplog.text) is (threads == 2)


def test_a_thread_after_loading_is_warned_of(caplog: pytest.LogCaptureFixture) -> None:
    stop = threading.Event()
    thread = threading.Thread(target=stop.wait)
    thread.start()
    try:
        zygote.load([])
    finally:
        stop.set()
        thread.join()
        gc.unfreeze()
    (record,) = (r for r in caplog.records if "(zygote.threads)" in r.message)
    assert record.levelno == logging.WARNING


LOUD = """
import sys
from assistant.supervision.zygote import Fork, Zygote
import socket
zygote = Zygote(("no_such_engine",), sys.argv[1])
ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
zygote.fork(Fork(name="asr", target=sys.argv[2], arguments=()), theirs)
theirs.close()
while ours.recv(65536):
    pass
zygote.close()
"""


def logged(level: str, target: str) -> str:
    """What is logged by a zygote and one process of it."""
    environment = {k: v for k, v in os.environ.items() if k != "JOURNAL_STREAM"}
    environment["PYTHONPATH"] = os.pathsep.join(p for p in sys.path if p)
    program = (sys.executable, "-c", LOUD, level, target)
    return subprocess.run(
        program, stderr=subprocess.PIPE, text=True, check=True, env=environment
    ).stderr


def test_each_logs_under_its_own_name_and_at_the_level_asked_for() -> None:
    told = logged("info", "tests.support.processes:crashes")
    assert " zygote: WARNING zygote: no_such_engine cannot be loaded" in told
    assert " asr: CRITICAL asr ends: no microphone is attached; plug one in (audio.none)" in told
    assert "no_such_engine" not in logged("error", "tests.support.processes:crashes")


def test_a_crash_in_a_library_leaves_its_place_in_the_log() -> None:
    assert "Fatal Python error: Segmentation fault" in logged(
        "info", "tests.support.processes:breaks"
    )
