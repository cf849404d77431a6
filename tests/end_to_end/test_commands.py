"""Someone speaks, the assistant acts and answers: real processes on a virtual sound card.

Who talks over a reply is heard without its echo here, as with headphones: the virtual card's two
clocks drift apart. Over an echo, to the sample: `tests/audio/test_listener.py`.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import soundfile

from assistant.control.traces.ring import lines_of
from assistant.core.layout import TRACES_FOLDER
from assistant.core.messages import SpokenReply
from audio.tts.flite import Flite
from tests.support.otlp import parsed, spans_in, uncovered_s
from tests.support.processes import until
from tests.support.recognised import DECOYS, recognised, words
from tests.support.scenario import (
    HOME,
    Daemon,
    Do,
    Expect,
    Never,
    Rows,
    Say,
    SayMeanwhile,
    Step,
    running,
    served,
    tell,
)
from tests.support.virtual_sound import VirtualSound, virtual_sound

pytestmark = pytest.mark.e2e

LIGHTS = "SELECT state FROM devices WHERE entity_id LIKE 'light.%' ORDER BY entity_id"
MICROPHONE = {"device": "microphone"}
NOTICE = Expect("PlaybackEnded", {"utterance_id": "notice"})
TALK = (
    "To begin, say computer, and tell me what to do. To end, say stop, and I am quiet. "
    "I can go on like this for a long while, and nobody will be any the wiser for it."
)
"""What nobody but the user may say to any effect."""
ENDED: list[Step] = [Expect("BargeIn"), Expect("PlaybackEnded", {"interrupted": True})]


@pytest.fixture(scope="module")
def sound() -> Iterator[VirtualSound]:
    with virtual_sound() as card:
        yield card


@pytest.fixture(scope="module")
def daemon(sound: VirtualSound, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    folder = tmp_path_factory.mktemp("e2e")
    settings = f'[home]\nfile = "{HOME}"\n[traces]\nkeep = true\n'
    with running(folder, settings, sound, sound.environment) as started:
        yield started


def test_a_spoken_command_is_done_and_answered_aloud_and_accounted_for(
    daemon: Daemon, sound: VirtualSound, tmp_path: Path
) -> None:
    with sound.recording(tmp_path / "reply.wav"):
        tell(
            daemon,
            [
                Say("computer, turn on the kitchen light", "rms"),
                Expect("Woke", {"wake_word": "computer"}),
                Expect("Transcript"),
                Expect("Reply", {"intent": "HassTurnOn", "text": "kitchen light"}),
                Rows(LIGHTS, [("off",), ("on",)]),
                Never(("BargeIn",), until=Expect("PlaybackEnded")),
            ],
        )
    reply = daemon.last("Reply")
    assert recognised(tmp_path / "reply.wav", [reply["text"], *DECOYS]) == words(reply["text"])
    (account,) = daemon.request("why")["accounts"]
    assert account["heard"] == daemon.last("Transcript")["text"]
    assert account["replies"] == [reply["text"]]
    assert {row["stage"] for row in account["times"]} >= {"endpointing", "asr", "nlu", "total"}
    traces = daemon.state_dir / TRACES_FOLDER
    until(lambda: traces.is_dir() and any(lines_of(traces)))
    (line, *_) = (line.decode() for line in lines_of(traces))
    assert uncovered_s(spans_in(parsed(line))) < 1e-3
    assert "HassTurnOn" in line
    assert "kitchen" not in line  # what was said


def test_the_recogniser_of_replies_can_tell_them_apart(tmp_path: Path) -> None:
    # The control of the check above: another reply, and silence, are not taken for the first.
    voice, replies = Flite("slt"), ["I turned on the kitchen light.", *DECOYS]
    samples = voice.synthesise(DECOYS[0])
    soundfile.write(tmp_path / "other.wav", samples.pcm, samples.rate_hz)
    soundfile.write(tmp_path / "silence.wav", np.zeros(32_000, np.int16), 16_000)
    assert recognised(tmp_path / "other.wav", replies) == words(DECOYS[0])
    assert recognised(tmp_path / "silence.wav", replies) == ""


def test_what_goes_on_from_a_reply_needs_no_wake_word_and_other_talk_gets_none(
    daemon: Daemon,
) -> None:
    tell(
        daemon,
        [
            Say("computer, turn on the kitchen light", "rms"),
            Expect("Reply", {"intent": "HassTurnOn", "text": "kitchen light"}),
            Expect("PlaybackEnded"),
            Say("and the bedroom light", "rms"),
            Expect("Transcript", {"unasked": True}),
            Expect("Reply", {"intent": "HassTurnOn", "text": "bedroom light"}),
            Rows(LIGHTS, [("on",), ("on",)]),
            Expect("PlaybackEnded"),
            Say("the old man went to the river", "rms"),
            Never(("Reply", "Woke"), until=Expect("Commit")),
            Never(("Reply",), until=Expect("Level")),
        ],
    )


def test_without_the_wake_word_nothing_is_done(daemon: Daemon) -> None:
    daemon.forget()
    woken, replies = len(daemon.all("Woke")), len(daemon.all("Reply"))
    tell(
        daemon,
        [
            Say("turn off the kitchen light", "rms"),
            Say("computer, is the kitchen light on", "rms"),
            Expect("Reply", {"text": "yes"}),
            Rows(LIGHTS, [("on",), ("on",)]),
            Expect("PlaybackEnded"),
        ],
    )
    assert (len(daemon.all("Woke")), len(daemon.all("Reply"))) == (woken + 1, replies + 1)


def test_the_assistant_neither_wakes_nor_stops_itself(daemon: Daemon, sound: VirtualSound) -> None:
    uninterrupted = Expect("PlaybackEnded", {"interrupted": False})
    with sound.echoing():
        tell(daemon, [*_it_talks(), Never(("BargeIn", "Woke"), until=uninterrupted)])


def test_stop_or_the_wake_word_ends_a_reply(daemon: Daemon) -> None:
    tell(
        daemon,
        [
            *_it_talks(),
            SayMeanwhile("stop", "rms"),
            *ENDED,
            *_it_talks(),
            SayMeanwhile("computer, turn off the kitchen light", "rms"),
            *ENDED,
            Expect("Transcript", {"text": "turn off the kitchen light"}),
            Expect("PlaybackEnded", {"interrupted": False}),
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
            *served(),
        ],
    )


def _it_talks() -> list[Step]:
    def say(daemon: Daemon) -> None:
        daemon.bus.send(SpokenReply(utterance_id="talk", text=TALK))

    return [Do("let it talk", say), Expect("PlaybackStarted", {"utterance_id": "talk"})]
