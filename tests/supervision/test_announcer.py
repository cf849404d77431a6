"""What the supervisor tells, to a publisher that comes and goes and to a systemd of the tests."""

from __future__ import annotations

import math
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from assistant.core.fork import LARGEST_PACKET_BYTES
from assistant.core.messages import Reload, StageRestarted
from assistant.supervision.announcer import KEPT_NEWS, Announcer, status_of, summary
from assistant.supervision.channel import (
    Beat,
    News,
    ProcessStatus,
    Status,
    decode_news,
)
from assistant.supervision.process import Patience, Process, ProcessSpec
from assistant.supervision.sdnotify import Notifier

WATCHDOG_S = 10.0


def process(name: str, beat: Beat | None = None) -> Process:
    """One that runs, if it has beaten."""
    made = Process(ProcessSpec(name=name, target="m:f"), Patience(), 0.0)
    if beat is not None:
        made.start(0.0)
        made.forked(7)
        made.beaten(beat, 0.0)
    return made


def resting(name: str) -> Process:
    made = process(name)
    for _ in range(3):
        made.ended("killed by SIGSEGV", 0.0)
    return made


def restarted(number: int) -> StageRestarted:
    return StageRestarted(stage=f"s{number}", reason="hung")


class Listener:
    """systemd's end and the publisher's."""

    def __init__(self, folder: Path) -> None:
        self.address = str(folder / "notify")
        self._systemd = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._systemd.bind(self.address)
        self._systemd.setblocking(False)
        self.outlet, self._publisher = self._pair()

    @staticmethod
    def _pair() -> tuple[socket.socket, socket.socket]:
        pair = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        for end in pair:
            end.setblocking(False)
        return pair

    def successor(self) -> socket.socket:
        """Another publisher's line, after the first died."""
        self.outlet.close()
        self._publisher.close()
        self.outlet, self._publisher = self._pair()
        return self.outlet

    def hang_up(self) -> None:
        self._publisher.close()

    def news(self) -> list[News]:
        return [decode_news(packet) for packet in self._all(self._publisher)]

    def events(self) -> list[News]:
        return [news for news in self.news() if not isinstance(news, Status)]

    def systemd(self) -> list[str]:
        return [packet.decode().partition("\n")[0] for packet in self._all(self._systemd)]

    def close(self) -> None:
        for end in (self.outlet, self._publisher, self._systemd):
            end.close()

    @staticmethod
    def _all(end: socket.socket) -> list[bytes]:
        packets = []
        try:
            while True:
                packets.append(end.recv(LARGEST_PACKET_BYTES))
        except BlockingIOError:
            return packets


@pytest.fixture
def listener(tmp_path: Path) -> Iterator[Listener]:
    listener = Listener(tmp_path)
    yield listener
    listener.close()


@pytest.fixture
def announcer(listener: Listener) -> Announcer:
    return Announcer(Notifier(listener.address, WATCHDOG_S), 0.0)


def test_a_status_is_published_when_it_has_changed(
    announcer: Announcer, listener: Listener
) -> None:
    asr = process("asr", Beat())
    for _ in range(3):
        announcer.issue([asr], listener.outlet, 1.0)
    ready = ProcessStatus(name="asr", state="ready", pid=7)
    assert listener.news() == [Status(processes=(ready,))]
    asr.beaten(Beat(state="degraded", detail="no network"), 1.0)
    announcer.issue([asr], listener.outlet, 1.0)
    degraded = ProcessStatus(name="asr", state="degraded", pid=7, detail="no network")
    assert listener.news() == [Status(processes=(degraded,))]


def test_a_new_publisher_has_the_status_too(announcer: Announcer, listener: Listener) -> None:
    asr = process("asr", Beat())
    announcer.issue([asr], listener.outlet, 1.0)
    first = listener.news()
    announcer.issue([asr], None, 1.0)
    announcer.issue([asr], listener.outlet, 1.0)
    assert listener.news() == first


def test_news_wait_for_the_publisher_in_their_order(
    announcer: Announcer, listener: Listener
) -> None:
    for number in (1, 2):
        announcer.add(restarted(number))
    announcer.issue([], None, 1.0)
    assert listener.news() == []
    announcer.add(restarted(3))
    announcer.issue([], listener.outlet, 1.0)
    assert listener.events() == [restarted(n) for n in (1, 2, 3)]
    announcer.issue([], listener.outlet, 1.0)
    assert listener.events() == []


def test_what_a_dead_publisher_may_not_have_read_its_successor_is_sent(
    announcer: Announcer, listener: Listener
) -> None:
    announcer.add(restarted(1))
    announcer.issue([], listener.outlet, 1.0)
    announcer.read()
    for number in (2, 3):
        announcer.add(restarted(number))
    announcer.issue([], listener.outlet, 1.0)
    for _ in range(2):
        announcer.issue([], None, 1.0)
    announcer.add(restarted(4))
    announcer.issue([], listener.successor(), 1.0)
    assert listener.events() == [restarted(n) for n in (2, 3, 4)]
    announcer.read()
    announcer.issue([], None, 1.0)
    announcer.issue([], listener.successor(), 1.0)
    assert listener.events() == []


@pytest.mark.parametrize("gone", [False, True])
def test_what_a_publisher_does_not_take_its_successor_is_sent(
    announcer: Announcer, listener: Listener, gone: bool
) -> None:
    if gone:
        listener.hang_up()
    else:
        try:
            while True:
                listener.outlet.send(b"x" * 1000)
        except BlockingIOError:
            pass
    announcer.add(restarted(1))
    announcer.issue([], listener.outlet, 1.0)
    announcer.issue([], listener.successor(), 1.0)
    assert listener.events() == [restarted(1)]


def test_without_a_publisher_the_latest_news_are_kept(
    announcer: Announcer, listener: Listener
) -> None:
    for number in range(KEPT_NEWS + 1):
        announcer.add(restarted(number))
    announcer.issue([], listener.outlet, 1.0)
    assert listener.events() == [restarted(n) for n in range(1, KEPT_NEWS + 1)]


def test_systemd_is_told_once_that_all_is_up(announcer: Announcer, listener: Listener) -> None:
    asr, nlu = process("asr"), process("nlu", Beat())
    announcer.issue([asr, nlu], None, 0.0)
    announcer.issue([asr, nlu], None, 0.0)
    assert listener.systemd() == ["STATUS=waiting for asr", "WATCHDOG=1"]
    asr.start(0.0)
    asr.beaten(Beat(), 0.0)
    for _ in range(2):
        announcer.issue([asr, nlu], None, 1.0)
    assert listener.systemd() == ["STATUS=2 processes are up", "READY=1"]


def test_a_reload_is_over_when_it_was_published(announcer: Announcer, listener: Listener) -> None:
    asr = process("asr", Beat())
    announcer.issue([asr], None, 0.0)
    listener.systemd()
    announcer.add(restarted(1))
    assert listener.systemd() == []
    announcer.add(Reload())
    announcer.issue([asr], None, 1.0)
    assert listener.systemd() == ["RELOADING=1"]
    announcer.issue([asr], listener.outlet, 1.0)
    assert listener.systemd() == ["READY=1"]


def test_the_watchdog_is_fed_twice_in_its_interval(
    announcer: Announcer, listener: Listener
) -> None:
    asr = process("asr", Beat())
    assert announcer.due_s == 0.0
    fed = []
    for now_s in range(12):
        announcer.issue([asr], None, now_s)
        fed += [now_s] * listener.systemd().count("WATCHDOG=1")
    assert fed == [0, 5, 10]
    assert announcer.due_s == 15.0


def test_the_watchdog_starves_when_one_process_is_silent(
    announcer: Announcer, listener: Listener
) -> None:
    asr, nlu = process("asr", Beat()), process("nlu", Beat())
    silent_s = Patience().startup_s
    nlu.beaten(Beat(), silent_s - 1.0)
    announcer.issue([asr, nlu], None, silent_s - 1.0)
    assert "WATCHDOG=1" in listener.systemd()
    announcer.issue([asr, nlu], None, silent_s + 10.0)
    assert "WATCHDOG=1" not in listener.systemd()
    assert announcer.due_s == silent_s + 15.0


def test_without_a_watchdog_it_is_never_due(listener: Listener) -> None:
    announcer = Announcer(Notifier(listener.address), 0.0)
    announcer.issue([process("asr", Beat())], None, 1e9)
    assert announcer.due_s == math.inf
    assert "WATCHDOG=1" not in listener.systemd()


def test_systemd_is_told_of_the_end(announcer: Announcer, listener: Listener) -> None:
    announcer.stopping()
    assert listener.systemd() == ["STOPPING=1"]


def test_of_one_that_is_down_its_reason_is_shown_and_of_one_that_runs_its_beat() -> None:
    failed = process("asr", Beat(state="degraded", detail="no network"))
    failed.ended("exited with status 3", 1.0)
    waiting = ProcessStatus(name="asr", state="waiting", detail="exited with status 3")
    assert status_of(failed) == waiting
    failed.start(2.0)
    failed.forked(8)
    starting = ProcessStatus(
        name="asr", state="starting", pid=8, detail="exited with status 3", restarts=1
    )
    assert status_of(failed) == starting
    failed.beaten(Beat(), 2.0)
    ready = ProcessStatus(name="asr", state="ready", pid=8, restarts=1)
    assert status_of(failed) == ready
    assert status_of(resting("nlu")).state == "safe mode"


def test_one_line_says_what_is_missing() -> None:
    up, coming = process("asr", Beat()), process("nlu")
    assert summary([up]) == "1 processes are up"
    assert summary([up, coming, process("tts")]) == "waiting for nlu, tts"
    assert summary([up, resting("answer")]) == "safe mode without answer"
    assert summary([up, resting("answer"), coming]) == "waiting for nlu"
