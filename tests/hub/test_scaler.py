"""How many replicas the hub asks for, with time and Ray's answer as data."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from assistant.hub.ray.holding import News
from assistant.hub.ray.ledger import Ledger, Outcome, close_ledgers, open_ledger
from assistant.hub.ray.scaler import Scaler
from assistant.pool.pool import PoolError
from assistant.pool.routing import RequestShape
from assistant.pool.scaling import ScalingPolicy

POLICY = ScalingPolicy(least=1, most=3, down_after_s=5.0)
STAGE = "scaled"


class Asked:
    """What Ray is asked for; while it `refuses` it takes nothing."""

    def __init__(self) -> None:
        self.numbers: list[int] = []
        self.refuses = False

    def __call__(self, stage: str, replicas: int) -> None:
        assert stage == STAGE
        if self.refuses:
            raise PoolError("pool.scale", "it is away")
        self.numbers.append(replicas)


@pytest.fixture
def asked() -> Asked:
    return Asked()


@pytest.fixture
def scaler(asked: Asked) -> Iterator[Scaler]:
    scaler = Scaler((STAGE,), POLICY, asked)
    yield scaler
    scaler.close()
    close_ledgers((STAGE,))


def busy(requests: int) -> Ledger:
    """A second of work for each request at a replica of 100 tokens a second."""
    ledger, shape = open_ledger(STAGE, 100.0, False), RequestShape(tokens=100)
    for number in range(requests):
        ledger.ranked(("a",), str(number), shape, 0.0)
        ledger.began("a", str(number), shape, 0.0)
    return ledger


def look(scaler: Scaler, *at_s: float) -> None:
    for now_s in at_s:
        scaler.look(STAGE, now_s)


def test_as_many_are_asked_for_as_the_work_wants_and_each_once(
    scaler: Scaler, asked: Asked
) -> None:
    ledger = busy(1)
    look(scaler, 0.0, 0.9)
    assert asked.numbers == []
    look(scaler, 1.0, 2.0, 3.0)
    assert asked.numbers == [2]
    assert scaler.wanted(STAGE) == 2
    ledger.ended("0", Outcome.SUCCEEDED, 4.0)
    look(scaler, 4.0, 8.0, 9.1, 10.0)
    assert asked.numbers == [2, 1]


def test_no_more_are_asked_for_than_may_be(scaler: Scaler, asked: Asked) -> None:
    busy(50)
    look(scaler, 0.0, 1.0, 2.0, 3.0)
    assert asked.numbers == [3]


def test_what_ray_does_not_take_is_asked_for_again(
    scaler: Scaler, asked: Asked, caplog: pytest.LogCaptureFixture
) -> None:
    busy(1)
    asked.refuses = True
    look(scaler, 0.0, 1.0)
    assert scaler.wanted(STAGE) == 1
    assert caplog.messages == ["hub: it is away (pool.scale)"]
    asked.refuses = False
    look(scaler, 2.0)
    assert asked.numbers == [2]


def test_what_only_others_ask_of_a_stage_counts_at_the_speed_that_its_replicas_tell(
    scaler: Scaler, asked: Asked
) -> None:
    ledger = open_ledger(STAGE, 1_000.0, False)
    ledger.told({"a": News(left={"other": (50, 50)}, tokens_per_s=100.0)})
    look(scaler, 0.0, 1.0)
    assert asked.numbers == [2]
    ledger.told({"a": News(tokens_per_s=100.0), "b": News(tokens_per_s=100.0)})
    look(scaler, 2.0, 7.1)
    assert asked.numbers == [2, 1]


def test_all_routers_of_a_process_count_in_one_ledger() -> None:
    first = open_ledger(STAGE, 100.0, False)
    assert open_ledger(STAGE, 100.0, False) is first
    close_ledgers((STAGE,))
    assert open_ledger(STAGE, 100.0, False) is not first
    close_ledgers((STAGE,))
