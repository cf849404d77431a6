"""A microphone that hears the assistant itself, is muted, and is pulled out and put in again.

On a virtual sound card, which drops sound where the machine is busy.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from assistant.core.messages import SpokenReply
from tests.support.processes import until
from tests.support.scenario import (
    HOME,
    Daemon,
    Do,
    Expect,
    Kill,
    Never,
    Say,
    SayUntil,
    Type,
    running,
    tell,
)
from tests.support.virtual_sound import VirtualSound, virtual_sound

pytestmark = pytest.mark.e2e

TALK = (
    "To begin, say computer, and tell me what to do. To end, say stop, and I am quiet. "
    "I can go on like this for a long while, and nobody will be any the wiser for it."
)
"""What nobody but the user may say to any effect."""
MICROPHONE = {"device": "microphone"}
NOTICE = Expect("PlaybackEnded", {"utterance_id": "notice"})
LIT = Expect("Reply", {"text": "kitchen light", "acted": True})
HEARING = ("Woke", "Level", "Transcript")
"""Types of messages that come of an open microphone."""
AMISS = ("DeviceChanged", "StageRestarted", "StageFailed")


@pytest.fixture(scope="module")
def sound() -> Iterator[VirtualSound]:
    with virtual_sound() as card:
        yield card


@pytest.fixture(scope="module")
def daemon(sound: VirtualSound, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    folder = tmp_path_factory.mktemp("microphone")
    with running(folder, f'[home]\nfile = "{HOME}"\n', sound, sound.environment) as started:
        yield started


def test_the_assistant_neither_wakes_nor_stops_itself(daemon: Daemon, sound: VirtualSound) -> None:
    name = uuid.uuid4().hex[:12]
    ended = Expect("PlaybackEnded", {"utterance_id": name})
    with sound.echoing():
        daemon.forget()
        daemon.bus.send(SpokenReply(utterance_id=name, text=TALK))
        tell(daemon, [Never(("BargeIn", "Woke"), until=ended)])
    assert not daemon.last("PlaybackEnded")["interrupted"]


@dataclass(frozen=True)
class Closed:
    """Nothing records from the microphone, and the process that would says why, in its next beat.

    Where it is not `closed`, the contrary holds.
    """

    sound: VirtualSound
    closed: bool = True

    def run(self, daemon: Daemon) -> None:
        assert (self.sound.recorders() == []) is self.closed
        until(lambda: (self._told_by(daemon) == "muted") is self.closed)

    def _told_by(self, daemon: Daemon) -> str:
        processes = daemon.request("status")["processes"]
        return next(str(p["detail"]) for p in processes if p["name"] == "audio")


@dataclass(frozen=True)
class Unmute:
    """The command is given; what came before it still counts."""

    def run(self, daemon: Daemon) -> None:
        told = daemon.ask("unmute", "--json")
        assert told == {"type": "Mute", "muted": False, "changed": True}


def test_muted_it_is_deaf_and_well_beyond_a_restart_until_the_command(
    daemon: Daemon, sound: VirtualSound
) -> None:
    tell(
        daemon,
        [
            Closed(sound, closed=False),
            Type("mute yourself"),
            Expect("Reply", {"text": "I no longer listen", "acted": True}),
            Expect("MuteChanged", {"muted": True}),
            Closed(sound),
            Kill("audio"),
            Expect("StageRestarted", {"stage": "audio"}),
            NOTICE,
            Closed(sound),
            Type("set a timer for one second"),
            Expect("PlaybackEnded", {"utterance_id": "timer-"}),
            Say("computer, turn on the kitchen light"),
            Unmute(),
            Never((*HEARING, *AMISS), until=Expect("MuteChanged", {"muted": False})),
            Expect("Level"),
            Closed(sound, closed=False),
            SayUntil("computer, turn off the kitchen light", LIT),
        ],
    )


def test_a_microphone_that_comes_back_is_heard(daemon: Daemon, sound: VirtualSound) -> None:
    tell(
        daemon,
        [
            Do("pull it out", lambda _: sound.unplug_microphone()),
            Expect("DeviceChanged", {**MICROPHONE, "present": False}),
            NOTICE,
            Do("put it in", lambda _: sound.plug_microphone()),
            Expect("Level"),
            Expect("DeviceChanged", {**MICROPHONE, "present": True}),
            NOTICE,
            SayUntil("computer, turn on the kitchen light", LIT),
        ],
    )
