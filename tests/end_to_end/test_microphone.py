"""A microphone that is pulled out and put in again, and one that hears the assistant itself.

Who talks over a reply is heard without its echo here, as with headphones: the virtual card's two
clocks drift apart. Over an echo, to the sample: `tests/audio/test_listener.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.scenario import (
    HOME,
    Daemon,
    Do,
    Expect,
    Never,
    Say,
    SayMeanwhile,
    Step,
    running,
    served,
    tell,
)
from tests.support.virtual_sound import VirtualSound, virtual_sound

pytestmark = pytest.mark.e2e

PARROT = Path(__file__).parent.parent / "skills" / "parrot"
SETTINGS = f'[home]\nfile = "{HOME}"\n[skills]\nfolders = ["{PARROT}"]\n'
MICROPHONE = {"device": "microphone"}
ENDED: list[Step] = [
    Expect("BargeIn"),  # on a busy machine the player of what is said starts after seconds
    Expect("PlaybackEnded", {"interrupted": True}, within_s=1.0),
]


@pytest.fixture(scope="module")
def sound() -> Iterator[VirtualSound]:
    with virtual_sound() as card:
        yield card


@pytest.fixture(scope="module")
def daemon(sound: VirtualSound, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    folder = tmp_path_factory.mktemp("microphone")
    with running(folder, SETTINGS, sound, sound.environment) as started:
        yield started


def test_a_microphone_that_comes_back_is_heard_within_two_seconds(
    daemon: Daemon, sound: VirtualSound
) -> None:
    tell(
        daemon,
        [
            Do("pull it out", lambda _: sound.unplug_microphone()),
            Expect("DeviceChanged", {**MICROPHONE, "present": False}),
            _said_aloud(),
            Do("put it in", lambda _: sound.plug_microphone()),
            Expect("Level", within_s=2.0),
            Expect("DeviceChanged", {**MICROPHONE, "present": True}, within_s=2.0),
            _said_aloud(),
            *served(),
        ],
    )


def test_the_assistant_neither_wakes_nor_stops_itself(daemon: Daemon, sound: VirtualSound) -> None:
    with sound.echoing():
        tell(
            daemon,
            [
                *_it_talks("talk like a parrot", "Parrot"),
                Never(
                    ("BargeIn", "Woke"),
                    until=Expect("PlaybackEnded", {"interrupted": False}, within_s=30),
                ),
            ],
        )


def test_stop_ends_a_reply(daemon: Daemon) -> None:
    tell(daemon, [*_it_talks("what can you do", "Help"), SayMeanwhile("stop", "rms"), *ENDED])


def test_the_wake_word_ends_a_reply_and_is_listened_to(daemon: Daemon) -> None:
    tell(
        daemon,
        [
            *_it_talks("what can you do", "Help"),
            SayMeanwhile("computer, turn off the kitchen light", "rms"),
            *ENDED,
            Expect("Transcript", {"text": "turn off the kitchen light"}),
            Expect("PlaybackEnded", {"interrupted": False}),
        ],
    )


def _it_talks(command: str, intent: str) -> list[Step]:
    return [
        Say(f"computer, {command}"),
        Expect("Woke"),
        Expect("Reply", {"intent": intent}),
        Expect("PlaybackStarted"),
    ]


def _said_aloud() -> Step:
    return Expect("PlaybackEnded", {"utterance_id": "notice"})
