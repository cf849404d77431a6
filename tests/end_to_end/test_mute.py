"""A daemon that is muted: its microphone is closed, only the command opens it, and it is well."""

from __future__ import annotations

import os
import signal
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.scenario import (
    HOME,
    Daemon,
    Do,
    Expect,
    Kill,
    Never,
    Say,
    Type,
    running,
    served,
    tell,
)
from tests.support.virtual_sound import VirtualSound, virtual_sound

pytestmark = pytest.mark.e2e

SETTINGS = f'[home]\nfile = "{HOME}"\n'
HEARING = ("Woke", "Level", "Transcript")
"""Types of messages that come of an open microphone."""
UNMUTED = {"muted": False}
AMISS = ("DeviceChanged", "StageRestarted", "StageFailed")


def started(folder: Path, sound: VirtualSound) -> AbstractContextManager[Daemon]:
    return running(folder, SETTINGS, sound, sound.environment)


@dataclass(frozen=True)
class Closed:
    """Nothing records from the microphone, and the process that would says why."""

    sound: VirtualSound
    closed: bool = True

    def run(self, daemon: Daemon) -> None:
        assert (self.sound.recorders() == []) is self.closed
        details = {p["name"]: p["detail"] for p in daemon.request("status")["processes"]}
        assert (details["audio"] == "muted") is self.closed


@dataclass(frozen=True)
class Unmute:
    """The command is given; what came before it still counts."""

    def run(self, daemon: Daemon) -> None:
        told = daemon.ask("unmute", "--json")
        assert told == {"type": "Mute", "muted": False, "changed": True}


def test_by_voice_it_is_deaf_and_well_beyond_every_restart_until_the_command(
    tmp_path: Path,
) -> None:
    with virtual_sound() as sound:
        with started(tmp_path, sound) as daemon:
            tell(
                daemon,
                [
                    Closed(sound, closed=False),
                    Say("computer, mute yourself"),
                    Expect("Reply", {"text": "I no longer listen", "acted": True}),
                    Expect("MuteChanged", {"muted": True}),
                    Closed(sound),
                    Kill("audio"),
                    Expect("StageRestarted", {"stage": "audio"}),
                    Expect("PlaybackEnded", {"utterance_id": "notice"}),
                    Closed(sound),
                    Do("kill the rest", lambda d: os.kill(d.process.pid, signal.SIGKILL)),
                ],
            )
            daemon.process.wait()
            daemon.control.unlink(missing_ok=True)  # the next one is there when its own is
        with started(tmp_path, sound) as daemon:
            assert "muted: no microphone opens" in daemon.log.read_text()
            heard_nothing = Never((*HEARING, *AMISS), until=Expect("MuteChanged", UNMUTED))
            tell(
                daemon,
                [
                    Type("set a timer for one second"),
                    Expect("PlaybackEnded", {"utterance_id": "timer-"}),
                    Closed(sound),
                    Say("computer, turn on the kitchen light"),
                    Unmute(),
                    heard_nothing,
                    Expect("Level"),
                    Closed(sound, closed=False),
                    *served("off"),
                ],
            )
