"""The attacks that are weighed: what they notice of a weakened process, and small runs."""

from __future__ import annotations

import math
import os
import socket
from collections.abc import Callable, Mapping
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path

import pytest

from benchmarks.hostile.burden import Burden, Client, Scales, combined, faults
from benchmarks.hostile.campaign import run
from benchmarks.hostile.rogue import CONNECT, Rogue, packet, publish
from benchmarks.hostile.rogue_broker import RogueBrokerAttack
from benchmarks.hostile.rooms import RoomsAttack
from benchmarks.hostile.siege import Siege
from benchmarks.hostile.target import Target

SERVED = Burden(blows=1, beside_ms=[10.0])


class Own(Siege):
    """An attack on this very process, whose honest client is served as a test says."""

    name = "own"
    waits = (1.0,)

    @property
    def ways(self) -> Mapping[str, Callable[[], str]]:
        return {"eats": self.eat, "says": lambda: "it barked"}

    @property
    def pid(self) -> int:
        return os.getpid()

    def start(self, target: Target) -> None:
        raise NotImplementedError

    def ask(self) -> float:
        return self.waits[min(self.client.asked, len(self.waits) - 1)]

    def eat(self) -> str:
        bytearray(os.urandom(1)) * 80_000_000
        self.client.await_answers(len(self.waits), 60)
        return ""


def test_memory_and_what_a_way_says_are_noticed(tmp_path: Path) -> None:
    with closing(Own(tmp_path, 1)) as attack:
        (eaten,) = attack.blow(0).split("; ")
        assert eaten.startswith("eats: 8")
        assert attack.blow(1) == "says: it barked"
        assert attack.burdens["eats"].grown_mb > 70


def test_a_client_that_is_not_served_is_noticed(tmp_path: Path) -> None:
    class Deaf(Own):
        waits = (math.nan, 2_000.0)
        asks_every_s = 0.0

    with closing(Deaf(tmp_path, 1)) as attack:
        told = attack.blow(0)
        assert "the honest client was not served, 1 times" in told
        assert "the honest client waited 2000 ms" in told


@pytest.mark.parametrize(
    ("found", "told"),
    [
        (SERVED, []),
        (combined(SERVED, Burden(cpu_s=1.5)), ["x: 1.5 s of CPU time"]),
        (combined(SERVED, Burden(grown_mb=51.0)), ["x: 51 MB more"]),
        (combined(SERVED, Burden(unserved=1)), []),
        (combined(SERVED, Burden(unserved=2)), ["x: the honest client was not served, 2 times"]),
        (Burden(), ["x: the honest client was not served, 0 times"]),
    ],
)
def test_each_bound_is_looked_at(found: Burden, told: list[str]) -> None:
    assert list(faults("x", found, 1_000.0, may_miss=1)) == told


def test_cpu_time_is_that_of_the_process() -> None:
    scales, client = Scales(os.getpid()), Client(lambda: 1.0, 0.0)
    with scales.weighing(), client.asking():
        assert client.await_answers(3, 60)
        sum(range(3_000_000))
    assert 0 < scales.cpu_s <= scales.took_s * 2


def test_the_broker_answers_as_one_must_and_then_hangs_up() -> None:
    with (
        closing(Rogue(1)) as broker,
        socket.create_connection(("127.0.0.1", broker.port), 60) as line,
        line.makefile("rb") as answers,
    ):
        line.sendall(packet(CONNECT, bytes(200)))
        assert answers.read(5) == b"\x20\x03\0\0\0"
        line.sendall(packet(0x82, b"\0\7\0" + b"\0\1a\1" + b"\0\2bc\1"))
        assert answers.read(7) == b"\x90\x05\0\7\0\1\1"
        assert broker.is_joined.wait(60)
        line.sendall(packet(0x32, b"\0\1a" + b"\0\x09\0x") + packet(0xC0, b""))
        assert answers.read(6) == b"\x40\x02\0\x09\xd0\0"
        broker.tell("a", b"ON")
        assert answers.read(8) == publish("a", b"ON")
        broker.behave(broker.manner)
        assert answers.read(1) == b""


# ── with a real daemon ──────────────────────────────────────────────────────────────────────


@pytest.mark.e2e
@pytest.mark.long
@pytest.mark.parametrize("attack", [RoomsAttack, RogueBrokerAttack])
def test_a_small_siege_is_held_out(tmp_path: Path, attack: type[Siege]) -> None:
    found = run(attack, 7, 1, tmp_path / "state.json")
    nothing = (found.faults, found.wrong_effects, found.watched.crashes, found.served.unanswered)
    assert nothing == (0, 0, 0, 0), found.told
    assert set(found.burdens) == set(attack(tmp_path, 1).ways)


@pytest.mark.e2e
@pytest.mark.long
def test_a_base_that_leaves_the_place_to_a_silent_winner_is_noticed(tmp_path: Path) -> None:
    class Weakened(RoomsAttack):
        weakening = (
            "from assistant.rooms.base import arbitration, base\n"
            "arbitration.MOST_EMPTY = 10**9\n"
            "async def stays(self, contest): return False\n"
            "base.Base._falls_silent = stays\n"
        )

    found = run(Weakened, 1, 1, tmp_path / "state.json")
    assert found.faults == 1
    assert "the honest client was not served, 4 times" in found.told[0]


@pytest.mark.e2e
@pytest.mark.long
def test_a_bridge_that_keeps_what_is_too_large_is_noticed(tmp_path: Path) -> None:
    class Weakened(RogueBrokerAttack):
        weakening = (
            "from assistant.bridge import client\n"
            "client.Connection._sock_recv = client.Client._sock_recv\n"
        )

    found = run(Weakened, 1, 1, tmp_path / "state.json")
    assert found.faults == 1
    assert "sends 200 MB: " in found.told[0]
    assert "MB more" in found.told[0]


@pytest.mark.e2e
@pytest.mark.long
@pytest.mark.skipif(find_spec("ray") is None, reason="the extra hub is not installed")
def test_a_hub_that_keeps_bodies_of_any_size_is_noticed(tmp_path: Path) -> None:
    from benchmarks.hostile.hub import HubAttack

    class Weakened(HubAttack):
        rests_s = 0.0
        weakening = "from assistant.hub import bounds\nbounds.TEXT_MOST_BYTES = 10**9\n"

        @property
        def ways(self) -> Mapping[str, Callable[[], str]]:
            return {name: way for name, way in super().ways.items() if "unfinished" in name}

    found = run(Weakened, 1, 1, tmp_path / "state.json")
    assert found.faults == 1
    assert "MB more" in found.told[0]
