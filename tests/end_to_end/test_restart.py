"""A backup comes back, and what fell due while nothing ran is told and done, once."""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from assistant.english.spoken import spoken
from tests.support.recognised import DECOYS, recognised, words
from tests.support.scenario import (
    Daemon,
    Expect,
    Kill,
    Rows,
    Type,
    command_line,
    quiet,
    tell,
)

pytestmark = pytest.mark.e2e

KEPT = (
    "SELECT name, duration_s FROM timers",
    "SELECT count(*) FROM plans",
    "SELECT entity_id, state FROM devices ORDER BY entity_id",
    "SELECT utterance_id FROM acted",
)
STATE = "SELECT state FROM devices WHERE entity_id = 'light.kitchen'"
RING, TOLD = {"utterance_id": "timer-"}, {"utterance_id": "plan-"}
HEARD = {"interrupted": False, "heard": True}
PASSED = timedelta(minutes=8)


@dataclass
class Restarted:
    """A daemon that began from a backup, eight minutes and a reboot after it was made."""

    daemon: Daemon
    before: list[list[tuple[Any, ...]]]
    """What the daemon before it had kept."""
    restored: list[list[tuple[Any, ...]]]
    due: datetime
    """When the timer was due."""


@pytest.fixture(scope="module")
def restarted(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Restarted]:
    folder = tmp_path_factory.mktemp("restart")
    archive = folder / "hark.tar.gz"
    with quiet(folder) as daemon:
        for said, reply in (
            ("set a timer for five minutes", "five minutes"),
            ("set a pasta timer for ninety minutes", "pasta timer"),
            ("turn on the kitchen light in six minutes", "in six minutes"),
        ):
            tell(daemon, [Type(said), Expect("Reply", {"text": reply, "acted": True})])
        before = [daemon.rows(query) for query in KEPT]
        assert daemon.ask("backup", str(archive), "--json")["files"] >= 4
        assert "stop it" in _restore(daemon, archive, status=2)
        os.kill(daemon.process.pid, signal.SIGKILL)
        daemon.process.wait()
        daemon.control.unlink(missing_ok=True)  # the next one is there when its own is
    shutil.rmtree(daemon.state_dir)
    assert str(daemon.state_dir) in _restore(daemon, archive)
    with closing(sqlite3.connect(daemon.state_dir / "state.db")) as state, state:
        restored = [state.execute(query).fetchall() for query in KEPT]
        due = _pass_time(state)
    with quiet(folder) as again:
        yield Restarted(again, before, restored, due)


def _restore(daemon: Daemon, archive: Path, status: int = 0) -> str:
    command = command_line("restore", str(archive), "--yes", "--config", str(daemon.config))
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == status, done.stderr
    return done.stdout + done.stderr


def _pass_time(state: sqlite3.Connection) -> datetime:
    """All that is due comes nearer and is of another boot; when the first timer was due."""
    seconds = PASSED.total_seconds()
    state.execute("UPDATE timers SET boot_id = 'before', due_unix_s = due_unix_s - ?", (seconds,))
    moved = "json_extract(plan, '$.due.due_unix_s') - ?"
    state.execute(
        f"UPDATE plans SET plan = json_set(plan, '$.due.boot_id', 'before',"
        f" '$.due.due_unix_s', {moved})",
        (seconds,),
    )
    (due_unix_s,) = state.execute("SELECT min(due_unix_s) FROM timers").fetchone()
    return datetime.fromtimestamp(due_unix_s).astimezone()


def test_timers_plans_and_states_come_back(restarted: Restarted) -> None:
    assert all(restarted.before)
    assert restarted.restored == restarted.before


def test_what_was_due_while_nothing_ran_is_told_and_done(restarted: Restarted) -> None:
    daemon = restarted.daemon
    tell(
        daemon,
        [
            Expect("PlaybackEnded", {**RING, **HEARD}),
            Expect("PlaybackEnded", {**TOLD, **HEARD}),
            Rows(STATE, [("on",)]),
            Rows("SELECT * FROM plans", []),
            Rows("SELECT * FROM plan_reports", [], within_s=60),
            Rows("SELECT name FROM timers", [("pasta",)], within_s=60),
        ],
    )
    clock = spoken(restarted.due.timetz(), datetime.now().astimezone())
    ring = next(f for f in (daemon.state_dir.parent / "replies").iterdir() if "timer" in f.name)
    late = f"Your timer for 5 minutes was due at {clock}, 3 minutes ago."
    replies = [late, "Your timer for 5 minutes is done.", *DECOYS]
    assert recognised(ring, replies) == words(late)


def test_a_timer_rings_once_though_the_skills_are_killed_while_it_does(
    restarted: Restarted,
) -> None:
    daemon = restarted.daemon
    rung = len(daemon.all("PlaybackStarted", **RING))
    tell(
        daemon,
        [
            Type("set a timer for one second"),
            Expect("PlaybackStarted", RING),
            Kill("skills"),
            Expect("StageRestarted", {"stage": "skills"}),
            Expect("PlaybackEnded", {**RING, **HEARD}),
            Rows("SELECT name FROM timers", [("pasta",)], within_s=60),
            # The skills have begun again and know that it was heard.
            Type("cancel the pasta timer"),
            Expect("Reply", {"text": "pasta", "acted": True}),
        ],
    )
    assert len(daemon.all("PlaybackStarted", **RING)) == rung + 1
