"""Both ends of the control socket by themselves: who may come in, and what a client is told."""

from __future__ import annotations

import os
import socket
import stat
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from assistant.control import connection
from assistant.control.client import ControlClient
from assistant.control.connection import Connection, listen
from assistant.core.errors import ControlError, TurnedAwayError


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "control.sock"


@pytest.fixture
def nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without the group."""

    def getgrnam(_: str) -> Any:
        raise KeyError

    monkeypatch.setattr("grp.getgrnam", getgrnam)


@contextmanager
def daemon(path: Path, *answers: bytes, unread: bool = False) -> Iterator[list[bytes]]:
    """Answers one caller, and hangs up; gives what was asked."""
    asked: list[bytes] = []
    listener = listen(path)
    listener.settimeout(20)

    def serve() -> None:
        peer, _ = listener.accept()
        with peer:
            peer.settimeout(20)
            asked.append(peer.recv(4 if unread else 4096))
            for answer in answers:
                peer.sendall(answer)

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield asked
    finally:
        thread.join()
        listener.close()


@pytest.mark.usefixtures("nobody")
def test_without_the_group_the_socket_is_the_users_alone(path: Path) -> None:
    before = os.umask(0o027)
    try:
        listen(path).close()
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert os.umask(0o027) == 0o027
    finally:
        os.umask(before)


def test_a_socket_that_cannot_be_had_is_named_and_the_umask_is_as_before(tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        with pytest.raises(ControlError, match="No such file or directory") as fault:
            listen(tmp_path / "nowhere" / "control.sock")
        assert fault.value.code == "control.socket"
        assert os.umask(0o022) == 0o022
    finally:
        os.umask(before)


def test_a_caller_that_went_before_it_was_let_in_is_waited_for_by_nobody(path: Path) -> None:
    with listen(path) as listener, pytest.raises(BlockingIOError):
        listener.accept()


@pytest.mark.parametrize("refused", [False, True])
def test_the_socket_is_given_to_the_group_where_that_may_be_done(
    path: Path, monkeypatch: pytest.MonkeyPatch, refused: bool
) -> None:
    group = os.getgid() + 1
    given: list[tuple[object, int, int]] = []

    def chown(file: object, uid: int, gid: int) -> None:
        if refused:
            raise PermissionError
        given.append((file, uid, gid))

    monkeypatch.setattr("grp.getgrnam", lambda name: SimpleNamespace(gr_gid=group))
    monkeypatch.setattr("os.chown", chown)
    listen(path).close()
    assert given == ([] if refused else [(path, -1, group)])
    assert stat.S_IMODE(path.stat().st_mode) == (0o600 if refused else 0o660)


def test_a_living_one_is_left_alone(path: Path) -> None:
    with listen(path), pytest.raises(ControlError, match="stop it first") as fault:
        listen(path)
    assert fault.value.code == "control.taken"
    listen(path).close()


def test_one_whose_queue_is_full_lives_too(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as full:
        full.bind(str(path))
        full.listen(0)
        waiting = [socket.socket(socket.AF_UNIX) for _ in range(3)]
        for one in waiting:
            one.setblocking(False)
            one.connect_ex(str(path))
        with pytest.raises(ControlError, match="another assistant answers"):
            listen(path)
        for one in waiting:
            one.close()


def test_a_user_from_another_namespace_was_checked_by_the_kernel(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "overflowuid"
    assert connection.OVERFLOW_UID_FILE.exists()
    monkeypatch.setattr(connection, "OVERFLOW_UID_FILE", file)
    assert connection._overflow_uid() == 65534
    file.write_text("77\n")
    assert connection._overflow_uid() == 77


@pytest.mark.usefixtures("nobody")
def test_where_there_is_no_group_nobody_is_in_it() -> None:
    assert not connection._in_group(os.getuid() + 1, 0)


def test_a_caller_is_behind_until_it_has_read() -> None:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
    ours.setblocking(False)
    served = Connection(ours, 0.0)
    with ours, theirs:
        assert served.descriptor == ours.fileno()
        assert not served.behind
        line = b"x" * 400_000 + b"\n"
        served.send(line)
        assert served.behind
        received = b""
        while served.behind:
            received += theirs.recv(65_536)
            served.flush()
        while len(received) < len(line):
            received += theirs.recv(65_536)
        assert received == line
        theirs.sendall(b"one\ntwo\nthr")
        assert served.line() == b"one"
        assert served.asks
        assert [served.line(), served.line()] == [b"two", None]
        assert not served.asks
        theirs.sendall(b"ee\n")
        assert served.line() == b"three"
        theirs.close()
        with pytest.raises(ConnectionError, match=r"caller hung up$"):
            served.line()
        served.close()
        with pytest.raises(ConnectionError, match=r"does not read$"):
            served.send(b"too late\n")


@pytest.fixture
def pair() -> Iterator[tuple[Connection, socket.socket]]:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
    ours.setblocking(False)
    with ours, theirs:
        yield Connection(ours, 0.0), theirs


def test_while_a_line_waits_nothing_more_is_received(
    pair: tuple[Connection, socket.socket],
) -> None:
    served, theirs = pair
    theirs.sendall(b"one\ntwo\n")
    assert served.line() == b"one"
    theirs.sendall(b"three\n")
    assert served.line() == b"two"
    assert not served.behind
    assert served.line() == b"three"


def test_a_line_may_be_so_long_and_no_longer(pair: tuple[Connection, socket.socket]) -> None:
    served, theirs = pair
    longest = b"x" * 65_536
    theirs.sendall(longest + b"\n")
    assert [served.line(), served.line()] == [None, longest]
    theirs.sendall(longest)
    assert [served.line(), served.line()] == [None, None]
    theirs.sendall(b"x")
    with pytest.raises(ConnectionError, match=r"a line without end$"):
        served.line()


def test_a_caller_may_be_so_far_behind_and_no_further(
    pair: tuple[Connection, socket.socket],
) -> None:
    served, _ = pair
    with socket.socket(fileno=os.dup(served.descriptor)) as ours, suppress(BlockingIOError):
        while True:
            ours.send(b"x")
    served.send(b"x" * 1_000_000)
    served.send(b"x")
    with pytest.raises(ConnectionError, match=r"does not read$"):
        served.send(b"x")


def test_what_is_asked_is_one_line(path: Path) -> None:
    with daemon(path, b'{"type":"Models"}\n') as asked:
        assert ControlClient(path).ask("models") == {"type": "Models"}
    assert asked == [b'{"command":"models"}\n']
    with daemon(path, b"{}\n") as asked:
        ControlClient(path).ask("use", "nlu", "ner", "2")
    assert asked == [b'{"command":"use","arguments":["nlu","ner","2"]}\n']


def test_every_line_is_followed_until_the_daemon_hangs_up(path: Path) -> None:
    with daemon(path, b'{"n":1}\n{"n":2}\n', b'{"n":3}\n'):
        assert list(ControlClient(path).follow("watch")) == [{"n": 1}, {"n": 2}, {"n": 3}]


def test_a_daemon_that_hangs_up_without_a_word_is_named(path: Path) -> None:
    with daemon(path), pytest.raises(ControlError, match="hung up") as fault:
        ControlClient(path).ask("models")
    assert fault.value.code == "control.silent"


def test_a_daemon_that_is_killed_ends_its_answer(path: Path) -> None:
    with daemon(path, b'{"n":1}\n', unread=True):
        assert list(ControlClient(path).follow("watch")) in ([{"n": 1}], [])


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        ("control.busy", TurnedAwayError),
        ("control.forbidden", TurnedAwayError),
        ("control.idle", TurnedAwayError),
        ("control.unknown", ControlError),
    ],
)
def test_a_refusal_is_raised_as_it_was_told(path: Path, code: str, kind: type) -> None:
    refusal = f'{{"type":"Error","code":"{code}","message":"16 callers are served already"}}\n'
    with daemon(path, refusal.encode()), pytest.raises(ControlError) as fault:
        ControlClient(path).ask("models")
    assert (type(fault.value), fault.value.code) == (kind, code)
    assert fault.value.message == "16 callers are served already"


def test_who_is_turned_away_before_it_has_asked_reads_why(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    listener, really = listen(path), socket.socket.connect

    def connect(caller: socket.socket, address: str) -> None:
        really(caller, address)
        peer, _ = listener.accept()
        with peer:
            peer.sendall(b'{"type":"Error","code":"control.busy","message":"come later"}\n')

    monkeypatch.setattr(socket.socket, "connect", connect)
    with listener, pytest.raises(TurnedAwayError, match=r"^come later$"):
        ControlClient(path).ask("models")


def test_whose_the_daemon_is_not_is_told_whom_it_serves(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def connect(*_: object) -> None:
        raise PermissionError

    monkeypatch.setattr(socket.socket, "connect", connect)
    with pytest.raises(ControlError) as fault:
        ControlClient(path).ask("models")
    assert fault.value.code == "control.forbidden"
    assert fault.value.message == f"{path}: not yours to ask; join the group assistant"


def test_one_answer_is_waited_for_for_ten_seconds(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited: list[float] = []

    def follow(_: ControlClient, command: str, within_s: float, *rest: object) -> Iterator[Any]:
        waited.append(within_s)
        yield {"type": command}

    monkeypatch.setattr(ControlClient, "follow", follow)
    assert ControlClient(path).ask("models") == {"type": "models"}
    assert waited == [10.0]


@pytest.mark.parametrize("dead", [False, True])
def test_where_no_daemon_runs_it_is_said_how_to_start_one(path: Path, dead: bool) -> None:
    if dead:
        with socket.socket(socket.AF_UNIX) as crashed:
            crashed.bind(str(path))
    with pytest.raises(ControlError, match="sudo systemctl start assistant") as fault:
        ControlClient(path).ask("status")
    assert fault.value.code == "control.down"
