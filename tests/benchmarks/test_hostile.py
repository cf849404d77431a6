"""What the watchers of an attack notice, and a small version of each attack on a real daemon."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, nullcontext
from pathlib import Path
from typing import ClassVar

import msgspec
import pytest

from assistant.bench.rig import Rig
from assistant.control.client import ControlClient
from assistant.core.bus import Address, Bus
from assistant.core.config import Config
from assistant.core.messages import Command, Commit, Interpretation, Slot
from assistant.serving.processes import consumers
from benchmarks.hostile import campaign
from benchmarks.hostile.attack import Attack, changed
from benchmarks.hostile.bus import BusAttack
from benchmarks.hostile.calendars import CalendarsAttack
from benchmarks.hostile.campaign import run, session
from benchmarks.hostile.control import ControlAttack
from benchmarks.hostile.documents import DocumentsAttack
from benchmarks.hostile.figures import (
    MOST_GROWN_MB,
    MOST_LOGGED_BYTES,
    SLOWEST_MS,
    Figures,
    added,
    as_object,
)
from benchmarks.hostile.models import ModelsAttack
from benchmarks.hostile.prober import Served
from benchmarks.hostile.settings import ConfigAttack
from benchmarks.hostile.sound import AudioAttack
from benchmarks.hostile.state import StateAttack, judge
from benchmarks.hostile.target import Effects, Target, running_target
from benchmarks.hostile.watcher import Watched

LEAK = """import sys
sys.stdin.readline()
kept = b"x" * 250_000_000
print(flush=True)
sys.stdin.read()"""
FINE = Served(probes=3, slowest_reply_ms=1.0)


class Planted:
    """An attack whose blows do what the test says."""

    name = "planted"
    blows = 1

    def __init__(self, folder: Path, seed: int) -> None:
        self.settings = ""

    def open(self, target: Target) -> None:
        self.target = target

    def blow(self, number: int) -> str:
        return ""

    def wrong(self, before: Effects, after: Effects) -> list[str]:
        return changed(before, after)

    def close(self) -> None:
        pass


def test_a_log_that_moves_a_terminal_is_noticed() -> None:
    assert campaign.forged(b"12:00 bridge: WARNING light.x\\x1b[2J\n\0\0") == []
    assert campaign.forged(b"12:00 bridge: WARNING light.x\x1b[2J\n") == ["the log has '\\x1b'"]


def test_what_is_kept_is_lost_with_a_word_bounded_and_in_its_place(tmp_path: Path) -> None:
    for number in range(45):
        folder = tmp_path / str(number)
        folder.mkdir()
        assert judge(f"{folder}|{number}|{number % 3}") == ""


def dealt(attack: Attack, target: Target, blows: int = 1) -> Figures:
    """What came of some blows on the one daemon of these tests."""
    attack.open(target)
    kept: list[Figures] = []
    session(attack, target, range(blows), kept.append)
    attack.close()
    return kept[-1]


class Alone(Target):
    """A daemon of one process, which does nothing and of which nobody asks anything."""

    def effects(self) -> Effects:
        return frozenset()


class Contented:
    """Answers that all came at once."""

    def __init__(self, _: Target) -> None:
        self.served, self.told = FINE, list[str]()

    def finish(self) -> None:
        """Have nothing more to ask."""


@pytest.fixture
def alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Target]:
    monkeypatch.setattr(campaign, "Prober", Contented)
    control = ControlClient(tmp_path / "control")
    with subprocess.Popen(("sleep", "600")) as process:
        rig = Rig(process, control, tmp_path / "microphone", tmp_path, ready_s=0.0)
        rig.log.touch()
        yield Alone(rig, Config())
        process.kill()


def test_a_fault_is_noticed(alone: Target, tmp_path: Path) -> None:
    class Faulty(Planted):
        def blow(self, number: int) -> str:
            return "it barked"

    found = dealt(Faulty(tmp_path, 1), alone, blows=2)
    assert (found.faults, found.told[0]) == (2, "blow 0: it barked")
    assert not found.held


def test_a_leak_is_noticed(alone: Target, tmp_path: Path) -> None:
    class Leaking(Planted):
        def open(self, target: Target) -> None:
            pipe = subprocess.PIPE
            command = (sys.executable, "-c", LEAK)
            self.process = subprocess.Popen(command, stdin=pipe, stdout=pipe)
            target.also = {self.process.pid: "leaking"}

        def blow(self, number: int) -> str:
            assert self.process.stdin is not None
            assert self.process.stdout is not None
            self.process.stdin.write(b"\n")
            self.process.stdin.flush()
            self.process.stdout.readline()
            return ""

        def close(self) -> None:
            alone.also = {}
            self.process.communicate()

    found = dealt(Leaking(tmp_path, 1), alone)
    assert 240 < found.watched.peak_mb["leaking"] < 320
    assert found.watched.left_mb["leaking"] > 240
    assert not found.held


def test_a_crash_is_noticed(alone: Target, tmp_path: Path) -> None:
    class Killing(Planted):
        def open(self, target: Target) -> None:
            super().open(target)
            self.process = subprocess.Popen(("sleep", "600"))
            target.also = {self.process.pid: "voice"}

        def blow(self, number: int) -> str:
            self.process.kill()
            self.process.wait()
            self.target.also = {}
            return ""

    found = dealt(Killing(tmp_path, 1), alone)
    assert (found.watched.crashes, found.told) == (1, ["voice ended"])
    assert not found.held


def test_a_killed_run_goes_on(
    alone: Target, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Counting(Planted):
        numbers: ClassVar[list[int]] = []
        killed_at = 3

        def blow(self, number: int) -> str:
            if number == self.killed_at:
                raise KeyboardInterrupt
            self.numbers.append(number)
            return "odd" if number % 2 else ""

    monkeypatch.setattr(campaign, "RECORDED_EVERY_S", 0.0)
    monkeypatch.setattr(campaign, "running_target", lambda settings: nullcontext(alone))
    state = tmp_path / "state.json"
    with pytest.raises(KeyboardInterrupt):
        run(Counting, 5, 1, state)
    Counting.killed_at = -1
    found = run(Counting, 5, 1, state)
    assert Counting.numbers == [0, 1, 2, 3, 4]
    assert (found.blows, found.faults) == (5, 2)
    assert run(Counting, 5, 1, state) == found  # there is nothing left to do
    assert len(Counting.numbers) == 5


def test_figures_of_two_parts_are_added() -> None:
    one = Figures(attack="a", blows=2, told=["x"])
    one.watched.peak_mb = {"nlu": 3.0}
    other = msgspec.structs.replace(one, blows=3)
    whole = added(one, other)
    assert (whole.blows, whole.told, whole.grown_mb) == (5, ["x", "x"], 3.0)
    assert as_object(whole)["held"] is False  # nobody was asked anything meanwhile


@pytest.mark.parametrize(
    "harm",
    [
        Figures(attack="a"),  # nobody was asked anything
        Figures(attack="a", served=FINE, faults=1),
        Figures(attack="a", served=FINE, wrong_effects=1),
        Figures(attack="a", served=Served(probes=3, unanswered=1)),
        Figures(attack="a", served=Served(probes=3, slowest_reply_ms=SLOWEST_MS + 1)),
        Figures(attack="a", served=Served(probes=3, slowest_status_ms=SLOWEST_MS + 1)),
        Figures(attack="a", served=FINE, watched=Watched(crashes=1)),
        Figures(attack="a", served=FINE, watched=Watched(peak_mb={"nlu": MOST_GROWN_MB + 1})),
        Figures(attack="a", served=FINE, watched=Watched(log_bytes=MOST_LOGGED_BYTES + 1)),
    ],
)
def test_harm_of_any_kind_is_no_holding_out(harm: Figures) -> None:
    assert Figures(attack="a", served=FINE).held
    assert not harm.held


# ── with a real daemon ──────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def target() -> Iterator[Target]:
    with running_target() as running:
        yield running


@pytest.mark.e2e
@pytest.mark.depth
def test_nothing_done_is_nothing_found(target: Target, tmp_path: Path) -> None:
    found = dealt(Planted(tmp_path, 1), target)
    nothing = (found.faults, found.wrong_effects, found.watched.crashes, found.served.unanswered)
    assert nothing == (0, 0, 0, 0), found.told
    assert found.served.probes >= 3


@pytest.mark.e2e
@pytest.mark.depth
def test_an_effect_that_nobody_asked_for_is_noticed(target: Target, tmp_path: Path) -> None:
    class Acting(Planted):
        def blow(self, number: int) -> str:
            name = Slot(name="name", value="Corner Light", raw="corner light")
            command = Command(intent="HassTurnOn", slots=(name,))
            with (
                closing(Address(self.target.config.runtime_dir)) as address,
                closing(Bus("actor", address, (), consumers(), ())) as bus,
            ):
                said = {"utterance_id": "acting", "revision": 0}
                bus.send(Interpretation(**said, text="x", commands=(command,)))
                bus.send(Commit(**said))
                wait_for(lambda: "'light.corner_light', 'on'" in str(target.effects()))
            return ""

    found = dealt(Acting(tmp_path, 1), target)
    new, gone = found.told
    assert new.startswith("new: devices ('light.corner_light', 'on'")
    assert gone.startswith("gone: devices ('light.corner_light', 'unknown'")
    assert found.wrong_effects == 2
    assert not found.held


@pytest.mark.e2e
@pytest.mark.depth
def test_a_slow_reply_is_noticed(target: Target, tmp_path: Path) -> None:
    class Slow(Planted):
        def blow(self, number: int) -> str:
            pid = stage_pid(target, "nlu")
            os.kill(pid, signal.SIGSTOP)
            threading.Event().wait(2.5)
            os.kill(pid, signal.SIGCONT)
            return ""

    found = dealt(Slow(tmp_path, 1), target)
    assert found.served.slowest_reply_ms > 1000
    assert not found.held


def stage_pid(target: Target, name: str) -> int:
    control = ControlClient(target.config.control_socket)
    return next(p["pid"] or 0 for p in control.ask("status")["processes"] if p["name"] == name)


def wait_for(wanted: Callable[[], bool]) -> None:
    """Until it is so; the effect of a message is no event of its own."""
    until_s = time.monotonic() + 20.0
    while not wanted():
        assert time.monotonic() < until_s
        threading.Event().wait(0.05)


@pytest.mark.e2e
@pytest.mark.depth
@pytest.mark.parametrize(
    ("make", "blows"),
    [
        (BusAttack, 2_000),
        (ControlAttack, 300),
        (CalendarsAttack, 150),
        (DocumentsAttack, 150),
        (ModelsAttack, 200),
        (ConfigAttack, 200),
        (StateAttack, 60),
        (AudioAttack, 300),
    ],
)
def test_a_small_attack_comes_to_nothing(
    target: Target, tmp_path: Path, make: type[Attack], blows: int
) -> None:
    found = dealt(make(tmp_path, seed=7), target, blows)
    nothing = (found.faults, found.wrong_effects, found.watched.crashes, found.served.unanswered)
    logged = target.rig.log.read_text()[-4_000:]
    assert nothing == (0, 0, 0, 0), f"{found.told}\n{logged}"
    assert found.grown_mb < MOST_GROWN_MB, found.watched.peak_mb
    assert found.watched.log_bytes < MOST_LOGGED_BYTES * (1 + found.minutes)
