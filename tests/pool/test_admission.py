"""How much of a reply there is time for."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.pool.admission import BUSY_REPLY, Tier, admit

BEST_FIRST = tuple(Tier)
times = st.floats(0.0, 10.0) | st.just(math.inf)
shares = st.floats(0.0, 1.0)


@pytest.mark.parametrize(
    ("full_s", "extracted_s", "pressure", "tier"),
    [
        (1.0, 0.1, 0.0, Tier.FULL),
        (1.01, 0.1, 0.0, Tier.EXTRACTED),
        (math.inf, 0.1, 0.0, Tier.EXTRACTED),
        (math.inf, math.inf, 0.0, Tier.BUSY),
        (1.2, 1.1, 0.0, Tier.BUSY),
        (0.5, 0.1, 0.5, Tier.FULL),
        (0.51, 0.1, 0.5, Tier.EXTRACTED),
        (0.5, 0.3, 0.75, Tier.BUSY),
        (0.0, 0.0, 1.0, Tier.BUSY),
    ],
)
def test_the_best_tier_within_the_budget(
    full_s: float, extracted_s: float, pressure: float, tier: Tier
) -> None:
    assert admit(full_s, extracted_s, 1.0, pressure) is tier


@given(times, times, times, shares, shares)
def test_more_load_never_gives_more(
    full_s: float, more_s: float, extracted_s: float, pressure: float, further: float
) -> None:
    before = admit(full_s, extracted_s, 1.0, min(pressure, further))
    after = admit(full_s + more_s, extracted_s + more_s, 1.0, max(pressure, further))
    assert BEST_FIRST.index(after) >= BEST_FIRST.index(before)


@given(times, times, shares)
def test_the_generator_is_never_asked_beyond_the_budget(
    full_s: float, extracted_s: float, pressure: float
) -> None:
    if admit(full_s, extracted_s, 1.0, pressure) is Tier.FULL:
        assert full_s / (1.0 - pressure) <= 1.0 + 1e-9


def test_who_is_turned_away_is_told_that_it_is_busy() -> None:
    assert "busy" in BUSY_REPLY
