"""A daemon is spoken to about itself: its voice, what it remembers, and a backup."""

from __future__ import annotations

from pathlib import Path

import pytest

from assistant.backup.archive import read_manifest
from tests.support.scenario import Expect, Kill, Rows, Say, Spoken, quiet, tell

pytestmark = pytest.mark.e2e

AS_SERVICE = ("sh", "-c", 'SYSTEMD_EXEC_PID=$$ exec "$@"', "sh")
"""Runs a command as systemd would: its first process is told its own id."""
ENDS_WITHIN_S = 30.0


def test_it_is_loud_as_asked_and_remembers_and_backs_up(tmp_path: Path) -> None:
    with quiet(tmp_path) as daemon:
        volume = daemon.state_dir / "volume"
        assert volume.read_text() == "50\n"
        louder = Expect("Reply", {"text": "at 70 percent now", "acted": True})
        tell(daemon, [Say("computer, speak louder"), louder, Spoken()])
        assert volume.read_text() == "70\n"
        tell(
            daemon,
            [
                Say("computer, what did you understand"),
                Expect("Reply", {"text": "speak louder. I understood that you want to speak"}),
                Spoken(),
                Say("computer, make a backup"),
                Expect("Reply", {"text": "I made a backup."}),
                Spoken(),
                Say("computer, restart yourself"),
                Expect("Reply", {"text": "I don't run as a service"}),
                Spoken(),
                Kill("skills"),
                Say("computer, how loud are you"),
                Expect("Reply", {"text": "I speak at 70 percent"}),
                Rows("SELECT percent FROM own_volume", [(70,)]),
            ],
        )
        (backup,) = (daemon.state_dir / "backups").iterdir()
        assert "state/state.db" in {file.name for file in read_manifest(backup).files}


def test_a_service_ends_after_a_yes_so_that_it_is_started_again(tmp_path: Path) -> None:
    with quiet(tmp_path, within=AS_SERVICE) as daemon:
        tell(
            daemon,
            [
                Say("computer, restart yourself"),
                Expect("Reply", {"text": "Shall I restart?", "listen": True}),
                Spoken(),
                Say("yes"),
                Expect("Reply", {"text": "I restart now"}),
                Spoken(),
            ],
        )
        assert daemon.process.wait(ENDS_WITHIN_S) == 0
