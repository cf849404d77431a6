"""Someone speaks, the assistant acts and answers: real processes on a virtual sound card."""

from __future__ import annotations

import re
import stat
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
import soundfile

from assistant.control.traces.ring import lines_of
from assistant.core.layout import RECORDINGS_FOLDER, TRACES_FOLDER
from assistant.core.traces.ids import trace_id_of
from assistant.recordings.folder import recorded
from assistant.recordings.trace import Trace
from audio.tts.flite import Flite
from tests.support.otlp import parsed, spans_in, uncovered_s
from tests.support.recognised import DECOYS, recognised, words
from tests.support.scenario import HOME, Daemon, Expect, Never, Rows, Say, Step, running, tell
from tests.support.virtual_sound import VirtualSound, virtual_sound

PATIENCE_S = 20.0
pytestmark = pytest.mark.e2e

LIGHTS = "SELECT state FROM devices WHERE entity_id = 'light.kitchen'"
TIMERS = "SELECT name, duration_s FROM timers ORDER BY due_unix_s"

# What is said, in which voice, what it means, what is answered, and what then stands on the disk.
COMMANDS: tuple[tuple[str, str, str | None, str, Step | None], ...] = (
    ("what time is it", "slt", "HassGetCurrentTime", "it's", None),
    ("what is the date", "rms", "HassGetCurrentDate", "", None),
    ("turn on the kitchen light", "rms", "HassTurnOn", "kitchen light", Rows(LIGHTS, [("on",)])),
    ("is the kitchen light on", "slt", "HassGetState", "yes", None),
    ("turn off the kitchen light", "awb", "HassTurnOff", "kitchen light", Rows(LIGHTS, [("off",)])),
    ("set a timer for five minutes", "kal16", "HassStartTimer", "five minutes", None),
    ("set a pasta timer for nine minutes", "slt", "HassStartTimer", "nine minutes",
     Rows(TIMERS, [("", 300.0), ("pasta", 540.0)])),
    ("how long is left on the pasta timer", "rms", "HassTimerStatus", "pasta", None),
    ("cancel the pasta timer", "slt", "HassCancelTimer", "pasta", Rows(TIMERS, [("", 300.0)])),
    ("what can you do", "slt", "Help", "I can", None),
    ("say that again", "rms", "Repeat", "I can", None),
    ("cancel all timers", "awb", "HassCancelAllTimers", "cancel", Rows(TIMERS, [])),
    ("set the bedroom light to forty percent", "slt", "HassLightSet", "bedroom light", None),
)  # fmt: skip


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


@pytest.mark.parametrize(("said", "voice", "intent", "reply", "state"), COMMANDS)
def test_a_spoken_command_is_done_and_answered_aloud(
    daemon: Daemon,
    sound: VirtualSound,
    tmp_path: Path,
    said: str,
    voice: str,
    intent: str,
    reply: str,
    state: Step | None,
) -> None:
    with sound.recording(tmp_path / "reply.wav"):
        tell(
            daemon,
            [
                Say(f"computer, {said}", voice),
                Expect("Woke", {"wake_word": "computer"}),
                Expect("Transcript"),
                Expect("Reply", {"intent": intent, "text": reply}),
                *([state] if state else []),
                Never(("BargeIn",), until=Expect("PlaybackEnded", within_s=30)),
            ],
        )
    heard = recognised(tmp_path / "reply.wav", [daemon.last("Reply")["text"], *DECOYS])
    assert heard == words(daemon.last("Reply")["text"])
    (account,) = daemon.request("why")["accounts"]
    assert account["heard"] == daemon.last("Transcript")["text"]
    assert account["replies"] == [daemon.last("Reply")["text"]]
    assert {row["stage"] for row in account["times"]} >= {"endpointing", "asr", "nlu", "total"}


def test_the_recogniser_of_replies_can_tell_them_apart(tmp_path: Path) -> None:
    # The control of the check above: another reply, and silence, are not taken for the first.
    voice, replies = Flite("slt"), ["I turned on the bedroom light.", *DECOYS]
    samples = voice.synthesise(DECOYS[0])
    soundfile.write(tmp_path / "other.wav", samples.pcm, samples.rate_hz)
    soundfile.write(tmp_path / "silence.wav", np.zeros(32_000, np.int16), 16_000)
    assert recognised(tmp_path / "other.wav", replies) == words(DECOYS[0])
    assert recognised(tmp_path / "silence.wav", replies) == ""


def test_what_goes_on_from_a_reply_needs_no_wake_word_and_other_talk_gets_none(
    daemon: Daemon,
) -> None:
    lit = Rows("SELECT state FROM devices WHERE entity_id LIKE 'light.%'", [("on",), ("on",)])
    tell(
        daemon,
        [
            Say("computer, turn on the kitchen light", "rms"),
            Expect("Reply", {"intent": "HassTurnOn", "text": "kitchen light"}),
            Expect("PlaybackEnded", within_s=30),
            Say("and the bedroom light", "rms"),
            Expect("Transcript", {"unasked": True}),
            Expect("Reply", {"intent": "HassTurnOn", "text": "bedroom light"}),
            lit,
            Expect("PlaybackEnded", within_s=30),
            Say("the old man went to the river", "rms"),
            Never(("Reply", "Woke"), until=Expect("Commit")),
            Never(("Reply",), until=Expect("Level")),
        ],
    )


def test_where_the_time_went_is_traced_without_a_word(daemon: Daemon) -> None:
    tell(
        daemon,
        [
            Say("computer, what time is it", "slt"),
            Expect("Reply", {"intent": "HassGetCurrentTime"}),
            Never(("BargeIn",), until=Expect("PlaybackEnded", within_s=30)),
        ],
    )
    folder, said = daemon.state_dir / TRACES_FOLDER, daemon.last("Reply")["utterance_id"]
    until_s = time.monotonic() + PATIENCE_S
    while not (folder.is_dir() and trace_id_of(said) in b"".join(lines_of(folder)).decode()):
        assert time.monotonic() < until_s
        time.sleep(0.1)
    lines = [line.decode() for line in lines_of(folder)]
    for line in lines:
        assert uncovered_s(spans_in(parsed(line))) < 1e-3
    values = " ".join(
        value for line in lines for value in re.findall(r'"stringValue":"(.*?)"', line)
    )
    assert "HassGetCurrentTime" in values
    texts = " ".join(event["text"] for event in daemon.seen if event["type"] == "Transcript")
    for word in {one for one in texts.split() if len(one) > 3}:
        assert not re.search(rf"\b{word}\b", values), word
    rows = {row["name"]: row for row in daemon.objects("trace", "show", said, "--json")}
    assert next(iter(rows)) == "utterance"
    assert rows.keys() >= {
        *("wake word", "listening", "end of speech", "recognition", "understanding"),
        *("skill", "synthesis", "playback"),
    }
    assert rows["utterance"]["attributes"]["hark.intent"] == "HassGetCurrentTime"
    # As the metrics have it, from the last speech on.
    (account,) = daemon.request("why")["accounts"]
    (total_ms,) = [row["ms"] for row in account["times"] if row["stage"] == "total"]
    waited_ms = rows["utterance"]["ms"] - rows["end of speech"]["start_ms"]
    assert waited_ms == pytest.approx(total_ms, abs=1.0)


def test_what_is_said_is_kept_with_consent_marked_and_replayed(daemon: Daemon) -> None:
    def kept() -> list[Trace]:
        return [one.trace for one in recorded(folder)]

    assert daemon.ask("record", "on", "--yes", "--json")["on"]
    folder = daemon.state_dir / RECORDINGS_FOLDER
    tell(
        daemon,
        [
            Say("computer, what is the date", "rms"),
            Expect("Reply", {"intent": "HassGetCurrentDate"}),
            Expect("PlaybackEnded", within_s=30),
            Say("computer, that was wrong", "rms"),
            Expect("Reply", {"intent": "MarkWrong", "text": "I marked that as a mistake."}),
            Expect("PlaybackEnded", within_s=30),
        ],
    )
    assert sorted(f.suffix for f in folder.iterdir()) == ["", ".json", ".wav"]
    (trace,) = kept()
    assert (trace.heard, trace.wrong) == ("what is the date", True)
    assert {stat.S_IMODE(f.stat().st_mode) for f in folder.iterdir()} == {0o600}
    assert daemon.ask("record", "wrong", "--expect", "what's the date", "--json")["utterances"] == 1
    figures = daemon.ask("replay", "--json")
    assert (figures["same_text"], figures["same_meaning"], figures["as_expected"]) == (1, 1, 1)
    assert not daemon.ask("record", "off", "--remove", "--json")["on"]
    assert kept() == []
