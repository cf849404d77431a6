"""Someone speaks to the daemon, which acts and answers: real processes without a sound card.

Who talks over a reply is heard without its echo here, as with headphones; over an echo, to the
sample: `tests/audio/test_listener.py`.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import soundfile

from assistant.control.traces.ring import lines_of
from assistant.core.layout import MEMBERS, TRACES_FOLDER
from assistant.core.messages import SpokenReply
from audio.tts.flite import Flite
from tests.support.otlp import parsed, spans_in, uncovered_s
from tests.support.processes import until
from tests.support.recognised import DECOYS, recognised, words
from tests.support.scenario import (
    CUT_OFF,
    Daemon,
    Do,
    Expect,
    Kill,
    Never,
    Rows,
    Say,
    SayMeanwhile,
    Step,
    Type,
    quiet,
    served,
    tell,
)

pytestmark = pytest.mark.e2e

LIGHTS = "SELECT state FROM devices WHERE entity_id LIKE 'light.%' ORDER BY entity_id"
TALK = (
    "Whoever listens to me for long enough will hear of many things that nobody has asked for. "
    "I can go on like this for a long while, and nobody will be any the wiser for it."
)
ENDED: list[Step] = [Expect("BargeIn"), Expect("PlaybackEnded", {"interrupted": True})]
REACH = "import socket, sys; socket.create_connection(('127.0.0.1', int(sys.argv[1])), 2)"


@pytest.fixture(scope="module")
def daemon(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Daemon]:
    with quiet(tmp_path_factory.mktemp("commands"), "[traces]\nkeep = true\n") as started:
        yield started


def test_a_spoken_command_is_done_and_answered_aloud_and_accounted_for(daemon: Daemon) -> None:
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
    aloud = daemon.state_dir.parent / "replies" / f"{reply['utterance_id']}.wav"
    assert recognised(aloud, [reply["text"], *DECOYS]) == words(reply["text"])
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
    # Typed: recognition believes what it was not asked for only where it is in time.
    daemon.forget()
    replies = len(daemon.all("Reply"))
    tell(
        daemon,
        [
            Type("turn on the kitchen light"),
            Expect("Reply", {"intent": "HassTurnOn", "text": "kitchen light"}),
            Expect("PlaybackEnded"),
            Type("and the bedroom light", unasked=True),
            Expect("Reply", {"intent": "HassTurnOn", "text": "bedroom light"}),
            Rows(LIGHTS, [("on",), ("on",)]),
            Expect("PlaybackEnded"),
            Type("the old man went to the river", unasked=True),
            Type("is the bedroom light on"),
            Expect("Reply", {"text": "yes"}),
            Expect("PlaybackEnded"),
        ],
    )
    assert len(daemon.all("Reply")) == replies + 3


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


@pytest.mark.skipif(not CUT_OFF, reason="this user may not make network namespaces; run as root")
def test_no_process_has_a_network(daemon: Daemon) -> None:
    ours = os.readlink("/proc/self/ns/net")
    theirs = {os.readlink(f"/proc/{daemon.pid(name)}/ns/net") for name in MEMBERS}
    assert len(theirs) == 1
    assert ours not in theirs
    # The control: with such a network not even this process can be reached.
    with socket.create_server(("127.0.0.1", 0)) as server:
        reach = (sys.executable, "-c", REACH, str(server.getsockname()[1]))
        assert subprocess.run(reach).returncode == 0
        cut_off = subprocess.run((*CUT_OFF, *reach), capture_output=True, text=True)
        assert "Network is unreachable" in cut_off.stderr


def test_what_fails_for_ever_stays_down_and_the_rest_goes_on(daemon: Daemon) -> None:
    tell(
        daemon,
        [
            *_fails("answer"),
            *_fails("answer"),
            Kill("answer"),
            Expect("SafeModeEntered", {"stage": "answer"}),
            Type("set a timer for one second"),
            Expect("Reply", {"acted": True}),
            Expect("PlaybackEnded", {"utterance_id": "timer-"}),
            Rows("SELECT * FROM timers", [], within_s=60.0),
        ],
    )


def test_all_in_one_process(tmp_path: Path) -> None:
    with quiet(tmp_path, arguments=("--single",)) as daemon:
        assert {daemon.pid(name) for name in MEMBERS} == {daemon.process.pid}
        tell(daemon, served())


def _it_talks() -> list[Step]:
    name = uuid.uuid4().hex[:12]  # a reply is played once

    def say(daemon: Daemon) -> None:
        daemon.bus.send(SpokenReply(utterance_id=name, text=TALK))

    return [Do("let it talk", say), Expect("PlaybackStarted", {"utterance_id": name})]


def _fails(stage: str) -> list[Step]:
    return [Kill(stage), Expect("StageRestarted", {"stage": stage})]
