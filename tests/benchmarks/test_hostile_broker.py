"""The attack over the broker: what it takes for a valid payload, what it notices, a small run."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from assistant.bridge.payloads import read_state
from benchmarks.hostile.broker import BrokerAttack
from benchmarks.hostile.campaign import run
from benchmarks.hostile.payloads import meaning, payload
from tests.support.mosquitto import MOSQUITTO

needs_mosquitto = pytest.mark.skipif(MOSQUITTO is None, reason="mosquitto is not installed")
BEFORE = frozenset({"devices ('light.a', 'on')", "timers (1, 'tea')"})


def test_what_the_bridge_takes_for_a_state_another_reader_does_too() -> None:
    rng, agreed, refused = random.Random(7), 0, 0
    for _ in range(5_000):
        said = payload(rng)
        try:
            state = read_state(said)
        except ValueError:
            state, refused = "", refused + 1
        # The other reader does not mind a key that comes twice, with nonsense the first time.
        assert state in ("", meaning(said)), said[:200]
        agreed += bool(state)
    assert min(agreed, refused) > 1_000


@needs_mosquitto
def test_a_state_that_no_payload_said_is_noticed(tmp_path: Path) -> None:
    attack = BrokerAttack(tmp_path, 1)
    attack.close()
    attack.said["light.a"].add("off")
    said = BEFORE - {"devices ('light.a', 'on')"} | {"devices ('light.a', 'off')"}
    assert attack.wrong(BEFORE, said) == []
    unsaid = BEFORE - {"devices ('light.a', 'on')"} | {"devices ('light.a', '40%')"}
    assert attack.wrong(BEFORE, unsaid) == ["new: devices ('light.a', '40%')"]
    assert attack.wrong(BEFORE, frozenset()) == [f"gone: {row}" for row in sorted(BEFORE)]


@pytest.mark.e2e
@pytest.mark.long
@needs_mosquitto
def test_a_small_attack_is_held_out(tmp_path: Path) -> None:
    found = run(BrokerAttack, 500, 1, tmp_path / "state.json")
    nothing = (found.faults, found.wrong_effects, found.watched.crashes, found.served.unanswered)
    assert nothing == (0, 0, 0, 0), found.told
