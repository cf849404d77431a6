"""What the sensors' process keeps: it is there after a restart, bounded, and can be taken back."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import msgspec
import numpy as np
import pytest

from assistant.core.messages import Anomaly
from assistant.sensors.detection.group import SLOW, GroupModel
from assistant.sensors.detection.judge import Learnt
from assistant.sensors.detection.single import Levels, SingleModel
from assistant.sensors.store import KEPT_VERSIONS, WIDER, Store

NOON = datetime(2026, 3, 1, 12, tzinfo=UTC)
MODEL = SingleModel(
    bins=600,
    interval_s=1.0,
    level=20.0,
    spread=1.0,
    spread_of_three=0.6,
    largest=4.0,
    largest_of_three=2.0,
    largest_drift=0.5,
    longest_run=3,
    repeats=0.1,
    longest_gap_s=1.5,
)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "sensors.db"


@pytest.fixture
def store(file: Path) -> Iterator[Store]:
    with closing(Store(file)) as opened:
        yield opened


def group() -> GroupModel:
    return GroupModel.learn(np.random.default_rng(1).normal(size=(400, 2)), SLOW)


def test_what_was_learnt_last_is_there_after_a_restart(store: Store, file: Path) -> None:
    assert store.learnt == Learnt()
    other = msgspec.structs.replace(MODEL, level=30.0)
    models = (group(),)
    store.keep_learnt(Learnt(single={"heat": MODEL}, groups={"motor": models}), NOON)
    store.keep_learnt(Learnt(single={"heat": other, "hum": MODEL}), NOON)
    store.close()
    with closing(Store(file)) as again:
        learnt = again.learnt
        assert learnt.single == {"heat": other, "hum": MODEL}
        assert msgspec.to_builtins(learnt.groups["motor"]) == msgspec.to_builtins(models)


def test_it_goes_back_to_the_one_before_but_not_to_none(store: Store) -> None:
    for level in range(10):
        model = msgspec.structs.replace(MODEL, level=float(level))
        store.keep_learnt(Learnt(single={"heat": model}), NOON)
    for level in range(8, 9 - KEPT_VERSIONS, -1):
        assert store.roll_back("heat")
        assert store.learnt.single["heat"].level == level
    assert not store.roll_back("heat")
    assert store.learnt.single["heat"].level == 10 - KEPT_VERSIONS
    assert not store.roll_back("nobody")


def test_a_sensor_and_a_group_of_one_name_go_back_together(store: Store) -> None:
    store.keep_learnt(Learnt(single={"heat": MODEL}, groups={"heat": (group(),)}), NOON)
    assert not store.roll_back("heat")  # each has one version alone
    newer = Learnt(single={"heat": msgspec.structs.replace(MODEL, level=11.0)})
    store.keep_learnt(newer, NOON)
    assert store.roll_back("heat")
    assert store.learnt.single["heat"].level == MODEL.level
    assert len(store.learnt.groups["heat"]) == 1


def test_false_alarms_widen_until_it_is_learnt_anew(store: Store) -> None:
    store.widen("heat")
    store.widen("heat")
    assert store.slack == {"heat": pytest.approx(WIDER * WIDER)}
    store.keep_learnt(Learnt(single={"heat": MODEL}), NOON)
    assert store.slack == {}


def test_levels_are_those_of_this_boot_alone(store: Store) -> None:
    assert store.levels("boot") == (0.0, {})
    store.keep_levels({"heat": Levels(1.0, 2.0, 3.0, 40)}, 5.0, "boot")
    store.keep_levels({"heat": Levels(2.0, 2.0, 3.0, 41)}, 6.0, "boot")
    assert store.levels("boot") == (6.0, {"heat": Levels(2.0, 2.0, 3.0, 41)})
    assert store.levels("another") == (0.0, {})


def test_what_goes_on_is_kept_until_it_is_over(store: Store) -> None:
    begun = Anomaly(id="1", sensor="heat", fault="high", began=NOON, score=2.0)
    store.keep_anomaly(begun)
    store.keep_anomaly(msgspec.structs.replace(begun, id="2", sensor="hum"))
    store.keep_anomaly(msgspec.structs.replace(begun, over=NOON))
    assert [one.id for one in store.going_on] == ["2"]
    assert store.sensor_of("1") == ("heat", "high")
    assert store.sensor_of("3") is None
