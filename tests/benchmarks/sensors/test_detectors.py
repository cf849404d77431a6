"""The parts of the detectors' table that need no further package."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from assistant.evaluation.sensors.machines import LEARNT, Recording, called_wrong
from benchmarks.sensors.detectors import made_up, shipped
from benchmarks.sensors.detectors.judging import COLUMNS, Judged, Sets, rarest, row
from benchmarks.sensors.detectors.thresholds import Rarity, best_threshold
from benchmarks.sensors.detectors.windows import WINDOW, embedded, pooled, standardised, windows


def made(count: int = 3) -> list[Recording]:
    return list(made_up.recordings(7, count))


def test_a_recording_is_well_while_it_is_learnt_and_comes_out_the_same_again() -> None:
    ones, others = made(12), made(12)
    assert not any(one.wrong[:LEARNT].any() for one in ones)
    assert any(one.wrong.any() for one in ones)
    assert all(np.isfinite(one.readings).all() for one in ones)
    for one, other in zip(ones, others, strict=True):
        np.testing.assert_array_equal(one.readings, other.readings)
    assert len({one.readings.shape[1] for one in ones}) > 1


def test_a_windows_last_value_is_its_rows_and_any_number_of_sensors_is_pooled() -> None:
    (one,) = made(1)
    for sensors in (1, one.readings.shape[1]):
        standard = standardised(one.readings[:, :sensors])
        rows = range(LEARNT, len(standard), 7)
        given = windows(standard, rows)
        assert given.shape == (len(rows), sensors, WINDOW)
        np.testing.assert_array_equal(given[:, :, -1], standard[LEARNT::7])
        vectors = embedded(lambda x: x[:, [0, -1]], given)  # in the encoder's place
        np.testing.assert_array_equal(vectors[..., 1], given[..., -1])
        assert pooled(vectors).shape == (len(rows), 3 * 2)


def test_what_is_pooled_knows_no_order_of_the_sensors() -> None:
    vectors = np.random.default_rng(1).normal(size=(5, 4, 3)).astype(np.float32)
    np.testing.assert_allclose(pooled(vectors), pooled(vectors[:, ::-1]), rtol=1e-5)
    assert not np.allclose(pooled(vectors), pooled(vectors + 1))


def test_what_ships_is_scored_as_it_judges() -> None:
    ones = made()
    called = [called_wrong(one.readings) for one in ones]
    for one, wrong in zip(ones, called, strict=True):
        np.testing.assert_array_equal(shipped.scores(one.readings) >= 1, wrong)
    assert np.concatenate(called).any()


def test_the_best_threshold_takes_equal_scores_together() -> None:
    wrong = np.array([False, True, True, False, False])
    assert best_threshold(wrong, np.array([0.1, 0.9, 0.8, 0.3, 0.2])) == (0.8, 1.0)
    threshold, f1 = best_threshold(wrong, np.array([0.1, 0.9, 0.3, 0.3, 0.2]))
    assert (threshold, f1) == (0.3, pytest.approx(0.8))


def test_a_score_is_as_rare_as_its_share_of_what_is_well() -> None:
    rarity = Rarity(np.arange(999.0))
    found = rarity(np.array([-1.0, 900.0, 2000.0]))
    assert found == pytest.approx([0.0, 1.0, 3.0])


def test_the_larger_of_two_finds_what_either_finds() -> None:
    wrong = np.zeros(LEARNT + 8, bool)
    wrong[-4:] = True
    one = Recording("one", np.zeros((LEARNT + 8, 1)), wrong)
    sets = Sets([one], [one])
    first = [np.array([0.1, 0.2, 0.3, 0.0, 5, 5, 0, 0])]
    second = [np.array([30.0, 10, 20, 0, 0, 0, 99, 99])]
    each = [Judged(name, scores, scores, 1.0) for name, scores in (("a", first), ("b", second))]
    alone = [dict(zip(COLUMNS, row(part, sets), strict=True)) for part in each]
    both = dict(zip(COLUMNS, row(rarest("both", sets, each), sets), strict=True))
    assert [found["missed alarms"] for found in alone] == ["0.500", "0.500"]
    assert (both["F1"], both["missed alarms"], both["ms a row"]) == ("1.000", "0.000", "2.00")


def test_what_is_missing_is_named_in_one_line() -> None:
    hidden = (
        "import sys; from benchmarks.sensors.detectors import __main__ as command;"
        "command.NEEDED = ('numpy', 'no_such_package'); sys.argv = ['x', 'nowhere']; command.main()"
    )
    told = subprocess.run(
        [sys.executable, "-c", hidden], capture_output=True, text=True, check=False
    )
    assert told.returncode == 1
    assert told.stderr.splitlines() == [
        "missing packages: no_such_package; pip install torch==2.13.0 lightgbm river"
    ]
