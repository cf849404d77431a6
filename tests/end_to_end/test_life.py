"""The daemon's own life: no network, safe mode, one process."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from assistant.core.layout import MEMBERS
from tests.support.scenario import (
    CUT_OFF,
    Daemon,
    Expect,
    Kill,
    Rows,
    Step,
    Type,
    quiet,
    served,
    tell,
)

pytestmark = pytest.mark.e2e

REACH = "import socket, sys; socket.create_connection(('127.0.0.1', int(sys.argv[1])), 2)"


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    with quiet(tmp_path_factory.mktemp("life")) as started:
        yield started


@pytest.mark.skipif(not CUT_OFF, reason="this user may not make network namespaces; run as root")
def test_no_process_has_a_network(daemon: Daemon) -> None:
    ours = os.readlink("/proc/self/ns/net")
    theirs = {os.readlink(f"/proc/{daemon.pid(name)}/ns/net") for name in MEMBERS}
    assert len(theirs) == 1
    assert ours not in theirs
    # The control: with such a network not even this process can be reached.
    with socket.create_server(("127.0.0.1", 0)) as server:
        reach = (sys.executable, "-c", REACH, str(server.getsockname()[1]))
        assert subprocess.run(reach).returncode == 0
        cut_off = subprocess.run((*CUT_OFF, *reach), capture_output=True, text=True)
        assert "Network is unreachable" in cut_off.stderr


def test_what_fails_for_ever_stays_down_and_the_rest_goes_on(daemon: Daemon) -> None:
    tell(
        daemon,
        [
            *_fails("answer"),
            *_fails("answer"),
            Kill("answer"),
            Expect("SafeModeEntered", {"stage": "answer"}),
            Type("set a timer for one second"),
            Expect("Reply", {"acted": True}),
            Expect("PlaybackEnded", {"utterance_id": "timer-"}),
            Rows("SELECT * FROM timers", [], within_s=60.0),
        ],
    )


def test_all_in_one_process(tmp_path: Path) -> None:
    with quiet(tmp_path, arguments=("--single",)) as daemon:
        assert {daemon.pid(name) for name in MEMBERS} == {daemon.process.pid}
        tell(daemon, served())


def _fails(stage: str) -> list[Step]:
    return [Kill(stage), Expect("StageRestarted", {"stage": stage})]
