"""The attack over Wyoming: what it sends, what it notices, a small run."""

from __future__ import annotations

import asyncio
import random
import socket
import threading
from contextlib import closing
from pathlib import Path

import pytest

from benchmarks.hostile.attack import Attack
from benchmarks.hostile.campaign import run
from benchmarks.hostile.target import Target
from benchmarks.hostile.wyoming import base, satellite
from benchmarks.hostile.wyoming.frames import absurd, mutated
from benchmarks.hostile.wyoming.services import VALID, WyomingAttack, is_taken


def test_it_sends_what_is_read_and_what_is_refused() -> None:
    rng, outcomes = random.Random(7), [0, 0]
    for _ in range(2_000):
        outcomes[asyncio.run(is_taken(mutated(rng, VALID)))] += 1
    assert min(outcomes) > 200


def test_a_service_that_hangs_or_hangs_up_is_noticed(tmp_path: Path) -> None:
    with closing(WyomingAttack(tmp_path, 1)) as attack:
        assert "did not come back" in attack.ping(0.1)
        with socket.create_server(("127.0.0.1", attack.port)) as deaf:
            assert "did not come back" in attack.ping(0.1)
            deaf.accept()[0].close()


@pytest.mark.e2e
@pytest.mark.long
def test_a_small_attack_is_held_out(tmp_path: Path) -> None:
    found = run(WyomingAttack, 500, 1, tmp_path / "state.json")
    nothing = (found.faults, found.wrong_effects, found.watched.crashes, found.served.unanswered)
    assert nothing == (0, 0, 0, 0), found.told


def test_frames_of_absurd_values_are_well_formed() -> None:
    rng = random.Random(7)
    for valid in (satellite.VALID, base.VALID):
        assert all(asyncio.run(is_taken(absurd(rng, valid))) for _ in range(1_000))


@pytest.mark.e2e
@pytest.mark.depth
@pytest.mark.parametrize("line", ["ValueError: planted", pytest.param("", marks=pytest.mark.long)])
def test_a_planted_crash_and_its_traceback_are_noticed(tmp_path: Path, line: str) -> None:
    class Crashing(satellite.SatelliteAttack):
        def blow(self, number: int) -> str:
            fault = super().blow(number)
            if number == 300 and self.attacked is not None:
                if line:
                    with self.log.open("a") as log:
                        log.write(f"Traceback (most recent call last):\n  x\n{line}\n")
                self.attacked.process.kill()
                self.attacked.process.wait()
                threading.Event().wait(1.0)  # the watcher looks four times a second
            return fault

        def open(self, target: Target) -> None:
            super().open(target)
            self.log = target.rig.log

    found = run(Crashing, 500, 1, tmp_path / "state.json")
    assert found.watched.crashes > 0
    assert "satellite ended" in found.told
    assert found.faults == bool(line), found.told
    assert (f"blow 499: a traceback: {line}" in found.told) == bool(line)


@pytest.mark.e2e
@pytest.mark.long
@pytest.mark.parametrize("attack", [satellite.SatelliteAttack, base.BaseAttack])
def test_small_attacks_on_a_satellite_and_its_base_are_held_out(
    tmp_path: Path, attack: type[Attack]
) -> None:
    found = run(attack, 500, 1, tmp_path / "state.json")
    nothing = (found.faults, found.wrong_effects, found.watched.crashes, found.served.unanswered)
    assert nothing == (0, 0, 0, 0), found.told
