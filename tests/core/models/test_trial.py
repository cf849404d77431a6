"""What a trial of a model decides: rarely wrong of equal versions, rarely late of bad ones."""

from __future__ import annotations

import pytest

from assistant.core.models.trial import (
    FEWEST,
    LOOKS,
    MOST_DAYS,
    Outcome,
    Tally,
    judge,
    reads_new,
)
from benchmarks.understanding.trials import simulate

MOST = 500
STEP = MOST // LOOKS


def tally(utterances: int, **flaws: int) -> Tally:
    return Tally(utterances=utterances, **flaws)


@pytest.mark.parametrize("failing", [0.05, 0.2, 0.4])
def test_of_equal_versions_hardly_one_in_fourteen_goes_back(failing: float) -> None:
    assert simulate(failing, 0.0, 0.2, MOST, 600).back < 0.11


@pytest.mark.parametrize("failing", [0.15, 0.3])
def test_a_better_version_takes_all(failing: float) -> None:
    assert simulate(failing, -0.1, 0.2, MOST, 300).back < 0.01


@pytest.mark.parametrize("failing", [0.05, 0.2, 0.4])
def test_a_much_worse_version_goes_back_and_before_the_end(failing: float) -> None:
    came = simulate(failing, 0.25, 0.2, MOST, 300)
    assert came.back > 0.97
    assert came.utterances < MOST


def test_nothing_is_decided_between_two_looks() -> None:
    old, new = tally(4 * STEP // 5), tally(STEP // 5 - 1, missed=STEP // 5 - 1)
    assert judge(old, new, MOST).outcome is Outcome.RUNNING
    verdict = judge(old, tally(STEP // 5, missed=STEP // 5), MOST)
    assert verdict.outcome is Outcome.BACK
    assert verdict.reason == "20 of its 20 utterances failed, with the other 0 of 80"


@pytest.mark.parametrize("flaw", ["missed", "asked", "corrected", "slow"])
def test_each_flaw_has_a_version_go_back(flaw: str) -> None:
    old = tally(400, **{flaw: 40})
    assert judge(old, tally(100, **{flaw: 40}), MOST).outcome is Outcome.BACK
    assert judge(old, tally(100, **{flaw: 10}), MOST).outcome is Outcome.TAKEN  # the control


def test_a_difference_that_nobody_notices_is_no_reason() -> None:
    old, new = tally(50_000, missed=5_000), tally(50_000, missed=6_000)
    assert judge(old, new, 100_000).outcome is Outcome.TAKEN
    more = tally(50_000, missed=6_600)
    assert judge(old, more, 100_000).outcome is Outcome.BACK


def test_after_many_days_it_is_decided_by_what_was_said() -> None:
    old, new = tally(90), tally(FEWEST)
    assert judge(old, new, MOST, MOST_DAYS - 1).outcome is Outcome.RUNNING
    assert judge(old, new, MOST, MOST_DAYS).outcome is Outcome.TAKEN
    few = judge(old, tally(FEWEST - 1), MOST, MOST_DAYS)
    assert (few.outcome, "too little" in few.reason) == (Outcome.BACK, True)


def test_what_is_said_of_an_utterance_adds_up() -> None:
    one = Tally(utterances=1, missed=1, seconds=0.25, confidence=0.5)
    assert one.plus(one) == Tally(utterances=2, missed=2, seconds=0.5, confidence=1.0)


def test_a_share_of_the_utterances_is_read_by_the_version_and_always_the_same() -> None:
    ids = [f"utterance {number}" for number in range(10_000)]
    read = [one for one in ids if reads_new("intent 2", one, 0.2)]
    assert 0.18 < len(read) / len(ids) < 0.22
    assert read == [one for one in ids if reads_new("intent 2", one, 0.2)]
    again = [one for one in ids if reads_new("intent 3", one, 0.2)]  # others are asked next time
    assert 0.15 < len(set(read).intersection(again)) / len(read) < 0.25
    assert not any(reads_new("intent 2", one, 0.0) for one in ids)
