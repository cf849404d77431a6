"""The control socket: real connections, served in the test's own thread unless a client blocks."""

from __future__ import annotations

import json
import os
import select
import socket
import stat
import struct
import threading
from collections.abc import Iterator
from contextlib import ExitStack, closing, suppress
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest

from assistant.cli.reload import reload
from assistant.control import connection
from assistant.control.client import ControlClient
from assistant.control.metrics_store import MetricsStore
from assistant.control.mute import carry_out
from assistant.control.recollection import Recollection
from assistant.control.server import (
    MOST_AWAITED,
    MOST_CALLERS,
    MOST_WATCHERS,
    ControlServer,
)
from assistant.control.stage import WATCHED, ControlStage
from assistant.core.errors import ControlError, InputError, SkillError, TurnedAwayError
from assistant.core.layout import SENSORS
from assistant.core.messages import (
    AudioChunk,
    DocumentsDone,
    DocumentsRequest,
    Level,
    Message,
    PlaybackStarted,
    Reload,
    Reloaded,
    Replace,
    Replaced,
    SelfTest,
    SensorsRequest,
    Speech,
    StageRestarted,
    Tick,
    Transcript,
    Utterance,
)
from assistant.supervision.channel import Beat, ProcessStatus, Status, decode_told, encode
from audio.mute.switch import MuteSwitch

STATUS = Status(processes=(ProcessStatus(name="asr", state="ready", pid=7),))
LEVEL = Level(at_s=1.0, rms_dbfs=-40.0, noise_floor_dbfs=-60.0, speech=False)


class Peer:
    """A caller whose requests the server works off at once."""

    def __init__(self, path: Path, server: ControlServer) -> None:
        self._server = server
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.settimeout(5)
        self._socket.connect(str(path))
        self._lines = self._socket.makefile("rb")
        self.published: list[Message] = list(server.read())

    def send(self, raw: bytes) -> None:
        self._socket.sendall(raw)
        self.published += list(self._server.read())

    def ask(self, command: str) -> None:
        self.send(json.dumps({"command": command}).encode() + b"\n")

    def line(self) -> dict[str, Any]:
        answer: dict[str, Any] = json.loads(self._lines.readline())
        return answer

    def ended(self) -> bool:
        return self._lines.read() == b""

    def close(self) -> None:
        self._lines.close()
        self._socket.close()
        list(self._server.read())


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "control.sock"


@pytest.fixture
def server(path: Path) -> Iterator[ControlServer]:
    def broken() -> Any:
        raise SkillError("skill.broken", "skills/tea.py: no intents")

    answers = {
        "models": lambda: {"type": "Models", "models": []},
        "skills": broken,
        "echo": lambda word, more="": {"type": "Echo", "words": [word, more]},
    }
    server = ControlServer(path, answers, status=STATUS)
    yield server
    server.close()


@pytest.fixture
def peer(path: Path, server: ControlServer) -> Iterator[Peer]:
    peer = Peer(path, server)
    yield peer
    peer.close()


@pytest.fixture
def stage(server: ControlServer, tmp_path: Path) -> ControlStage:
    return ControlStage(server, MetricsStore(tmp_path / "metrics.jsonl", keep=10), Recollection())


def test_a_watcher_is_told_the_status_and_then_every_event(peer: Peer, stage: ControlStage) -> None:
    peer.ask("watch")
    assert peer.line()["processes"][0]["name"] == "asr"
    assert list(stage.feed(LEVEL)) == []
    assert peer.line() == {
        "type": "Level",
        "at_s": 1.0,
        "rms_dbfs": -40.0,
        "noise_floor_dbfs": -60.0,
        "speech": False,
    }


def test_who_only_asked_is_told_no_events(peer: Peer, server: ControlServer) -> None:
    peer.ask("models")
    server.show(LEVEL)
    peer.ask("models")
    assert peer.line() == peer.line() == {"type": "Models", "models": []}


def test_audio_and_self_tests_are_not_for_watching() -> None:
    assert not {AudioChunk, Speech, SelfTest, Tick} & set(WATCHED)
    assert {Transcript, Level, Utterance, PlaybackStarted, Reload} <= set(WATCHED)


@pytest.mark.parametrize(
    ("request_line", "code", "told"),
    [
        (b'{"command": "wathc"}\n', "control.unknown", 'did you mean "watch"?'),
        (b'{"command": "model"}\n', "control.unknown", 'did you mean "models"?'),
        (b"hello\n", "control.malformed", "no request"),
        (b'{"command": "\xff"}\n', "control.malformed", "no request"),
        (b"\xff\xfe\n", "control.malformed", "no request"),
        (b"{}\n", "control.malformed", "command"),
        (b'{"command": "watch", "loud": 1}\n', "control.malformed", "loud"),
        (
            b'{"command": "models", "arguments": ' + b"[" * 9_000 + b"\n",
            "control.malformed",
            "request",
        ),
        (b'{"command": "skills"}\n', "skill.broken", "skills/tea.py: no intents"),
        (b'{"command": "documents"}\n', "control.not_running", "answer does not run"),
        (b'{"command": "models", "arguments": [1]}\n', "control.malformed", "arguments"),
        (b'{"command": "models", "arguments": ["x"]}\n', "control.arguments", "too many"),
        (b'{"command": "echo"}\n', "control.arguments", "missing"),
    ],
)
def test_what_cannot_be_answered_gets_one_error_line(
    peer: Peer, request_line: bytes, code: str, told: str
) -> None:
    peer.send(request_line)
    answer = peer.line()
    assert (answer["type"], answer["code"]) == ("Error", code)
    assert told in answer["message"]
    peer.ask("models")
    assert peer.line()["type"] == "Models"


@pytest.mark.parametrize(
    ("request_line", "message"),
    [
        (b"{\n", "that is no request: Input data was truncated"),
        (b'{"command": "documnets"}\n', 'unknown command "documnets"; did you mean "documents"?'),
        (b'{"command": "relaod"}\n', 'unknown command "relaod"; did you mean "reload"?'),
        (b'{"command": "statsu"}\n', 'unknown command "statsu"; did you mean "status"?'),
        (b'{"command": "usee"}\n', 'unknown command "usee"; did you mean "use"?'),
        (
            b'{"command": "use", "arguments": ["asr"]}\n',
            '"use" takes a stage, a model, a version and, to try it, a share and a number',
        ),
        (
            b'{"command": "use", "arguments": ["nlu", "ner", "2", "1.5", "500"]}\n',
            '"use": Expected `float` < 1.0 - at `$.share`',
        ),
        (
            b'{"command": "use", "arguments": ["nlu", "ner", "2", "0.5", "%s"]}\n' % (b"9" * 400),
            '"use": Expected `int` <= 1000000000 - at `$.utterances`',
        ),
        (
            b'{"command": "use", "arguments": ["nlu", "ner", "2"]}\n',
            "nlu does not run just now; try again",
        ),
        (b'{"command": "echo"}\n', "\"echo\": missing a required argument: 'word'"),
    ],
)
def test_what_is_wrong_with_a_request_is_told_in_one_line(
    peer: Peer, request_line: bytes, message: str
) -> None:
    peer.send(request_line)
    assert peer.line()["message"] == message


def test_a_request_may_come_in_pieces_and_several_at_once(peer: Peer) -> None:
    peer.send(b'{"command": "mod')
    peer.send(b'els"}\n{"command": "status"}\n')
    peer.send(b"")  # the next turn
    assert [peer.line()["type"], peer.line()["type"]] == ["Models", "Status"]


def test_a_line_without_end_is_hung_up_on(peer: Peer, server: ControlServer) -> None:
    peer.send(b"x" * (connection.LONGEST_LINE_BYTES // 2))
    peer.send(b"x" * (connection.LONGEST_LINE_BYTES // 2 + 1))
    assert peer.ended()


def test_a_slow_watcher_is_hung_up_on_and_the_others_are_served(
    path: Path, peer: Peer, server: ControlServer
) -> None:
    quick = Peer(path, server)
    for watcher in (peer, quick):
        watcher.ask("watch")
        watcher.line()
    words = Transcript(utterance_id="u", revision=0, text="word " * 10_000)
    for _ in range(60):
        server.show(words)
        while quick.line()["type"] != "Transcript":
            pass
    list(server.read())
    assert b"".join(peer._lines).count(b"\n") < 60
    server.show(LEVEL)
    assert quick.line()["type"] == "Level"
    quick.close()


def test_a_watcher_that_falls_behind_a_little_gets_everything(
    peer: Peer, server: ControlServer
) -> None:
    peer.ask("watch")
    peer.line()
    words = Transcript(utterance_id="u", revision=0, text="word " * 10_000)
    for _ in range(10):
        server.show(words)
    got = 0
    while got < 10:
        list(server.read())
        got += peer.line()["type"] == "Transcript"
    list(server.read())
    assert not due(server)


def due(server: ControlServer) -> bool:
    """Whether the server has anything to do."""
    return select.select([server], [], [], 0)[0] != []


def test_a_server_is_due_when_somebody_has_come_asked_or_gone(
    path: Path, server: ControlServer
) -> None:
    assert not due(server)
    caller = socket.socket(socket.AF_UNIX)
    for doing in (
        lambda: caller.connect(str(path)),
        lambda: caller.sendall(b'{"command": "models"}\n'),
        caller.close,
    ):
        doing()
        assert due(server)
        list(server.read())
        assert not due(server)


@pytest.mark.parametrize("fault", [BlockingIOError, ConnectionAbortedError])
def test_a_caller_that_is_gone_before_it_is_let_in_is_no_fault(
    path: Path, server: ControlServer, monkeypatch: pytest.MonkeyPatch, fault: type[OSError]
) -> None:
    def accept(_: socket.socket) -> None:
        raise fault

    with socket.socket(socket.AF_UNIX) as caller:
        caller.connect(str(path))
        with monkeypatch.context() as patch:
            patch.setattr(socket.socket, "accept", accept)
            assert list(server.read()) == []
        assert due(server)


def test_of_sound_a_watcher_is_told_the_size(peer: Peer, server: ControlServer) -> None:
    peer.ask("watch")
    peer.line()
    server.show(AudioChunk(utterance_id="u", sequence=0, samples=b"1234"))
    assert peer.line()["samples"] == {"bytes": 4}


def test_a_caller_that_vanishes_is_forgotten(path: Path, server: ControlServer) -> None:
    for _ in range(3 * MOST_CALLERS):
        gone = Peer(path, server)
        gone.ask("watch")
        gone.close()
    server.show(LEVEL)
    still = Peer(path, server)
    still.ask("models")
    assert still.line()["type"] == "Models"
    still.close()


def test_of_more_callers_than_can_be_served_the_most_silent_one_goes(
    path: Path, server: ControlServer
) -> None:
    watching, silent, *others = [Peer(path, server) for _ in range(MOST_CALLERS)]
    watching.ask("watch")
    late = Peer(path, server)
    late.ask("models")
    assert late.line()["type"] == "Models"
    busy = {"code": "control.busy", "message": "16 callers are served already"}
    assert silent.line() == {"type": "Error", **busy}
    assert silent.ended()
    assert watching.line()["type"] == "Status"
    server.show(LEVEL)
    assert watching.line()["type"] == "Level"
    for one in (watching, silent, *others, late):
        one.close()


def test_watchers_leave_room_for_those_who_ask(path: Path, server: ControlServer) -> None:
    peers = [Peer(path, server) for _ in range(MOST_WATCHERS + 1)]
    for one in peers:
        one.ask("watch")
    assert [one.line()["type"] for one in peers[:-1]] == ["Status"] * 12
    busy = {"code": "control.busy", "message": "12 callers are told of news already"}
    assert peers[-1].line() == {"type": "Error", **busy}
    for command in ("reload", "use", "documents"):
        peers[-1].ask(command)
        assert peers[-1].line() == {"type": "Error", **busy}
        assert peers[-1].published == []
    peers[0].ask("watch")  # it is told of news already
    assert peers[0].line()["type"] == "Status"
    for one in peers:
        one.close()


def test_who_floods_holds_up_nobody_else(path: Path, server: ControlServer, peer: Peer) -> None:
    flooding = Peer(path, server)
    flooding._socket.sendall(b'{"command": "status"}\n' * 3000)
    peer.ask("models")
    assert peer.line()["type"] == "Models"
    flooding._socket.setblocking(False)
    assert flooding._socket.recv(1 << 20).count(b"\n") <= 32
    list(server.read())
    assert flooding._socket.recv(1 << 20).count(b"\n") == 32
    flooding.close()


def test_what_takes_long_is_worked_out_once_until_settings_are_read_anew(path: Path) -> None:
    worked_out: list[str] = []
    answers = {
        "skills": lambda: {"type": "Skills", "times": worked_out.append("skills")},
        "models": lambda: {"type": "Models", "times": worked_out.append("models")},
    }
    now_s = [0.0]
    server = ControlServer(path, answers, status=STATUS, clock=lambda: now_s[0])
    with closing(server):
        peer = Peer(path, server)
        for now_s[0] in (0.0, 0.5, 5.0):
            peer.ask("skills")
            peer.ask("models")
        assert worked_out == ["skills", "models", "models"]
        server.show(Reloaded(stage="skills", at_s=6.0))
        peer.ask("skills")
        assert worked_out.count("skills") == 2
        peer.close()


def test_who_reads_no_answer_gets_no_further_ones_until_it_does(
    server: ControlServer, peer: Peer
) -> None:
    long, requests = "x" * 30_000, 10
    for _ in range(requests):
        peer.send(json.dumps({"command": "echo", "arguments": [long]}).encode() + b"\n")
    (caller,) = server._callers.values()
    assert 0 < len(caller._unsent) <= len(long) + 100
    peer._socket.setblocking(False)
    received = b""
    while received.count(b"\n") < requests:
        with suppress(BlockingIOError):
            received += peer._socket.recv(1 << 20)
        list(server.read())
    assert received == (b'{"type":"Echo","words":["%s",""]}\n' % long.encode()) * requests


def test_all_that_was_asked_at_once_is_answered_in_time(peer: Peer, server: ControlServer) -> None:
    peer.send(b'{"command": "status"}\n' * 100)
    for _ in range(100):
        assert peer.line()["type"] == "Status"
        list(server.read())


def test_one_answer_a_turn_is_worked_out(path: Path, server: ControlServer) -> None:
    peers = [Peer(path, server) for _ in range(3)]
    for number, one in enumerate(peers):
        line = b'{"command": "echo", "arguments": ["%d"]}\n' % number
        one._socket.sendall(line * 2)
    answered = []
    for _ in peers:
        list(server.read())
        ready, _, _ = select.select([p._socket for p in peers], [], [], 0)
        answered.append(len(ready))
    assert answered == [1, 2, 3]
    for one in peers:
        one.close()


def test_what_many_ask_is_worked_out_once_a_second(path: Path) -> None:
    now_s, asked = [0.0], []

    def count(word: str = "") -> dict[str, int]:
        asked.append(word)
        return {"count": len(asked)}

    with closing(ControlServer(path, {"count": count}, clock=lambda: now_s[0])) as server:
        stage = ControlStage(
            server, MetricsStore(path.with_name("metrics.jsonl"), 10, None), Recollection()
        )
        peers = [Peer(path, server) for _ in range(3)]
        told = []
        for at_s, words in ((0.0, []), (0.99, []), (1.0, []), (1.1, ["x"]), (1.2, [])):
            now_s[0] = at_s
            request = {"command": "count", "arguments": words}
            peers[0].send(json.dumps(request).encode() + b"\n")
            told.append(peers[0].line()["count"])
        assert told == [1, 1, 2, 3, 4]
        list(stage.feed(Reloaded(stage="nlu")))
        for one in peers:
            one.ask("count")
            assert one.line() == {"count": 5}
            one.close()


@pytest.mark.parametrize("sent", [b"", b'{"command": "stat', b'{"command": "models"}\n'])
def test_who_asks_nothing_for_long_is_hung_up_on(
    peer: Peer, server: ControlServer, sent: bytes
) -> None:
    peer.send(sent)
    due_s = server.deadline_s()
    assert due_s is not None
    server.tick(due_s - 0.01)
    assert server.deadline_s() == due_s
    server.tick(due_s)
    if sent.endswith(b"\n"):
        assert peer.line()["type"] == "Models"
    assert peer.line()["code"] == "control.idle"
    assert peer.ended()
    assert server.deadline_s() is None


def test_ten_seconds_count_from_when_a_caller_came_or_last_asked(path: Path) -> None:
    now_s = [100.0]
    with closing(ControlServer(path, {}, status=STATUS, clock=lambda: now_s[0])) as server:
        assert server.deadline_s() is None
        first, second = Peer(path, server), Peer(path, server)
        assert server.deadline_s() == 110.0
        now_s[0] = 105.0
        first.ask("status")
        assert server.deadline_s() == 110.0
        server.tick(110.0)
        idle = {"code": "control.idle", "message": "nothing was asked for 10 s"}
        assert second.line() == {"type": "Error", **idle}
        assert server.deadline_s() == 115.0
        for one in (first, second):
            one.close()


def test_who_watches_may_be_silent(peer: Peer, server: ControlServer, stage: ControlStage) -> None:
    peer.ask("watch")
    assert peer.line()["type"] == "Status"
    assert server.deadline_s() is None
    list(stage.feed(Tick(at_s=1e9)))
    server.show(LEVEL)
    assert peer.line()["type"] == "Level"


def test_the_stage_is_due_when_a_caller_is(peer: Peer, stage: ControlStage) -> None:
    due_s = stage.deadline_s()
    assert due_s is not None
    list(stage.feed(Tick(at_s=due_s)))
    assert peer.line()["code"] == "control.idle"


def test_of_a_long_word_that_is_no_command_a_part_is_told(peer: Peer) -> None:
    peer.send(b'{"command": "' + b"m" * 60_000 + b'"}\n')
    assert peer.line()["message"].startswith(f'unknown command "{"m" * 40}"; ')


def test_a_stranger_is_refused(
    path: Path, server: ControlServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assistant.control.server.allowed", lambda _: False)
    stranger = Peer(path, server)
    forbidden = {"code": "control.forbidden", "message": "only the group assistant may ask"}
    assert stranger.line() == {"type": "Error", **forbidden}
    assert stranger.ended()
    stranger.close()


class Credentials:
    """A socket whose other end is whoever the test says."""

    def __init__(self, uid: int, gid: int) -> None:
        self._packed = struct.pack("3i", 1, uid, gid)

    def getsockopt(self, *_: int) -> bytes:
        return self._packed


@pytest.mark.parametrize(
    ("uid", "is_allowed"), [(1000, True), (0, True), (4242, True), (1001, False), (999_999, False)]
)
def test_this_user_root_and_the_group_are_allowed(
    uid: int, is_allowed: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    users = {1001: "eve", 4242: "mary"}
    monkeypatch.setattr("os.getuid", lambda: 1000)
    known = {"assistant": Struct(gr_gid=77)}
    monkeypatch.setattr("grp.getgrnam", lambda name: known[name])
    monkeypatch.setattr("pwd.getpwuid", lambda u: Struct(pw_name=users[u]))
    groups = {"mary": [1, 77], "eve": [1]}
    monkeypatch.setattr("os.getgrouplist", lambda name, _: groups[name])
    assert connection.allowed(Credentials(uid, 1)) is is_allowed  # type: ignore[arg-type]


class Struct:
    """An entry of a user database."""

    def __init__(self, **fields: Any) -> None:
        self.__dict__.update(fields)


def test_nobody_else_may_connect(path: Path, server: ControlServer) -> None:
    assert stat.S_IMODE(path.stat().st_mode) & 0o007 == 0


@pytest.mark.parametrize("may_chown", [True, False])
def test_the_group_may_connect_also_where_every_chown_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, may_chown: bool
) -> None:
    def refused(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr("grp.getgrnam", lambda _: Struct(gr_gid=os.getgid()))
    if not may_chown:
        monkeypatch.setattr("os.chown", refused)
    path = tmp_path / "group.sock"
    connection.listen(path).close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o660


def test_a_dead_socket_is_replaced_and_a_living_one_is_not(
    path: Path, server: ControlServer
) -> None:
    with pytest.raises(ControlError, match="another assistant"):
        ControlServer(path, {})
    dead = path.with_name("dead.sock")
    with socket.socket(socket.AF_UNIX) as crashed:
        crashed.bind(str(dead))
    ControlServer(dead, {}).close()
    assert not dead.exists()


def test_to_mute_is_carried_out_each_time_as_a_button_may_have_undone_it(tmp_path: Path) -> None:
    path, switch = tmp_path / "control.sock", MuteSwitch(tmp_path / "state", tmp_path)
    server = ControlServer(path, {"mute": partial(carry_out, switch)}, status=STATUS)
    with closing(server), closing(Peer(path, server)) as peer:
        for _ in range(2):
            peer.send(b'{"command": "mute", "arguments": ["on"]}\n')
            assert peer.line() == {"type": "Mute", "muted": True, "changed": True}
            assert switch.on
            switch.unmute()
        peer.send(b'{"command": "mute", "arguments": ["loudly"]}\n')
        assert peer.line()["code"] == "control.arguments"
        peer.ask("mute")
        assert peer.line() == {"type": "Mute", "muted": False, "changed": False}


def test_in_a_single_process_reload_is_published_and_each_stage_answers(
    peer: Peer, stage: ControlStage
) -> None:
    peer.ask("reload")
    assert peer.line() == {"type": "Reloading", "stages": ["asr"]}
    (reload,) = peer.published
    assert isinstance(reload, Reload)
    assert reload.at_s > 0
    assert list(stage.feed(reload)) == [reload]
    list(stage.feed(LEVEL))
    list(stage.feed(Reloaded(stage="asr")))
    assert peer.line() == {"type": "Reloaded", "at_s": 0.0, "stage": "asr", "error": ""}


def test_another_model_is_asked_for_on_the_bus_and_the_stage_answers(
    peer: Peer, stage: ControlStage
) -> None:
    peer.send(b'{"command": "use", "arguments": ["asr", "whisper", "2"]}\n')
    assert peer.line() == {"type": "Replacing", "stage": "asr"}
    (wish,) = peer.published
    assert wish.at_s > 0
    assert wish == Replace(stage="asr", model="whisper", version="2", at_s=wish.at_s)
    assert list(stage.feed(wish)) == [wish]
    list(stage.feed(LEVEL))
    list(stage.feed(Replaced(stage="asr", model="whisper", version="2", error="no")))
    assert peer.line()["error"] == "no"
    list(stage.feed(StageRestarted(stage="asr", reason="killed")))
    assert peer.line()["type"] == "StageRestarted"


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        *((args, "control.arguments") for args in ("[]", '["asr", "whisper", "2", "0.5"]')),
        ('["asr", "whisper", "2", "x", "100"]', "control.arguments"),
        ('["nlu", "ner", "2"]', "control.not_running"),
    ],
)
def test_what_cannot_be_asked_for_is_told(peer: Peer, arguments: str, code: str) -> None:
    peer.send(f'{{"command": "use", "arguments": {arguments}}}\n'.encode())
    assert peer.line()["code"] == code
    assert peer.published == []


def test_a_version_is_tried_on_a_share(peer: Peer) -> None:
    peer.send(b'{"command": "use", "arguments": ["asr", "whisper", "2", "0.5", "100"]}\n')
    assert peer.line() == {"type": "Replacing", "stage": "asr"}
    (wish,) = peer.published
    assert isinstance(wish, Replace)
    assert (wish.share, wish.utterances) == (0.5, 100)


def test_sensors_are_asked_of_the_process_that_judges_them(path: Path, peer: Peer) -> None:
    request = b'{"command": "sensors_request", "arguments": ["learn", "600", "hum"]}\n'
    peer.send(request)
    assert peer.line()["code"] == "control.not_running"
    path.unlink()
    status = Status(processes=(ProcessStatus(name=SENSORS, state="ready", pid=7),))
    with closing(ControlServer(path, {}, status=status)) as server:
        asks = Peer(path, server)
        asks.send(request)
        told = {"type": "SensorsAsked", "what": "learn", "sensors": ["hum"], "for_s": 600.0}
        assert asks.line() == told
        (asked,) = asks.published
        assert isinstance(asked, SensorsRequest)
        assert (asked.what, asked.sensors, asked.for_s) == ("learn", ("hum",), 600.0)
        asks.ask("sensors_request")
        assert asks.line()["code"] == "control.arguments"
        asks.close()


@pytest.fixture
def line() -> Iterator[tuple[socket.socket, socket.socket]]:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    theirs.setblocking(False)
    with ours, theirs:
        yield ours, theirs


def test_under_a_supervisor_reload_goes_to_it_and_its_news_come_back(
    path: Path, line: tuple[socket.socket, socket.socket], tmp_path: Path
) -> None:
    supervisor, theirs = line
    server = ControlServer(path, {}, theirs)
    stage = ControlStage(server, MetricsStore(tmp_path / "metrics.jsonl", keep=10), Recollection())
    peer = Peer(path, server)
    peer.ask("status")
    supervisor.send(encode(STATUS))
    assert list(server.read()) == []
    assert peer.line()["processes"][0]["pid"] == 7
    peer.ask("reload")
    assert peer.line()["stages"] == ["asr"]
    assert decode_told(supervisor.recv(4096)) == Reload()
    supervisor.send(encode(StageRestarted(stage="asr", reason="hung")))
    (restarted,) = server.read()
    assert restarted.at_s > 0
    assert list(stage.feed(restarted)) == [restarted]
    watcher = Peer(path, server)
    watcher.ask("watch")
    assert watcher.line()["processes"][0]["state"] == "ready"
    assert not due(server)
    hung = msgspec.structs.replace(STATUS.processes[0], state="hung")
    supervisor.send(encode(Status(processes=(hung,))))
    assert list(server.read()) == []
    assert watcher.line()["processes"][0]["state"] == "hung"
    supervisor.close()
    assert list(server.read()) == []
    assert not due(server)
    for one in (peer, watcher):
        one.close()
    server.close()


def test_who_is_gone_before_the_first_news_keeps_nobody_waiting(
    path: Path, line: tuple[socket.socket, socket.socket]
) -> None:
    supervisor, theirs = line
    with closing(ControlServer(path, {}, theirs)) as server:
        gone, waiting = Peer(path, server), Peer(path, server)
        for one in (gone, waiting):
            one.ask("status")
        gone.close()
        supervisor.send(encode(STATUS))
        assert list(server.read()) == []
        assert waiting.line()["type"] == "Status"
        waiting.close()


def test_who_asks_again_and_again_before_the_first_news_is_bounded(
    path: Path, line: tuple[socket.socket, socket.socket]
) -> None:
    supervisor, theirs = line
    with closing(ControlServer(path, {}, theirs)) as server:
        asking, gone = Peer(path, server), Peer(path, server)
        for one in (asking, gone):
            for _ in range(MOST_AWAITED + 1):
                one.ask("status")
            assert one.line()["code"] == "control.busy"
        gone.close()
        supervisor.send(encode(STATUS))
        assert list(server.read()) == []
        assert [asking.line()["type"] for _ in range(MOST_AWAITED)] == ["Status"] * MOST_AWAITED
        asking.close()


DOCUMENTS = Status(processes=(ProcessStatus(name="answer", state="ready", pid=7),))


def test_documents_are_asked_about_and_their_news_come_to_who_asked(
    path: Path, tmp_path: Path
) -> None:
    server = ControlServer(path, {}, status=DOCUMENTS)
    stage = ControlStage(server, MetricsStore(tmp_path / "metrics.jsonl", keep=10), Recollection())
    peer = Peer(path, server)
    peer.send(b'{"command": "documents", "arguments": ["add", "/d/a.txt"]}\n')
    (request,) = peer.published
    assert isinstance(request, DocumentsRequest)
    assert request.at_s > 0
    assert (request.action, request.arguments) == ("add", ("/d/a.txt",))
    assert list(stage.feed(request)) == [request]
    assert peer.line() == {"type": "DocumentsAsked", "request_id": request.request_id}
    server.show(LEVEL)
    done = DocumentsDone(request_id=request.request_id, documents=1, passages=3)
    assert list(stage.feed(done)) == []
    assert peer.line()["passages"] == 3
    peer.send(b'{"command": "documents", "arguments": ["burn"]}\n')
    assert peer.line()["code"] == "control.arguments"
    peer.ask("documents")
    assert "Invalid enum value ''" in peer.line()["message"]
    assert len(peer.published) == 1
    peer.close()
    server.close()


def test_beats_and_wishes_survive_the_line() -> None:
    for told in (Beat(), Beat(state="degraded", detail="no broker"), Reload()):
        assert decode_told(encode(told)) == told


class Serving:
    """A server that works in the background, for clients that wait."""

    def __init__(self, server: ControlServer) -> None:
        self._server, self._stopped = server, threading.Event()
        self._thread = threading.Thread(target=self._serve)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        self._thread.join()

    def _serve(self) -> None:
        while not self._stopped.wait(0.005):
            list(self._server.read())


def test_the_client_asks_and_is_told(path: Path, server: ControlServer) -> None:
    client = ControlClient(path)
    with Serving(server):
        assert client.ask("models") == {"type": "Models", "models": []}
        assert client.ask("echo", "a b", "c") == {"type": "Echo", "words": ["a b", "c"]}
        assert next(iter(client.follow("watch")))["type"] == "Status"
        with pytest.raises(ControlError, match="did you mean") as refusal:
            client.ask("modles")
    assert refusal.value.code == "control.unknown"


def test_without_a_daemon_the_client_says_how_to_start_one(path: Path) -> None:
    with pytest.raises(
        ControlError, match=r"no daemon answers at .*; start one with `assistant run"
    ):
        ControlClient(path).ask("status")


def test_who_is_turned_away_is_told_in_one_line(
    path: Path, server: ControlServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assistant.control.server.allowed", lambda _: False)
    with Serving(server), pytest.raises(TurnedAwayError, match="group assistant") as refusal:
        ControlClient(path).ask("models")
    assert isinstance(refusal.value, InputError)


def test_of_a_daemon_that_more_callers_wait_for_than_the_kernel_takes_is_told(path: Path) -> None:
    with ExitStack() as opened:
        listener = opened.enter_context(socket.socket(socket.AF_UNIX))
        listener.bind(str(path))
        listener.listen(0)
        waiting = opened.enter_context(socket.socket(socket.AF_UNIX))
        waiting.connect(str(path))
        with pytest.raises(ControlError, match="too many callers") as told:
            ControlClient(path).ask("status")
    assert told.value.code == "control.busy"


def test_a_daemon_that_hangs_up_at_a_reload_is_told(tmp_path: Path) -> None:
    settings = tmp_path / "config.toml"
    settings.write_text(f'[storage]\nruntime = "{tmp_path}"\n')
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "control.sock"))
        listener.listen()
        hanging_up = threading.Thread(target=lambda: listener.accept()[0].close())
        hanging_up.start()
        with pytest.raises(ControlError, match="reload again"):
            reload(settings)
        hanging_up.join()


def test_a_daemon_that_is_silent_is_named(path: Path, server: ControlServer) -> None:
    with pytest.raises(ControlError, match="does not answer") as silence:
        list(ControlClient(path).follow("models", within_s=0.05))
    assert silence.value.code == "control.silent"


def test_the_ledger_writes_when_the_loop_ticks(server: ControlServer, tmp_path: Path) -> None:
    textfile = tmp_path / "hark.prom"
    metrics = MetricsStore(tmp_path / "metrics.jsonl", keep=10, textfile=textfile)
    stage = ControlStage(server, metrics, Recollection())
    assert stage.deadline_s() == 0.0
    list(stage.feed(Tick(at_s=0.0)))
    assert textfile.exists()
    assert stage.deadline_s() is None
    list(stage.feed(StageRestarted(at_s=1.0, stage="asr", reason="hung")))
    assert stage.deadline_s() == 6.0
    list(stage.feed(Tick(at_s=5.9)))
    assert 'hark_restarts_total{stage="asr"} 1' not in textfile.read_text()
    list(stage.feed(Tick(at_s=6.0)))
    assert 'hark_restarts_total{stage="asr"} 1' in textfile.read_text()


def test_a_supervisor_that_takes_no_reload_is_named(
    path: Path, line: tuple[socket.socket, socket.socket]
) -> None:
    supervisor, theirs = line
    server = ControlServer(path, {}, theirs, STATUS)
    peer = Peer(path, server)
    supervisor.close()
    peer.ask("reload")
    peer.line()
    answer = peer.line()
    assert answer["code"] == "control.supervisor"
    assert "restart the daemon" in answer["message"]
    peer.close()
    server.close()


def test_a_socket_that_somebody_removed_need_not_be_removed(path: Path) -> None:
    server = ControlServer(path, {}, status=STATUS)
    path.unlink()
    server.close()


def test_what_a_server_held_is_let_go(path: Path) -> None:
    before = descriptors()
    server = ControlServer(path, {}, status=STATUS)
    peer = Peer(path, server)
    held = descriptors() - before
    assert len(held) > 3
    server.close()
    assert peer.ended()
    peer._lines.close()
    peer._socket.close()
    assert not held & descriptors()


def descriptors() -> set[tuple[str, str]]:
    """The open ones, each with what it is; threads of other tests may open and close theirs."""
    found = set()
    for one in Path("/proc/self/fd").iterdir():
        with suppress(FileNotFoundError):
            found.add((one.name, str(one.readlink())))
    return found
