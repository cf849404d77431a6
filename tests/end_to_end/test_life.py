"""The daemon's own life: no network, reload, safe mode, one process; each ends within 2 s."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from assistant.core.layout import MEMBERS
from tests.support.scenario import (
    CUT_OFF,
    Daemon,
    Expect,
    Kill,
    Rest,
    Rows,
    Say,
    Step,
    command_line,
    quiet,
    served,
    tell,
)

pytestmark = pytest.mark.e2e

PARROT = Path(__file__).parent.parent / "skills" / "parrot"
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


@pytest.mark.skipif(not CUT_OFF, reason="this user may not make network namespaces; run as root")
def test_who_has_no_network_reaches_nobody() -> None:
    # The control of the check above: such a process cannot even reach this one.
    with socket.create_server(("127.0.0.1", 0)) as server:
        reach = (sys.executable, "-c", REACH, str(server.getsockname()[1]))
        assert subprocess.run(reach).returncode == 0
        cut_off = subprocess.run((*CUT_OFF, *reach), capture_output=True, text=True)
        assert "Network is unreachable" in cut_off.stderr


def test_a_skill_that_is_added_is_there_after_a_reload(daemon: Daemon) -> None:
    before = {name: daemon.pid(name) for name in MEMBERS}
    with daemon.config.open("a") as config:
        config.write(f'[skills]\nfolders = ["{PARROT}"]\n')
    reload = command_line("reload", "--config", str(daemon.config))
    answer = subprocess.run(reload, capture_output=True, text=True, check=True)
    assert sorted(answer.stdout.splitlines()) == [
        f"{name}: reloaded" for name in sorted(set(MEMBERS) - {"control"})
    ]
    tell(
        daemon,
        [
            Say("computer, talk like a parrot", "rms"),
            Expect("Transcript", {"text": "talk like a parrot"}),
            Expect("Reply", {"intent": "Parrot"}),
            Expect("PlaybackStarted"),
        ],
    )
    assert {name: daemon.pid(name) for name in MEMBERS} == before


def test_documents_are_added_while_it_runs(daemon: Daemon, tmp_path: Path) -> None:
    folder = tmp_path / "docs"
    folder.mkdir()
    (folder / "tea.md").write_text("# Tea\n\nGreen tea steeps for two minutes.\n", "utf-8")
    (folder / "torn.pdf").write_text("this is no PDF", "utf-8")
    added = _documents(daemon, "add", str(folder))
    assert added.splitlines()[-1] == "2 documents with 1 passages are here"
    assert "torn.pdf" in added
    daemon.wait_for(lambda event: event["type"] == "DocumentsDone", within_s=10.0)
    rows = [json.loads(line) for line in _documents(daemon, "list", "--json").splitlines()]
    assert [(row["title"], row["passages"]) for row in rows] == [("Tea", 1), ("torn", 0)]
    assert _documents(daemon, "summarise", "tea") == "Green tea steeps for two minutes.\n"
    assert _documents(daemon, "remove", str(folder)).startswith("2 documents")


def _documents(daemon: Daemon, *arguments: str) -> str:
    command = command_line("documents", *arguments, "--config", str(daemon.config))
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def test_what_fails_for_ever_stays_down_and_the_rest_goes_on(daemon: Daemon) -> None:
    tell(
        daemon,
        [
            Say("computer, stop"),  # the parrot, if it still talks
            Expect("PlaybackEnded"),
            *_fails("answer"),
            *_fails("answer"),
            Kill("answer"),
            Expect("SafeModeEntered", {"stage": "answer"}),
            Expect("PlaybackEnded", {"utterance_id": "notice"}),
            Rest(),  # the notices of the restarts may still be on their way
            Say("computer, set a timer for one second"),
            Expect("Reply", {"acted": True}),
            Expect("PlaybackEnded", {"utterance_id": "timer-"}),
            Rows("SELECT * FROM timers", [], within_s=2.0),
        ],
    )


def test_all_in_one_process(tmp_path: Path) -> None:
    with quiet(tmp_path, arguments=("--single",)) as daemon:
        assert {daemon.pid(name) for name in MEMBERS} == {daemon.process.pid}
        tell(daemon, served())

        def of_all(event: dict[str, Any]) -> bool:
            return {"wake-porcupine", "pocketsphinx"} <= {
                model["model"] for model in event.get("models", ())
            }

        daemon.wait_for(of_all, within_s=30.0)


def _fails(stage: str) -> list[Step]:
    return [Kill(stage), Expect("StageRestarted", {"stage": stage})]
