"""What a skill announces is spoken once, whatever dies meanwhile."""

from __future__ import annotations

import os
import signal
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from assistant.core.clock import boottime_s
from skills.announcements.floor import Floor
from skills.announcements.loudspeakers import Loudspeakers
from skills.announcements.quiet import Quiet
from skills.announcements.waiting import SkillAnnouncements, Waiting
from skills.later.timing import Timing
from skills.scheduler import this_boot
from skills.state import open_state
from tests.support.scenario import Do, Expect, Kill, Rest, Rows, quiet, served, tell

pytestmark = pytest.mark.e2e

TOLD = {"utterance_id": "announcement-"}
HEARD = Expect("PlaybackEnded", {**TOLD, "interrupted": False, "heard": True}, within_s=60)
AFTER_THE_START = timedelta(seconds=40)
ROWS = "SELECT * FROM announcements"


def announced(folder: Path) -> None:
    """A skill has announced something, and the assistant was stopped before it was due."""
    (folder / "state").mkdir()
    with closing(open_state(folder / "state" / "state.db")) as state:
        timing = Timing(lambda: datetime.now(UTC), this_boot())
        waiting = Waiting(state, timing, Quiet(state, timing), Floor(), Loudspeakers())
        timing.countdown.at_s = boottime_s()
        tides = SkillAnnouncements(waiting, timing, "tides")
        tides.announce("The tide is high in the harbour.", after=AFTER_THE_START)


def test_it_is_spoken_once_though_the_skills_are_killed_while_it_is(tmp_path: Path) -> None:
    announced(tmp_path)
    with quiet(tmp_path) as daemon:
        tell(
            daemon,
            [
                Expect("PlaybackStarted", TOLD, within_s=60),
                Kill("skills"),
                Expect("StageRestarted", {"stage": "skills"}),
                HEARD,
                Rest(),
                Rows(ROWS, [], within_s=30),
                *served("on"),
            ],
        )
        assert len(daemon.all("PlaybackStarted", **TOLD)) == 1


def test_it_is_not_spoken_again_when_all_are_killed_after_it_was_heard(tmp_path: Path) -> None:
    announced(tmp_path)
    with quiet(tmp_path) as daemon:
        tell(
            daemon,
            [
                Expect("PlaybackStarted", TOLD, within_s=60),
                Kill("skills", signal.SIGSTOP),  # they never learn that it was heard
                HEARD,
                Do("kill -9 the supervisor", lambda d: os.kill(d.process.pid, signal.SIGKILL)),
            ],
        )
        daemon.process.wait()
    with quiet(tmp_path) as daemon:
        tell(daemon, [Rows(ROWS, [], within_s=30), *served(), Rest()])
        assert not daemon.all("PlaybackStarted", **TOLD)
