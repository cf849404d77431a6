"""The attack over Wyoming: what it sends, what it notices, a small run."""

from __future__ import annotations

import asyncio
import random
import socket
from contextlib import closing
from pathlib import Path

import pytest

from benchmarks.hostile.campaign import run
from benchmarks.hostile.wyoming import WyomingAttack, is_taken, mutated


def test_it_sends_what_is_read_and_what_is_refused() -> None:
    rng, outcomes = random.Random(7), [0, 0]
    for _ in range(2_000):
        outcomes[asyncio.run(is_taken(mutated(rng)))] += 1
    assert min(outcomes) > 200


def test_a_service_that_hangs_or_hangs_up_is_noticed(tmp_path: Path) -> None:
    with closing(WyomingAttack(tmp_path, 1)) as attack:
        assert "did not come back" in attack.ping(0.1)
        with socket.create_server(("127.0.0.1", attack.port)) as deaf:
            assert "did not come back" in attack.ping(0.1)
            deaf.accept()[0].close()


@pytest.mark.e2e
def test_a_small_attack_is_held_out(tmp_path: Path) -> None:
    found = run(WyomingAttack, 1_000, 1, tmp_path / "state.json")
    nothing = (found.faults, found.wrong_effects, found.watched.crashes, found.served.unanswered)
    assert nothing == (0, 0, 0, 0), found.told
