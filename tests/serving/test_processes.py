"""The processes' stages, where what they need is not to be had."""

from __future__ import annotations

import select
import socket
import time
import weakref
from contextlib import ExitStack, closing, suppress
from pathlib import Path

import pytest

from assistant.answer.build import Answering
from assistant.answer.knowledge.knowledge import Knowledge
from assistant.composition import Composition
from assistant.control.traces.ring import lines_of
from assistant.core.bus import Address
from assistant.core.clock import boottime_s
from assistant.core.config import Config, StorageSettings, load_config
from assistant.core.layout import MEMBERS, SENSORS, STATE_FILE
from assistant.core.messages import (
    Commit,
    DeviceChanged,
    DocumentsDone,
    DocumentsRequest,
    Question,
    SpokenReply,
    Tick,
)
from assistant.core.settings.history import TracesSettings
from assistant.core.settings.mqtt import MqttSettings
from assistant.recordings.folder import Recordings
from assistant.serving.answering import AnswerStageMaker
from assistant.serving.hearing_beat import HearingBeat
from assistant.serving.processes import (
    MAKERS,
    _skills_on,
    make_worker,
    peers,
)
from assistant.supervision.channel import Beat, decode_told
from assistant.supervision.heartbeat import Heartbeat
from audio.microphones.capture import Capture
from audio.playback import Playback
from skills.state import open_state
from tests.support.fake_encoder import FakeEncoder
from tests.support.utterances import utterance

LIST = DocumentsRequest(request_id="r", action="list")


@pytest.fixture(autouse=True)
def patient(monkeypatch: pytest.MonkeyPatch) -> None:
    """A thread of a microphone that has no processor for a while is not taken to hang."""
    monkeypatch.setattr("audio.microphones.capture.CLOSES_S", 60.0)


def test_while_a_command_has_the_documents_the_rest_is_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, composition = tmp_path / "knowledge.db", Composition(Config())
    make = AnswerStageMaker(file)
    with ExitStack() as opened:

        def knowledge(_: Composition, path: Path) -> Knowledge:
            return opened.enter_context(closing(Knowledge(path)))

        monkeypatch.setattr(Answering, "knowledge", knowledge)
        with closing(Knowledge(file)):
            stage = make(composition)
            (reply,) = stage.feed(Question(utterance_id="u", text="sing"))
            assert isinstance(reply, SpokenReply)
            assert reply.text == "I didn't understand that."
            (told,) = stage.feed(LIST)
            assert isinstance(told, DocumentsDone)
            assert "assistant reload" in told.error
        (told,) = make(composition).feed(LIST)
        assert isinstance(told, DocumentsDone)
        assert told.error == ""


def test_of_a_damaged_index_the_user_is_told_aloud_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, composition = tmp_path / "knowledge.db", Composition(Config())
    file.write_bytes(b"no database " * 1000)
    make = AnswerStageMaker(file)
    with ExitStack() as opened:

        def knowledge(_: Composition, path: Path) -> Knowledge:
            return opened.enter_context(closing(Knowledge(path)))

        monkeypatch.setattr(Answering, "knowledge", knowledge)
        stage = make(composition)
        assert stage.deadline_s() == 0.0
        (told,) = stage.feed(Tick(at_s=1.0))
        assert isinstance(told, SpokenReply)
        assert told.text.startswith("The index of your documents was damaged.")
        assert told.text.endswith("with the command assistant documents add.")
        assert not any(isinstance(m, SpokenReply) for m in make(composition).feed(Tick(at_s=2.0)))


def test_who_adds_documents_is_answered_though_the_stage_is_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    notes = tmp_path / "notes.txt"
    notes.write_text("The key lies under the pot.\n")
    composition, make = Composition(Config()), AnswerStageMaker(tmp_path / "knowledge.db")
    monkeypatch.setattr(Answering, "encoder", FakeEncoder())
    add = DocumentsRequest(request_id="r", action="add", arguments=(str(notes),))
    with ExitStack() as opened:

        def knowledge(_: Composition, path: Path) -> Knowledge:
            return opened.enter_context(closing(Knowledge(path)))

        monkeypatch.setattr(Answering, "knowledge", knowledge)
        told = list(make(composition).feed(add))
        stage = make(composition)
        ends_s = time.monotonic() + 60.0
        while not any(isinstance(message, DocumentsDone) for message in told):
            assert time.monotonic() < ends_s
            told += stage.feed(Tick(at_s=boottime_s()))
            time.sleep(0.01)
    (done,) = [message for message in told if isinstance(message, DocumentsDone)]
    assert (done.request_id, done.documents, done.passages, done.error) == ("r", 1, 1, "")


def test_a_bridge_that_is_not_configured_is_not_looked_for() -> None:
    """Each process would look for its socket five times a second, all day."""
    assert "bridge" not in peers(Config())
    assert set(peers(Config(mqtt=MqttSettings(host="broker")))) - set(peers(Config())) == {"bridge"}
    collected = Config(traces=TracesSettings(endpoint="http://127.0.0.1:4318/v1/traces"))
    assert "bridge" in peers(collected)


def test_a_reload_begins_to_trace_and_ends_it(tmp_path: Path) -> None:
    file, folder = tmp_path / "config.toml", tmp_path / "traces"
    storage = f'[storage]\nstate = "{tmp_path}"\nruntime = "{tmp_path}"\n'
    file.write_text(storage)
    parts = MAKERS["control"](load_config((file,))[0], (file,), Heartbeat(None))
    assert parts.rebuild is not None
    lines: list[int] = []
    with ExitStack() as opened:
        for source in parts.sources:
            opened.callback(source.close)
        for number, keep in enumerate(("", "[traces]\nkeep = true\n", "")):
            file.write_text(storage + keep)
            stage = parts.rebuild()
            name, at_s = f"u{number}", 100.0 * number
            list(stage.feed(utterance(name, at_s=at_s, speech_ended_at_s=at_s - 0.1)))
            list(stage.feed(Commit(utterance_id=name, revision=0, at_s=at_s)))
            list(stage.feed(Tick(at_s=at_s + 60.0)))
            lines.append(len(list(lines_of(folder))))
    assert lines == [0, 1, 1]


def beats(line: socket.socket) -> int:
    """How many beats have come by now."""
    count = 0
    with suppress(BlockingIOError):
        while line.recv(1000):
            count += 1
    return count


def test_a_microphone_that_is_there_beats_by_its_sound_alone(tmp_path: Path) -> None:
    """A card whose driver hangs is there and gives nothing: only a new process helps."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    ours.setblocking(False)
    capture, playback = Capture([f"fifo:{tmp_path / 'microphone'}"]), Playback("none")
    beat = HearingBeat(Heartbeat(theirs, every_s=0.0), capture, playback).beat
    with ours, theirs, closing(capture), closing(playback):
        beat()
        assert beats(ours) == 0
        sound = select.poll()
        sound.register(capture.fileno(), select.POLLIN)
        assert sound.poll(10_000)
        # Until it is read, the loop has heard nothing of it.
        beat()
        assert beats(ours) == 0
        assert list(capture.read())
        beat()
        assert beats(ours) == 1
        beat()
        assert beats(ours) == 0


class Hanging(Capture):
    """Devices of which one does not close."""

    @property
    def paused(self) -> bool:
        return True

    @property
    def is_closed(self) -> bool:
        return False


def test_who_is_muted_is_well_as_soon_as_nothing_is_open(tmp_path: Path) -> None:
    """One whose driver hangs while it is to close is not: only a new process closes it."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    ours.setblocking(False)
    capture, playback = Capture([f"fifo:{tmp_path / 'microphone'}"]), Playback("none")
    beat = HearingBeat(Heartbeat(theirs, every_s=0.0), capture, playback).beat
    with ours, theirs, closing(capture), closing(playback):
        capture.pause()
        for _ in range(2):
            beat()
            assert decode_told(ours.recv(1000)) == Beat(detail="muted")
        HearingBeat(Heartbeat(theirs, every_s=0.0), Hanging([]), playback).beat()
        assert beats(ours) == 0
        capture.resume()
        beat()  # it may take longer than a hung process is given
        assert decode_told(ours.recv(1000)) == Beat(state="reloading")


@pytest.mark.parametrize("player_dies", [False, True])
def test_who_can_no_longer_speak_stops_beating_and_is_started_again(
    player_dies: bool, tmp_path: Path
) -> None:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    # A microphone that is missing is no reason not to beat.
    playback, capture = Playback("none"), Capture([f"fifo:{tmp_path}"])
    with ours, theirs, closing(capture):
        assert select.select([capture], [], [], 10.0)[0]
        assert [type(message) for message in capture.read()] == [DeviceChanged]
        if player_dies:
            playback.close()
        HearingBeat(Heartbeat(theirs, every_s=0.0), capture, playback).beat()
        ours.setblocking(False)
        assert beats(ours) == (0 if player_dies else 1)
    if not player_dies:
        playback.close()


def test_nothing_holds_a_stage_that_a_reload_has_replaced(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    runtime = tmp_path / "run"
    runtime.mkdir(mode=0o700)
    file.write_text(f'[storage]\nstate = "{tmp_path}"\nruntime = "{runtime}"\n')
    with closing(Address(runtime)) as address, ExitStack() as open_things:
        worker = make_worker("voice", (file,), Heartbeat(), address, open_things)
        first = weakref.ref(worker._stage)
        worker._reload()
        assert first() is None


def test_every_process_has_what_makes_it() -> None:
    assert tuple(MAKERS) == (*MEMBERS, SENSORS)


@pytest.mark.parametrize("on", [True, False])
def test_each_start_says_that_recordings_are_kept(tmp_path: Path, on: bool) -> None:
    config = Config(storage=StorageSettings(state=str(tmp_path)))
    if on:
        Recordings.of(config).agree()
    with closing(open_state(tmp_path / STATE_FILE)) as database:
        swap = _skills_on(database, config)
        told = [m for _ in range(2) for m in swap.stage(config).feed(Tick(at_s=1.0))]
    texts = [m.text for m in told if isinstance(m, SpokenReply)]
    assert texts == ["I keep recordings of what you say to me."] * on
