"""A daemon that is muted: its microphone is closed, only the command opens it, and it is well."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path

import pytest
import zmq

from assistant.core.codec import encode
from assistant.core.messages import MuteChanged
from benchmarks.hostile.mutation import samples
from tests.support.scenario import (
    HOME,
    Daemon,
    Do,
    Expect,
    Kill,
    Never,
    Say,
    Spoken,
    Step,
    running,
    served,
    tell,
)
from tests.support.virtual_sound import VirtualSound, virtual_sound

pytestmark = pytest.mark.e2e

SETTINGS = f'[home]\nfile = "{HOME}"\n'
HEARING = ("Woke", "Level", "Transcript")
"""Types of messages that come of an open microphone."""
AMISS = ("DeviceChanged", "StageRestarted", "StageFailed")


@pytest.fixture(scope="module")
def sound() -> Iterator[VirtualSound]:
    with virtual_sound() as card:
        yield card


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


def forge(daemon: Daemon) -> None:
    """Send the audio process every message, as a skills process that has gone wrong could."""
    with zmq.Context() as context, context.socket(zmq.PUSH) as outlet:
        outlet.connect(f"ipc://{daemon.control.parent / 'audio.work'}")
        for message in (MuteChanged(muted=False), *samples()):
            outlet.send_multipart(encode(message))


def unmuted_unheard() -> list[Step]:
    """What was said meanwhile was not heard; from now on everything is."""
    heard_nothing = Never((*HEARING, *AMISS), until=Expect("MuteChanged", {"muted": False}))
    return [Unmute(), heard_nothing, Expect("Level"), *served("off")]


def test_by_command_it_is_deaf_and_well_and_timers_ring(
    sound: VirtualSound, tmp_path: Path
) -> None:
    with started(tmp_path, sound) as daemon:
        tell(
            daemon,
            [
                Closed(sound, closed=False),
                Say("computer, set a timer for twelve seconds"),
                Expect("Reply", {"acted": True}),
                Spoken(),
                Say("computer, set a timer"),
                Expect("Reply", {"listen": True}),
                Spoken(),
                Do("mute", lambda one: one.ask("mute", "--json")),
                Expect("MuteChanged", {"muted": True}),
                Expect("NothingHeard"),
                Expect("Reply", {"text": "never mind"}),
                Closed(sound),
                Say("computer, turn on the kitchen light"),
                Never((*HEARING, *AMISS), until=Expect("Reply", {"text": "timer"})),
                Spoken(),
                Do("forge every message of the bus", forge),
                Expect("PlaybackEnded", {"utterance_id": "attack-Speech"}),
                Closed(sound),
                Say("computer, turn on the kitchen light"),
                *unmuted_unheard(),
                Closed(sound, closed=False),
            ],
        )


def test_by_voice_it_lasts_beyond_every_restart(sound: VirtualSound, tmp_path: Path) -> None:
    with started(tmp_path, sound) as daemon:
        tell(
            daemon,
            [
                Say("computer, mute yourself"),
                Expect("Reply", {"text": "I no longer listen", "acted": True}),
                Expect("MuteChanged", {"muted": True}),
                Spoken(),
                Closed(sound),
                Kill("audio"),
                Expect("StageRestarted", {"stage": "audio"}),
                Expect("PlaybackEnded", {"utterance_id": "notice"}),
                Closed(sound),
            ],
        )
        os.kill(daemon.process.pid, signal.SIGKILL)
        daemon.process.wait()
        daemon.control.unlink(missing_ok=True)  # the next one is there when its own is
    with started(tmp_path, sound) as daemon:
        assert "muted: no microphone opens" in daemon.log.read_text()
        tell(
            daemon,
            [Closed(sound), Say("computer, turn on the kitchen light"), *unmuted_unheard()],
        )
