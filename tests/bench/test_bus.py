"""The bus bench measures real hops, and a slow hop shows in its figures."""

from __future__ import annotations

import pytest

from assistant.bench import bus
from assistant.bench.figures import median_of_runs
from assistant.core.clock import boottime_s


def test_every_message_is_timed_at_every_pace() -> None:
    figures = bus.measure(runs=1, hops=20).hops
    assert {(f.message, f.pace) for f in figures} == {
        (message, pace) for message in bus.MESSAGES for pace in bus.IDLE_S
    }
    assert all(0 < f.p50_us <= f.p99_us for f in figures)


def test_a_slow_receiver_shows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Control: a receiver that is 50 ms late must be seen, whatever the machine does."""
    monkeypatch.setattr("assistant.bench.bus.boottime_s", lambda: boottime_s() + 0.05)
    assert bus.measure(runs=1, hops=5).hops[0].p50_us > 50_000


def test_a_disturbed_run_does_not_decide() -> None:
    assert median_of_runs([[1.0], [2.0], [900.0]], 0.99) == 2.0
