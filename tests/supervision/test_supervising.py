"""What the supervisor orders and when: simulated processes, and time that passes as it waits."""

from __future__ import annotations

import heapq
import itertools
import os
import select
import selectors
import signal
import socket
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import pytest

from assistant.core.messages import Reload, StageRestarted
from assistant.supervision import supervisor
from assistant.supervision.bounds import Bounds
from assistant.supervision.channel import Beat, News, Status, decode_news, encode
from assistant.supervision.process import Patience, ProcessSpec
from assistant.supervision.sdnotify import Notifier
from assistant.supervision.supervisor import Supervisor
from assistant.supervision.zygote import Alive, Fork, Forked, ProcessEnded

LOADED_S = 0.5
BEAT_S = 0.25
_really_select = select.select


class Order(NamedTuple):
    """What the zygote was asked for: to send the signal `what`, or with SIGCHLD to fork."""

    at_s: float
    name: str
    what: signal.Signals = signal.SIGCHLD


class World:
    """Time from 0, what is to happen at which, and the zygotes with all that they were asked."""

    def __init__(self) -> None:
        self.now_s = 0.0
        self.zygotes: list[StandIn] = []
        self.orders: list[Order] = []
        self.looks: list[tuple[float, int]] = []
        self.greedy: set[int] = set()
        self.silent: set[str] = set()
        """Processes that do not beat."""
        self.starved_s = (0.0, 0.0)
        """From when to when others have the processor."""
        self._happenings: list[tuple[float, int, Callable[[], object]]] = []
        self._asked = 0
        self._count = itertools.count()

    def clock(self) -> float:
        self._asked += 1
        assert self._asked < 50_000, "it does not wait"
        return self.now_s

    def at(self, at_s: float, happening: Callable[[], object]) -> None:
        heapq.heappush(self._happenings, (at_s, next(self._count), happening))

    def stops_at(self, at_s: float, number: signal.Signals = signal.SIGTERM) -> None:
        self.at(at_s, lambda: signal.raise_signal(number))

    def passes(self, until_s: float) -> None:
        """Go on to what happens next, or to `until_s` if that is sooner."""
        if self._happenings and self._happenings[0][0] <= until_s:
            self.now_s, _, happening = heapq.heappop(self._happenings)
            happening()
        else:
            self.now_s = until_s

    def zygote(self, preload: Sequence[str], log_level: str) -> StandIn:
        self.zygotes.append(StandIn(self, preload, log_level))
        return self.zygotes[-1]

    def excess(self, pid: int, bounds: Bounds) -> str:
        self.looks.append((self.now_s, pid))
        return "uses 9 files" if pid in self.greedy else ""

    def waits_s(self, _: int, forks: bool) -> dict[str, float]:
        begin_s, end_s = self.starved_s
        return {"1": max(0.0, min(self.now_s, end_s) - begin_s)}

    def signals(self) -> list[Order]:
        return [order for order in self.orders if order.what is not signal.SIGCHLD]

    def forks(self, name: str) -> list[float]:
        forks = [o for o in self.orders if o.name == name and o.what is signal.SIGCHLD]
        return [order.at_s for order in forks]


class StandIn:
    """A zygote whose processes are there at once and beat four times a second."""

    def __init__(self, world: World, preload: Sequence[str], log_level: str) -> None:
        self.given = (tuple(preload), log_level)
        self.closed = self.dead = self.mute = False
        self.lines: dict[str, socket.socket] = {}
        self.pids: dict[str, int] = {}
        self._world = world
        self._ours, self._theirs = socket.socketpair()
        self._unread: list[Alive | Forked | ProcessEnded] = []
        world.at(world.now_s + LOADED_S, self._lives)

    def fileno(self) -> int:
        return self._ours.fileno()

    def _lives(self) -> None:
        if not (self.closed or self.dead or self.mute):
            self.reports_of(Alive())
            self._world.at(self._world.now_s + 1.0, self._lives)

    def reports_of(self, *reports: Alive | Forked | ProcessEnded) -> None:
        self._unread += reports
        self._theirs.send(b".")

    def dies(self) -> None:
        self.dead = True
        self._theirs.send(b".")

    def ends(self, name: str, reason: str) -> None:
        """A process ends; its line may be found closed in the same round."""
        self.reports_of(ProcessEnded(name=name, reason=reason))
        self.lines[name].close()

    def beats(self, name: str, *beats: Beat | Reload) -> None:
        for beat in beats or (Beat(),):
            with suppress(OSError):
                self.lines[name].send(encode(beat))

    def news(self, name: str) -> list[News]:
        """What a process was sent and has not read."""
        news = []
        with suppress(BlockingIOError, OSError):
            while packet := self.lines[name].recv(65_536, socket.MSG_DONTWAIT):
                news.append(decode_news(packet))
        return news

    def reports(self) -> Iterator[Alive | Forked | ProcessEnded]:
        with suppress(BlockingIOError):
            self._ours.recv(4096, socket.MSG_DONTWAIT)
        while self._unread:
            yield self._unread.pop(0)
        if self.dead:
            raise EOFError("the zygote is gone")

    def fork(self, order: Fork, line: socket.socket) -> None:
        self._world.orders.append(Order(self._world.now_s, order.name))
        self.lines[order.name] = socket.socket(fileno=os.dup(line.fileno()))
        pid = self.pids[order.name] = 1000 + len(self._world.orders)
        self.reports_of(Forked(name=order.name, pid=pid))
        self._goes_on(order.name, self.lines[order.name])

    def _goes_on(self, name: str, line: socket.socket) -> None:
        if line.fileno() != -1 and self.lines[name] is line and not self.closed:
            if name not in self._world.silent:
                self.beats(name)
            self._world.at(self._world.now_s + BEAT_S, lambda: self._goes_on(name, line))

    def signal(self, name: str, number: signal.Signals) -> None:
        self._world.orders.append(Order(self._world.now_s, name, number))

    def obeys(self) -> None:
        """From now on processes end when they are told to."""

        def told(name: str, number: signal.Signals) -> None:
            self._world.orders.append(Order(self._world.now_s, name, number))
            self.ends(name, f"killed by {number.name}")

        self.signal = told  # type: ignore[method-assign]

    def close(self) -> None:
        self.closed = True
        for end in (self._ours, self._theirs):
            end.close()


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> Iterator[World]:
    world = World()

    class Waiting(selectors.EpollSelector):
        def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
            assert timeout is not None
            until_s = world.now_s + timeout
            while not (ready := super().select(0)) and world.now_s < until_s:
                world.passes(until_s)
            return ready

    def wait(ends: list[StandIn], *others: object) -> None:
        until_s = world.now_s + float(str(others[-1]))
        while not _really_select(ends, [], [], 0)[0] and world.now_s < until_s:
            world.passes(until_s)

    monkeypatch.setattr(supervisor.selectors, "DefaultSelector", Waiting)
    monkeypatch.setattr(supervisor.select, "select", wait)
    monkeypatch.setattr(supervisor, "Zygote", world.zygote)
    monkeypatch.setattr(supervisor, "excess", world.excess)
    monkeypatch.setattr(supervisor, "waits_s", world.waits_s)
    numbers = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)
    before = {number: signal.getsignal(number) for number in numbers}
    yield world
    signal.set_wakeup_fd(-1)
    for number, handler in before.items():
        signal.signal(number, handler)
    for zygote in world.zygotes:
        zygote.close()
        for line in zygote.lines.values():
            line.close()


def supervises(world: World, *names: str, patience: Patience = Patience()) -> Supervisor:  # noqa: B008
    specs = [ProcessSpec(name=name, target="m:f") for name in names]
    return Supervisor(specs, patience=patience, notifier=Notifier(), clock=world.clock)


def test_all_are_forked_as_soon_as_the_zygote_has_loaded_and_told_to_end(world: World) -> None:
    files = len(os.listdir("/proc/self/fd"))
    handlers = [signal.getsignal(n) for n in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)]
    specs = [ProcessSpec(name=name, target="m:f") for name in ("asr", "control")]
    subject = Supervisor(specs, ("numpy",), log_level="error", clock=world.clock)
    world.stops_at(3.1)
    world.at(3.0, lambda: world.zygotes[0].obeys())
    assert subject.run() == 0
    (zygote,) = world.zygotes
    assert zygote.given == (("numpy",), "error")
    assert world.forks("asr") == world.forks("control") == [LOADED_S]
    ended = {Order(3.1, name, signal.SIGTERM) for name in ("asr", "control")}
    assert set(world.signals()) == ended
    assert (world.now_s, zygote.closed) == (3.1, True)
    assert [signal.getsignal(n) for n in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)] == handlers
    assert signal.set_wakeup_fd(-1) == -1
    assert len(os.listdir("/proc/self/fd")) == files


def test_those_that_do_not_end_in_time_are_left_to_the_zygotes_end(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    world.stops_at(3.1, signal.SIGINT)
    assert supervises(world, "asr").run() == 0
    assert world.now_s == pytest.approx(3.1 + 1.5)
    assert world.zygotes[0].closed
    assert world.zygotes[0].lines["asr"].recv(1) == b""
    assert "asr: did not end in time, is killed (process.late)" in caplog.text


def test_a_zygote_that_dies_at_the_end_ends_all(world: World) -> None:
    world.stops_at(3.1)
    world.at(3.2, lambda: world.zygotes[0].dies())
    assert supervises(world, "asr").run() == 0
    assert world.now_s == 3.2


def test_nothing_is_started_by_a_zygote_that_has_not_loaded(world: World) -> None:
    world.at(0.1, lambda: setattr(world.zygotes[0], "mute", True))
    world.at(59.9, lambda: world.orders.append(Order(59.9, "nobody")))
    world.stops_at(62.0)
    supervises(world, "asr").run()
    assert world.orders[0].name == "nobody"
    assert len(world.zygotes) == 2  # the first was given up after the time for a start
    assert world.forks("asr") == [pytest.approx(60.0 + 0.1 + LOADED_S)]


def test_a_zygote_that_falls_silent_is_replaced_with_all_that_it_forked(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    world.at(3.6, lambda: setattr(world.zygotes[0], "mute", True))  # it was heard at 3.5
    world.stops_at(12.0)
    subject = supervises(world, "asr", "control")
    subject.run()
    first, second = world.zygotes
    assert first.closed
    again_s = 3.5 + 5.0 + 0.1 + LOADED_S
    assert world.forks("asr") == world.forks("control") == [LOADED_S, pytest.approx(again_s)]
    assert "supervisor: the zygote hung, all is started again (zygote.lost)" in caplog.text
    told = {n.stage: n.reason for n in second.news("control") if isinstance(n, StageRestarted)}
    assert told == {"asr": "the zygote hung", "control": "the zygote hung"}


def test_a_zygote_that_dies_again_and_again_is_waited_for_ever_longer(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[float] = []
    died: list[float] = []
    make = world.zygote

    def dies() -> None:
        died.append(world.now_s)
        world.zygotes[-1].dies()

    def zygote(preload: Sequence[str], log_level: str) -> StandIn:
        made.append(world.now_s)
        if len(made) <= 6:
            world.at(world.now_s + (60.5 if len(made) == 4 else 2.0), dies)
        return make(preload, log_level)

    monkeypatch.setattr(supervisor, "Zygote", zygote)
    world.stops_at(86.0)
    supervises(world, "asr").run()
    waited = [made[0], *(after - before for before, after in zip(died, made[1:], strict=True))]
    assert waited == pytest.approx([0.0, 0.1, 0.5, 1.0, 0.1, 0.5, 1.0])


def test_one_that_is_silent_is_killed_when_its_time_is_over_and_named(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    world.at(3.1, lambda: world.silent.add("asr"))  # its last beat is that of 3.0
    world.stops_at(10.0)
    supervises(world, "asr", "control").run()
    assert world.signals()[0] == Order(8.0, "asr", signal.SIGKILL)
    assert "asr: no beat in time, is killed (process.hung)" in caplog.text


def test_one_that_never_beats_has_the_time_of_a_start_and_is_not_told_to_be_back(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    world.silent.add("asr")
    world.at(1.0, lambda: world.zygotes[0].obeys())
    world.stops_at(70.0)
    supervises(world, "asr", "control").run()
    assert world.signals()[0] == Order(LOADED_S + 60.0, "asr", signal.SIGKILL)
    assert world.forks("asr") == [LOADED_S, pytest.approx(LOADED_S + 60.0 + 0.1)]
    assert "asr: started again: hung (process.restarted)" in caplog.text
    assert all(isinstance(news, Status) for news in world.zygotes[0].news("control"))


def test_one_that_waits_for_a_processor_is_waited_for_and_told_of_once(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    world.starved_s = (11.1, 40.0)
    world.at(11.1, lambda: world.silent.add("asr"))
    world.at(40.0, lambda: world.silent.remove("asr"))
    world.stops_at(60.0)
    supervises(world, "asr", "control").run()
    assert not [order for order in world.signals() if order.what is signal.SIGKILL]
    assert caplog.text.count("asr: no beat, as it waits for a processor (process.starved)") == 1


def test_one_that_hangs_is_killed_though_it_waited_for_a_processor_before(world: World) -> None:
    world.starved_s = (1.0, 19.0)
    world.at(21.1, lambda: world.silent.add("asr"))
    world.stops_at(30.0)
    supervises(world, "asr", "control").run()
    assert world.signals()[0] == Order(26.0, "asr", signal.SIGKILL)


def test_one_that_ends_is_started_after_its_back_off_and_told_when_it_is_back(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level("INFO"):
        world.at(0.6, lambda: world.silent.add("asr"))
        world.at(3.1, lambda: world.zygotes[0].ends("asr", "killed by SIGSEGV"))
        news: list[list[News]] = []
        world.at(3.9, lambda: news.append(world.zygotes[0].news("control")))
        world.at(4.0, world.silent.clear)
        world.at(5.0, lambda: news.append(world.zygotes[0].news("control")))
        world.stops_at(5.1)
        supervises(world, "asr", "control").run()
    assert world.forks("asr") == [LOADED_S, pytest.approx(3.2)]
    assert world.forks("control") == [LOADED_S]
    back = StageRestarted(stage="asr", reason="killed by SIGSEGV")
    early, late = ([n for n in told if not isinstance(n, Status)] for told in news)
    assert (early, late) == ([], [back])
    assert caplog.text.count("asr: ended: killed by SIGSEGV (process.ended)") == 1
    assert caplog.text.count("asr: started again: killed by SIGSEGV (process.restarted)") == 1
    assert "control: started again" not in caplog.text


def test_attempts_in_safe_mode_are_not_told_as_restarts(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    for at_s in (2.0, 4.0, 6.0):
        world.at(at_s, lambda: world.zygotes[0].ends("asr", "killed by SIGSEGV"))
    world.stops_at(70.0)
    supervises(world, "asr", "control").run()
    assert "asr: failed too often and stays down (process.safe_mode)" in caplog.text
    assert len(world.forks("asr")) == 4
    assert world.forks("asr")[-1] == pytest.approx(66.0)
    assert caplog.text.count("(process.restarted)") == 2


def test_one_that_hangs_up_and_lives_is_not_listened_to_for_ever(world: World) -> None:
    world.at(3.1, lambda: world.zygotes[0].lines["asr"].close())
    world.stops_at(7.0)
    supervises(world, "asr").run()  # the clock tells of a loop that does not wait
    assert world.signals() == [Order(7.0, "asr", signal.SIGTERM)]


def test_one_that_dies_with_news_unread_is_as_one_that_hangs_up(world: World) -> None:
    world.at(3.1, lambda: world.zygotes[0].ends("control", "killed by SIGKILL"))
    world.stops_at(4.0)
    supervises(world, "asr", "control").run()
    assert world.forks("control") == [LOADED_S, pytest.approx(3.2)]


def test_each_of_several_beats_at_once_is_heard(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    degraded = Beat(state="degraded", detail="no network")
    told: list[Status] = []

    def look() -> None:
        told.extend(n for n in world.zygotes[0].news("control") if isinstance(n, Status))

    world.at(3.1, lambda: world.zygotes[0].beats("asr", Beat(), degraded))
    world.at(3.2, look)
    world.stops_at(3.3)
    supervises(world, "asr", "control").run()
    assert told[-1].processes[0].state == "degraded"
    assert "(process.beat)" not in caplog.text


def test_what_was_published_is_not_published_by_a_successor(world: World) -> None:
    news: list[News] = []

    def read() -> None:
        news.extend(world.zygotes[0].news("control"))

    world.at(2.0, lambda: world.zygotes[0].ends("asr", "hung"))
    for at_s in (2.9, 3.9, 5.0):
        world.at(at_s, read)
    world.at(4.0, lambda: world.zygotes[0].ends("control", "hung"))
    world.stops_at(5.1)
    supervises(world, "asr", "control").run()
    told = [n.stage for n in news if isinstance(n, StageRestarted)]
    assert told == ["asr", "control"]


def test_what_nobody_was_there_to_publish_its_successor_does(world: World) -> None:
    world.at(1.9, lambda: world.silent.add("control"))
    world.at(2.0, lambda: world.zygotes[0].ends("asr", "hung"))
    world.at(3.0, lambda: world.zygotes[0].ends("control", "hung"))
    unheard: list[list[News]] = []
    world.at(3.9, lambda: unheard.append(world.zygotes[0].news("control")))
    world.at(4.0, world.silent.clear)
    world.stops_at(5.0)
    supervises(world, "asr", "control").run()
    assert unheard == [[]]  # it starts, and is no publisher before its first beat
    told = [n.stage for n in world.zygotes[0].news("control") if isinstance(n, StageRestarted)]
    assert told == ["asr", "control"]


def test_without_a_publisher_all_goes_on(world: World) -> None:
    world.at(2.0, lambda: world.zygotes[0].ends("asr", "hung"))
    world.stops_at(3.0)
    assert supervises(world, "asr").run() == 0
    assert len(world.forks("asr")) == 2


def test_what_runs_is_looked_at_every_ten_seconds(
    world: World, caplog: pytest.LogCaptureFixture
) -> None:
    world.silent.add("nlu")  # it starts
    world.at(15.0, lambda: world.greedy.add(world.zygotes[0].pids["asr"]))
    world.stops_at(35.0)
    supervises(world, "asr", "nlu").run()
    asr = world.zygotes[0].pids["asr"]
    # At the first look nothing has beaten; when the second is due, it has been running.
    assert world.looks == [(10.5, asr), (20.5, asr)]
    assert world.signals()[0] == Order(20.5, "asr", signal.SIGUSR1)
    assert "asr: uses 9 files; is started again (process.bounds)" in caplog.text


def test_one_that_beats_before_it_is_known_to_exist_is_not_looked_at(world: World) -> None:
    def told(self: StandIn, *reports: Alive | Forked | ProcessEnded) -> None:
        StandIn.reports_of(self, *(r for r in reports if not isinstance(r, Forked)))

    world.at(0.1, lambda: setattr(world.zygotes[0], "reports_of", told.__get__(world.zygotes[0])))
    world.stops_at(12.0)
    supervises(world, "asr").run()
    assert world.looks == []


def test_a_flood_of_sighups_is_one_reload_and_nothing_else(
    world: World, capfd: pytest.CaptureFixture[str]
) -> None:
    def flood() -> None:
        for _ in range(2_000):
            signal.raise_signal(signal.SIGHUP)

    world.at(3.1, flood)
    world.stops_at(5.0)
    supervises(world, "asr", "control").run()
    assert [n for n in world.zygotes[0].news("control") if isinstance(n, Reload)] == [Reload()]
    assert "Exception ignored" not in capfd.readouterr().err


def test_systemd_is_told_where_it_asked_to_be_unless_another_is_named(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as systemd:
        systemd.bind(str(tmp_path / "notify"))
        systemd.setblocking(False)
        monkeypatch.setenv("NOTIFY_SOCKET", str(tmp_path / "notify"))
        world.stops_at(3.0)
        Supervisor([ProcessSpec(name="asr", target="m:f")], clock=world.clock).run()
        assert systemd.recv(4096) == b"STATUS=waiting for asr"
        with suppress(BlockingIOError):
            while systemd.recv(4096):
                pass
        world.stops_at(world.now_s + 3.0)
        supervises(world, "asr").run()
        with pytest.raises(BlockingIOError):
            systemd.recv(4096)
