"""A timer rings once, whatever dies or hangs, and also if it fell due while nothing ran."""

from __future__ import annotations

import os
import signal
import sqlite3
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest

from assistant.english.spoken import spoken
from tests.support.recognised import DECOYS, recognised, words
from tests.support.scenario import (
    Daemon,
    Do,
    Expect,
    Kill,
    Rest,
    Rows,
    Say,
    Spoken,
    Step,
    quiet,
    served,
    tell,
)

pytestmark = pytest.mark.e2e

TIMERS = "SELECT name, duration_s FROM timers"
RING = {"utterance_id": "timer-"}
RUNG = Expect("PlaybackEnded", {**RING, "interrupted": False, "heard": True}, within_s=30)


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    with quiet(tmp_path_factory.mktemp("ringing")) as started:
        yield started


def test_it_rings_once_when_the_skills_hang_at_that_moment(daemon: Daemon) -> None:
    tell(
        daemon,
        [
            *_timer("five seconds"),
            Kill("skills", signal.SIGSTOP),
            Expect("StageRestarted", {"stage": "skills"}),
            RUNG,
            Rest(),
            *served("on"),
            Rows(TIMERS, []),
        ],
    )
    assert len(daemon.all("PlaybackStarted", **RING)) == 1


def test_it_rings_once_when_the_skills_are_killed_while_it_rings(tmp_path: Path) -> None:
    with quiet(tmp_path) as daemon:
        tell(
            daemon,
            [
                *_timer("five seconds"),
                Expect("PlaybackStarted", RING),
                Kill("skills"),
                Expect("StageRestarted", {"stage": "skills"}),
                RUNG,
                Rest(),
                Rows(TIMERS, []),
            ],
        )
        assert len(daemon.all("PlaybackStarted", **RING)) == 1


def test_it_does_not_ring_again_when_all_are_killed_after_it_was_heard(tmp_path: Path) -> None:
    with quiet(tmp_path) as daemon:
        tell(
            daemon,
            [
                *_timer("two seconds"),
                Expect("PlaybackStarted", RING),
                Kill("skills", signal.SIGSTOP),  # they never learn that it was heard
                RUNG,
                Do("kill -9 the supervisor", lambda d: os.kill(d.process.pid, signal.SIGKILL)),
            ],
        )
        daemon.process.wait()
    with quiet(tmp_path) as daemon:
        tell(daemon, [Rows(TIMERS, [], within_s=30), *served(), Rest()])
        assert not daemon.all("PlaybackStarted", **RING)


def test_it_rings_again_when_it_was_not_heard_to_its_end(daemon: Daemon) -> None:
    rung = len(daemon.all("PlaybackEnded", **RING))
    tell(
        daemon,
        [
            *_timer("one second"),
            Expect("PlaybackStarted", RING),
            Kill("audio"),
            Expect("StageRestarted", {"stage": "audio"}),
            Expect("PlaybackStarted", RING, within_s=30),
            RUNG,
            Rest(),
            *served("off"),
            Rows(TIMERS, []),
        ],
    )
    assert len(daemon.all("PlaybackEnded", **RING)) == rung + 1


def test_it_rings_late_when_it_fell_due_while_nothing_ran(tmp_path: Path) -> None:
    with quiet(tmp_path) as daemon:
        tell(
            daemon,
            [
                *_timer("five minutes"),
                Say("computer, set a pasta timer for nine minutes"),
                Expect("Reply", {"acted": True}),
                Do("kill -9 the supervisor", lambda d: os.kill(d.process.pid, signal.SIGKILL)),
            ],
        )
        daemon.process.wait()
    due = _pass_time(tmp_path / "state" / "state.db", 480)
    clock = spoken(due.timetz(), datetime.now().astimezone())
    late = f"Your timer for 5 minutes was due at {clock}, 3 minutes ago."
    with quiet(tmp_path) as daemon:
        tell(
            daemon,
            [
                RUNG,
                Do("read what was said", lambda daemon: _heard(daemon, late)),
                *served(),
                Rows(TIMERS, [("pasta", 540.0)]),
            ],
        )


def _timer(duration: str) -> list[Step]:
    return [
        Say(f"computer, set a timer for {duration}"),
        Expect("Reply", {"intent": "HassStartTimer", "acted": True}),
        Spoken(),
    ]


def _pass_time(state: Path, seconds: float) -> datetime:
    """The timers come `seconds` nearer; when the first was due."""
    with sqlite3.connect(state) as database:
        database.execute(
            "UPDATE timers SET due_boot_s = due_boot_s - ?, due_unix_s = due_unix_s - ?",
            (seconds, seconds),
        )
        (due_unix_s,) = database.execute("SELECT min(due_unix_s) FROM timers").fetchone()
    database.close()
    return datetime.fromtimestamp(due_unix_s).astimezone()


def _heard(daemon: Daemon, text: str) -> None:
    ring = next(f for f in (daemon.state_dir.parent / "replies").iterdir() if "timer" in f.name)
    replies = [text, "Your timer for 5 minutes is done.", *DECOYS]
    assert recognised(ring, replies) == words(text)
