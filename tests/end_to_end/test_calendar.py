"""The real daemon's calendar: changed by voice, read by the answers, and told of."""

from __future__ import annotations

import sqlite3
import threading
import time
from contextlib import closing
from pathlib import Path

import pytest

from assistant.core.layout import KNOWLEDGE_FILE
from tests.support.scenario import Daemon, Do, Expect, Kill, Rest, Say, quiet, tell

pytestmark = pytest.mark.e2e


def test_an_event_is_told_of_after_the_skills_were_killed(tmp_path: Path) -> None:
    with quiet(tmp_path) as daemon:
        tell(
            daemon,
            [
                Say("computer, put dinner on the calendar tomorrow at six"),
                Expect("Reply", {"text": "in your calendar tomorrow at 6 pm", "acted": True}),
                Expect("CalendarChanged"),
                Expect("PlaybackEnded", within_s=60),
                Do("wait until the answers have read it", _is_read),
                Say("computer, what is on tomorrow"),
                Expect("Reply", {"text": "Tomorrow: Dinner at 6 pm."}, within_s=60),
                Expect("PlaybackEnded", within_s=60),
                Kill("skills"),
                Expect("StageRestarted", {"stage": "skills"}, within_s=60),
                Expect("PlaybackEnded", {"utterance_id": "notice"}, within_s=60),
                Rest(),  # what is said over the notice may be missed
                Say("computer, undo that"),
                Expect("Reply", {"text": "I took that back."}, within_s=60),
                Expect("CalendarChanged"),
                Do("look into the file", _is_empty),
            ],
        )


def _is_read(daemon: Daemon) -> None:
    """A moment, unless the machine is busy."""
    deadline_s = time.monotonic() + 60
    with closing(sqlite3.connect(daemon.state_dir / KNOWLEDGE_FILE)) as knowledge:
        while not knowledge.execute("SELECT count(*) FROM passages").fetchone()[0]:
            assert time.monotonic() < deadline_s
            threading.Event().wait(0.05)


def _is_empty(daemon: Daemon) -> None:
    assert b"Dinner" not in (daemon.state_dir / "calendar.ics").read_bytes()
