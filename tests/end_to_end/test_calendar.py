"""The real daemon's calendar: changed by voice, and told of by the answers at once."""

from __future__ import annotations

from pathlib import Path

import pytest

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


def _is_empty(daemon: Daemon) -> None:
    assert b"Dinner" not in (daemon.state_dir / "calendar.ics").read_bytes()
