"""The beats of a work loop on their line, with time as data."""

from __future__ import annotations

import socket
from collections.abc import Iterator

import msgspec
import pytest

from assistant.core.fork import LARGEST_PACKET_BYTES
from assistant.supervision.channel import Beat, decode_told
from assistant.supervision.heartbeat import Heartbeat


class Clock:
    now_s = 100.0

    def __call__(self) -> float:
        return self.now_s


class Line:
    """Both ends of the line."""

    def __init__(self) -> None:
        self.ours, self.theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self.ours.setblocking(False)

    def told(self) -> list[object]:
        """What has come to the supervisor."""
        beats: list[object] = []
        try:
            while True:
                beats.append(decode_told(self.ours.recv(LARGEST_PACKET_BYTES)))
        except BlockingIOError:
            return beats


@pytest.fixture
def line() -> Iterator[Line]:
    line = Line()
    yield line
    line.ours.close()
    line.theirs.close()


def test_the_same_beat_is_told_again_only_when_it_is_due(line: Line) -> None:
    clock = Clock()
    heartbeat = Heartbeat(line.theirs, every_s=0.25, clock=clock)
    heartbeat.beat()
    heartbeat.beat()
    clock.now_s += 0.24
    heartbeat.beat()
    assert line.told() == [Beat()]
    clock.now_s += 0.01
    heartbeat.beat()
    clock.now_s += 0.24
    heartbeat.beat()
    assert line.told() == [Beat()]


def test_four_beats_a_second_are_enough(line: Line) -> None:
    clock = Clock()
    heartbeat = Heartbeat(line.theirs, clock=clock)
    for _ in range(100):
        heartbeat.beat()
        clock.now_s += 0.0625
    assert line.told() == [Beat()] * 25


def test_another_state_is_told_at_once(line: Line) -> None:
    heartbeat = Heartbeat(line.theirs, clock=Clock())
    heartbeat.beat()
    heartbeat.reloading()
    heartbeat.beat("degraded", "no network")
    heartbeat.beat("degraded", "no disk")
    heartbeat.beat()
    assert line.told() == [
        Beat(state="ready", detail=""),
        Beat(state="reloading", detail=""),
        Beat(state="degraded", detail="no network"),
        Beat(state="degraded", detail="no disk"),
        Beat(state="ready", detail=""),
    ]


def test_a_supervisor_that_does_not_read_never_holds_the_loop_up(line: Line) -> None:
    heartbeat = Heartbeat(line.theirs, every_s=0.0)
    for _ in range(5_000):
        heartbeat.beat()
    assert 0 < len(line.told()) < 5_000


@pytest.mark.parametrize("unread", [False, True])
def test_a_supervisor_that_is_gone_is_no_fault_of_the_loop(line: Line, unread: bool) -> None:
    heartbeat = Heartbeat(line.theirs, every_s=0.0)
    if unread:
        line.ours.send(b"news")
    line.ours.close()
    heartbeat.beat()
    heartbeat.beat()


@pytest.mark.parametrize(
    "packet", [b"", b"{", b"\xff", b'{"type":"\xff"}', b'{"type":"Level"}', b"[" * 100_000]
)
def test_what_is_no_beat_is_refused(packet: bytes) -> None:
    with pytest.raises(msgspec.DecodeError):
        decode_told(packet)


def test_where_nobody_supervises_a_beat_is_nothing() -> None:
    Heartbeat().beat()
    Heartbeat().reloading()
