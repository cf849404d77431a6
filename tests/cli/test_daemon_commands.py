"""`assistant watch` and `assistant reload` against a control socket that is served for real."""

from __future__ import annotations

import inspect
import io
import json
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import msgspec
import pytest
import typer
from rich.console import Console
from typer.testing import CliRunner, Result

import assistant.control.describe
from assistant.cli.microphone.mute import mute, unmute
from assistant.cli.reload import reload
from assistant.cli.watch import SHOWN_EVENTS, View, watch
from assistant.cli.why import why
from assistant.control.client import ControlClient
from assistant.control.connection import listen
from assistant.control.describe import describe
from assistant.control.mute import MuteState, carry_out
from assistant.control.recollection import Recollection
from assistant.control.server import ControlServer
from assistant.core.codec import as_json, wire_name
from assistant.core.errors import ConfigError, ControlError
from assistant.core.messages import (
    Command,
    Commit,
    Control,
    Interpretation,
    Level,
    Message,
    ModelsUsed,
    ModelUse,
    MuteChanged,
    PlaybackStarted,
    QualityAlert,
    Reload,
    Reloaded,
    ReloadProgress,
    Replaced,
    SensorsReport,
    Simplify,
    Slot,
    SpokenReply,
    Transcript,
    Utterance,
    Woke,
    Work,
    concrete,
)
from assistant.core.stage import Source
from assistant.supervision.channel import ProcessStatus, Status
from audio.mute.switch import MuteSwitch

STATUS = Status(
    processes=(
        ProcessStatus(name="control", state="ready", pid=1),
        ProcessStatus(name="asr", state="ready", pid=2, restarts=1),
        ProcessStatus(name="answer", state="safe mode"),
    )
)
USED = ModelsUsed(
    stage="nlu", began_s=1.0, models=(ModelUse(model="ner", version="1", cpu_s=2.5, runs=1000),)
)
STORY: list[Message] = [
    Woke(utterance_id="u", wake_word="computer"),
    Level(rms_dbfs=-20.0, noise_floor_dbfs=-60.0, speech=True),
    SensorsReport(readings=()),
    USED,
    Utterance(
        at_s=10.7,
        utterance_id="u",
        revision=0,
        wake_word="computer",
        duration_s=2.0,
        speech_s=1.5,
        speech_ended_at_s=10.0,
    ),
    Transcript(at_s=11.0, utterance_id="u", revision=0, text="kitchen light on", engine="whisper"),
    Interpretation(
        at_s=11.1,
        utterance_id="u",
        revision=0,
        text="kitchen light on",
        commands=(
            Command(
                intent="HassTurnOn", slots=(Slot(name="area", value="kitchen", raw="kitchen"),)
            ),
        ),
    ),
    Commit(at_s=11.1, utterance_id="u", revision=0),
    SpokenReply(at_s=11.2, utterance_id="u", text="The light is on."),
    PlaybackStarted(at_s=11.4, utterance_id="u"),
]


class Daemon:
    """A control server in a thread; `tell` is called for what callers have it publish."""

    def __init__(self, server: ControlServer) -> None:
        self.server = server
        self.tell: Callable[[Message], None] = lambda _: None
        self.stopped = threading.Event()

    def serve(self, source: Source) -> None:
        while not self.stopped.wait(0.005):
            for message in source.read():
                self.tell(message)


@pytest.fixture
def config(tmp_path: Path) -> Path:
    file = tmp_path / "config.toml"
    file.write_text(f'[storage]\nruntime = "{tmp_path}"\n')
    return file


@pytest.fixture
def recollection() -> Recollection:
    """What the daemon remembers of the last utterances."""
    return Recollection(clock=lambda: 15.7)


@pytest.fixture
def daemon(tmp_path: Path, recollection: Recollection) -> Iterator[Daemon]:
    server = ControlServer(tmp_path / "control.sock", {"why": recollection.told}, status=STATUS)
    daemon = Daemon(server)
    thread = threading.Thread(target=daemon.serve, args=(server,))
    thread.start()
    yield daemon
    daemon.stopped.set()
    thread.join()
    server.close()


def invoke(command: Callable[..., None], *arguments: object) -> Result:
    app = typer.Typer()
    app.command()(command)
    return CliRunner().invoke(app, [str(a) for a in arguments], catch_exceptions=True)


def test_reload_waits_for_every_stage(daemon: Daemon, config: Path) -> None:
    def answers(message: Message) -> None:
        assert isinstance(message, Reload)
        daemon.server.show(Level(rms_dbfs=-20.0, noise_floor_dbfs=-60.0, speech=False))
        daemon.server.show(ReloadProgress(stage="asr"))
        daemon.server.show(Reloaded(stage="asr"))

    daemon.tell = answers
    result = invoke(reload, "--config", config)
    assert (result.exit_code, result.stdout) == (0, "asr: reloaded\n")


def test_reload_says_which_stage_kept_its_old_settings(daemon: Daemon, config: Path) -> None:
    daemon.tell = lambda _: daemon.server.show(Reloaded(stage="asr", error="no such model"))
    result = invoke(reload, "--config", config)
    assert (result.exit_code, result.stdout) == (1, "asr: no such model\n")


def test_reload_names_the_stage_that_does_not_answer(
    config: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def follow(*_: object) -> Iterator[dict[str, object]]:
        yield {"type": "Reloading", "stages": ["control", "asr"]}
        raise ControlError("control.silent", "the daemon does not answer")

    monkeypatch.setattr(ControlClient, "follow", follow)
    fault = invoke(reload, "--config", config).exception
    assert isinstance(fault, ControlError)
    assert "no answer from asr" in fault.message


@pytest.fixture
def muting(tmp_path: Path, config: Path) -> Iterator[Daemon]:
    """A daemon whose microphones follow its switch as soon as it was asked anything."""
    config.write_text(f'[storage]\nruntime = "{tmp_path}"\nstate = "{tmp_path}"\n')
    switch = MuteSwitch(tmp_path, tmp_path)

    def answer(action: str = "") -> MuteState:
        state = carry_out(switch, action)
        daemon.server.show(Level(rms_dbfs=-20.0, noise_floor_dbfs=-60.0, speech=False))
        if state.changed:
            daemon.server.show(MuteChanged(muted=state.muted))
        return state

    server = ControlServer(tmp_path / "control.sock", {"mute": answer}, status=STATUS)
    daemon = Daemon(server)
    thread = threading.Thread(target=daemon.serve, args=(server,))
    thread.start()
    yield daemon
    daemon.stopped.set()
    thread.join()
    server.close()


@pytest.mark.usefixtures("muting")
def test_to_mute_ends_when_the_microphones_have_followed(config: Path) -> None:
    told = [invoke(command, "--config", config).stdout for command in (mute, mute, unmute, unmute)]
    assert told[0].startswith("The microphone is closed. It stays so, also after a restart")
    assert told[1].startswith("It was muted already.\nThe microphone is closed.")
    assert told[2] == "The microphone is open.\n"
    assert told[3] == "It was not muted.\nThe microphone is open.\n"
    (line,) = invoke(mute, "--config", config, "--json").stdout.splitlines()
    assert json.loads(line) == {"type": "Mute", "muted": True, "changed": True}


def test_microphones_that_do_not_follow_are_told(
    config: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    confirmed = "assistant.cli.microphone.mute.CONFIRMED_S"
    monkeypatch.setattr(confirmed, 60.0)

    def answer(_: str) -> MuteState:
        monkeypatch.setattr(confirmed, 0.0)  # from now on
        return MuteState(muted=True, changed=True)

    server = ControlServer(tmp_path / "control.sock", {"mute": answer}, status=STATUS)
    daemon = Daemon(server)

    def tell_levels() -> None:
        while not daemon.stopped.wait(0.005):
            list(server.read())
            server.show(Level(rms_dbfs=-20.0, noise_floor_dbfs=-60.0, speech=False))

    thread = threading.Thread(target=tell_levels)
    thread.start()
    result = invoke(mute, "--config", config)
    daemon.stopped.set()
    thread.join()
    server.close()
    assert isinstance(result.exception, ControlError)
    assert "has not closed the microphone yet" in result.exception.message


def test_without_a_daemon_the_next_one_starts_muted(config: Path, tmp_path: Path) -> None:
    config.write_text(f'[storage]\nruntime = "{tmp_path / "run"}"\nstate = "{tmp_path}"\n')
    switch = MuteSwitch(tmp_path, tmp_path / "run")
    assert invoke(mute, "--config", config).stdout == (
        "No daemon runs; the next one starts muted.\n"
    )
    assert switch.on
    assert invoke(unmute, "--config", config).stdout == "No daemon runs.\n"
    assert not switch.on


def test_who_is_muted_shows_in_the_live_view() -> None:
    view = View()
    view.observe(
        Status(processes=(ProcessStatus(name="audio", state="ready", pid=1, detail="muted"),))
    )
    view.observe(Level(rms_dbfs=-20.0, noise_floor_dbfs=-60.0, speech=True))
    view.observe(MuteChanged(muted=True))
    screen = Console(file=io.StringIO(), width=120)
    screen.print(view.render())
    shown = screen.file.getvalue()  # type: ignore[attr-defined]
    assert "audio muted" in shown
    assert "no level yet" in shown
    assert "the microphone is closed" in shown


def test_wrong_settings_are_told_before_the_daemon_is_asked(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text("[asr]\nengin = 1\n")
    assert isinstance(invoke(reload, "--config", file).exception, ConfigError)


@pytest.mark.parametrize("command", [reload, watch, why])
def test_without_a_daemon_each_says_so(command: Callable[..., None], config: Path) -> None:
    fault = invoke(command, "--config", config).exception
    assert isinstance(fault, ControlError)
    assert fault.code == "control.down"


@pytest.mark.usefixtures("daemon")
def test_why_tells_what_was_believed_and_what_was_late(
    recollection: Recollection, config: Path
) -> None:
    for event in STORY:
        recollection.observe(event)
    lines = invoke(why, "--config", config).stdout.splitlines()
    assert lines[0] == "5 s ago: “kitchen light on”"
    assert "understood     HassTurnOn(area=kitchen) 1.00" in lines[1]
    assert "reply          “The light is on.”" in lines[2]
    late = {line.split()[1] for line in lines if "late" in line}
    assert late == {"nlu", "skills", "total"}


@pytest.mark.usefixtures("daemon")
def test_why_is_an_object_for_programs(recollection: Recollection, config: Path) -> None:
    for event in STORY:
        recollection.observe(event)
    (line,) = invoke(why, "3", "--config", config, "--json").stdout.splitlines()
    assert json.loads(line)["heard"] == "kitchen light on"


@pytest.mark.usefixtures("daemon")
def test_why_says_when_nothing_was_said(config: Path) -> None:
    assert "Nothing has been said" in invoke(why, "--config", config).stdout


def follow(folder: Path, *arguments: object) -> list[str]:
    """What `watch` prints of a daemon that tells its status and the story, and stops."""
    told = [msgspec.json.encode(STATUS), *(msgspec.json.encode(as_json(e)) for e in STORY)]
    listener = listen(folder / "control.sock")
    listener.setblocking(True)

    def tell() -> None:
        peer, _ = listener.accept()
        listener.close()
        with peer, peer.makefile("rb") as requests:
            assert json.loads(requests.readline()) == {"command": "watch"}
            peer.sendall(b"".join(line + b"\n" for line in told))

    thread = threading.Thread(target=tell)
    thread.start()
    result = invoke(watch, *arguments)
    thread.join()
    assert isinstance(result.exception, ControlError)
    return result.stdout.splitlines()


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assistant.cli.shared.events.RETURNS_WITHIN_S", 0.05)


@pytest.mark.usefixtures("impatient")
def test_watch_prints_one_object_a_line_for_programs(tmp_path: Path, config: Path) -> None:
    lines = [json.loads(line) for line in follow(tmp_path, "--config", config, "--json")]
    assert [line["type"] for line in lines] == ["Status", *(wire_name(type(e)) for e in STORY)]


@pytest.mark.usefixtures("impatient")
def test_watch_prints_one_line_an_event_but_of_what_is_told_all_the_time_off_a_terminal(
    tmp_path: Path, config: Path
) -> None:
    lines = [line[10:] for line in follow(tmp_path, "--config", config)]
    assert lines[0].endswith("control ready, asr ready, answer safe mode")
    assert "HassTurnOn(area=kitchen) 1.00" in lines[4]
    assert len(lines) == 1 + len(STORY) - 3


def shown(view: View) -> str:
    console = Console(width=100, record=True, file=io.StringIO())
    console.print(view.render())
    return console.export_text()


def test_the_live_view_shows_processes_level_events_and_times() -> None:
    view = View()
    for event in (STATUS, *STORY):
        view.observe(event)
    text = shown(view)
    assert "asr ready ×1" in text
    assert "answer safe mode" in text
    assert "-20 dB, floor -60 dB, speech" in text
    assert "processor time: ner 1 2.5 s" in text
    assert "“kitchen light on” (whisper)" in text
    assert [line.split() for line in text.splitlines() if "endpointing" in line] == [
        ["│", "endpointing", "│", "700", "│", "700", "│", "700", "│"]
    ]


def test_the_live_view_shows_a_simpler_path_until_it_is_left() -> None:
    view, begins = View(), "answer, which is slow, takes its simpler path for 60 s"
    taken = Simplify(stage="answer", why="slow", for_s=60.0)
    turns = [Woke(utterance_id="u", wake_word="")] * SHOWN_EVENTS
    for event in (taken, *turns, Reloaded(stage="answer")):
        view.observe(event)
    assert begins in shown(view)
    for event in (msgspec.structs.replace(taken, for_s=0.0), *turns):
        view.observe(event)
    assert "simpler path" not in shown(view)


def test_the_live_view_shows_an_alert_until_it_is_over() -> None:
    alert = QualityAlert(stage="answer", what="slow", value=0.4, expected=0.05)
    begins = "answer: 40% of the last answers are slow, 5% expected"
    turns = [Woke(utterance_id="u", wake_word="")] * SHOWN_EVENTS
    ends = (
        msgspec.structs.replace(alert, over=True),
        Reloaded(stage="answer"),
        Replaced(stage="answer", model="reader", version="2"),
    )
    for end in ends:
        view = View()
        for event in (alert, *turns):
            view.observe(event)
        assert begins in shown(view)
        view.observe(end)
        assert begins not in shown(view)


def test_every_event_of_the_story_is_described() -> None:
    told = {wire_name(type(e)): describe(e) for e in STORY}
    assert told["Woke"] == "computer"
    assert told["Utterance"] == "2.0 s, 1.5 s of speech, revision 0"
    assert told["Reply"] == "“The light is on.”"
    assert told["PlaybackStarted"] == ""
    assert told["ModelsUsed"] == "nlu: ner 1 2.5 s"


def test_no_kind_of_event_lacks_its_words() -> None:
    text = inspect.getsource(assistant.control.describe)
    kinds = {t.__name__ for t in (*concrete(Work), *concrete(Control))}
    missing = {k for k in kinds if f"case {k}(" not in text and f"| {k}(" not in text}
    assert missing == {"AudioChunk", "DoubtfulWakeWord", "Speech", "SelfTest", "SensorValues"}
