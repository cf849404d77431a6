"""Hostile payloads of sensors become numbers or are counted, within bounds."""

from __future__ import annotations

import pytest

from assistant.bridge.sensors import inputs
from benchmarks.sensors.payloads import FIELDS, attack

COUNT = 4000


def test_nothing_raises_and_true_values_come_out() -> None:
    outcome = attack(COUNT)
    assert (outcome.wrong, outcome.missing, outcome.lost) == (0, 0, 0)
    told = COUNT * (len(FIELDS) + 1)
    true = COUNT // 1000 * (len(FIELDS) + 1)
    assert outcome.values + outcome.unusable == told + true
    assert outcome.values > COUNT / 10


def test_values_that_nobody_takes_go_and_are_counted() -> None:
    outcome = attack(COUNT, most=100)
    assert outcome.values == 100
    assert outcome.lost > COUNT / 20
    assert (outcome.wrong, outcome.missing) == (0, 0)


def test_a_reader_that_believes_anything_would_be_noticed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(inputs, "number", lambda *_: float("inf"))
    assert attack(10).wrong == 10 * (len(FIELDS) + 1)
