"""Servers that fork, work done in a fork, and that both go with their parent."""

from __future__ import annotations

import errno
import gc
import os
import select
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from assistant.core import fork
from assistant.core.errors import SkillError

PROGRAM = (
    *(sys.executable, "-P", "-c"),
    "import os, socket, sys; line, parent, word = sys.argv[1:];"
    " line = socket.socket(fileno=int(line));"
    " line.send(f'{word} {parent} {os.getsid(0) == os.getpid()} {os.environ}'.encode());"
    " line.send(os.pathsep.join(sys.path).encode()); line.recv(1)",
)


def heard(server: socket.socket) -> bytes:
    assert select.select([server], [], [], 20)[0]
    packet = fork.receive(server)
    assert packet is not None
    return packet


def test_a_server_has_its_arguments_and_no_more_of_the_environment_than_it_is_given() -> None:
    process, server = fork.start_server(PROGRAM, "hello", env={"LANG": "C"})
    with process, server:
        told = heard(server).decode()
        assert told.startswith(f"hello {os.getpid()} True ")
        assert "LANG" in told
        assert "HOME" not in told
        assert set(sys.path) <= set(heard(server).decode().split(os.pathsep))
        assert fork.receive(server) is None
        process.kill()
        process.wait()
        assert heard(server) == b""


def test_one_that_cannot_be_started_leaves_no_descriptor() -> None:
    before = os.listdir("/proc/self/fd")
    with pytest.raises(FileNotFoundError):
        fork.start_server(("/nowhere",), env={})
    assert os.listdir("/proc/self/fd") == before


def test_a_fork_that_is_not_waited_for_gives_what_its_work_returns() -> None:
    assert fork.Fork(os.getpid).finish() != os.getpid()


def test_what_no_pipe_takes_may_be_dropped() -> None:
    fork.in_fork(lambda: lambda: None)


def test_work_in_a_fork_leaves_its_files_and_nothing_in_memory(tmp_path: Path) -> None:
    taken: list[int] = []

    def work() -> None:
        taken.append(os.getpid())
        (tmp_path / "made").write_text(str(os.getpid()))

    waiting = threading.Event()
    beside = threading.Thread(target=waiting.wait)
    beside.start()
    try:
        fork.in_fork(work)
    finally:
        waiting.set()
        beside.join()
    assert int((tmp_path / "made").read_text()) != os.getpid()
    assert taken == []


def test_what_work_in_a_fork_raises_is_raised_here() -> None:
    def refuse() -> None:
        raise SkillError("skill.broken", "it has no sentences", "clock")

    with pytest.raises(FileNotFoundError, match="/nowhere"):
        fork.in_fork(lambda: print(Path("/nowhere").read_text()))
    with pytest.raises(SkillError, match="it has no sentences") as fault:
        fork.in_fork(refuse)
    assert (fault.value.part, fault.value.code) == ("clock", "skill.broken")


def test_a_fork_that_is_killed_is_told_and_leaves_no_descriptor() -> None:
    gc.collect()  # what other tests left open is closed now, and not while this one counts
    before = os.listdir("/proc/self/fd")
    with pytest.raises(OSError, match="has died"):
        fork.in_fork(lambda: os.kill(os.getpid(), signal.SIGKILL))
    assert os.listdir("/proc/self/fd") == before


def test_whoever_has_no_parent_left_ends_at_once() -> None:
    program = (
        "import os; from assistant.core.fork import die_with_parent\n"
        "die_with_parent({}); os._exit(7)"
    )
    mine = subprocess.run((sys.executable, "-c", program.format(os.getpid())), check=False)
    other = subprocess.run((sys.executable, "-c", program.format(os.getpid() + 1)), check=False)
    assert (mine.returncode, other.returncode) == (7, 1)


def test_what_the_kernel_refuses_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fork, "PR_SET_PDEATHSIG", 9999)
    with pytest.raises(OSError, match="PR_SET_PDEATHSIG") as fault:
        fork.die_with_parent(os.getppid())
    assert fault.value.errno == errno.EINVAL


def test_work_that_is_not_waited_for_is_told_when_it_is_done(tmp_path: Path) -> None:
    go = tmp_path / "go"
    os.mkfifo(go)

    def work() -> None:
        go.read_text()
        (tmp_path / "made").write_text(str(os.nice(0)))

    beside = fork.Fork(work, nice=3)
    assert not beside.done
    go.write_text("go")
    beside.finish()
    assert int((tmp_path / "made").read_text()) == min(19, os.nice(0) + 3)


def test_work_that_is_not_waited_for_can_be_ended(tmp_path: Path) -> None:
    before = os.listdir("/proc/self/fd")
    endless = fork.Fork(threading.Event().wait)
    endless.close()
    assert os.listdir("/proc/self/fd") == before
