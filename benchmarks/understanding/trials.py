"""The mistakes of trials of models: `python -m benchmarks.understanding.trials`.

Utterances are drawn by chance, each understood or not, and `judge` decides as in the daemon. It
shows for each share of failures with the version in use, and for each rise of it with the other,
how many of the trials went back, and after how many utterances at the median.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from typing import NamedTuple

import numpy as np

from assistant.core.models.trial import LOOKS, Outcome, Tally, judge

FAILING = (0.05, 0.1, 0.2, 0.4)
RISES = (-0.1, 0.0, 0.02, 0.05, 0.1, 0.2, 0.4)
SEED = 1


class Simulated(NamedTuple):
    """How many of the trials went back, and the utterances at the median of those that did."""

    back: float
    utterances: float


def simulate(
    failing: float, rise: float, share: float, most: int, trials: int, seed: int = SEED
) -> Simulated:
    """Draw and judge so many trials of `most` utterances, of which the new version reads `share`.

    Shares are from 0 to 1; with the new version `failing + rise` of the utterances fail.
    """
    draw = np.random.default_rng(seed)
    ended = [_trial(draw, failing, failing + rise, share, most) for _ in range(trials)]
    back = [utterances for outcome, utterances in ended if outcome is Outcome.BACK]
    return Simulated(len(back) / trials, statistics.median(back) if back else 0)


def _trial(
    draw: np.random.Generator, failing: float, failing_new: float, share: float, most: int
) -> tuple[Outcome, int]:
    new = draw.random(most) < share
    failed = draw.random(most) < np.where(new, failing_new, failing)
    step = most // LOOKS
    for counted in (*range(step, most, step), most):  # between two looks nothing is decided
        read, missed = new[:counted], failed[:counted]
        tallies = [
            Tally(utterances=int(by.sum()), missed=int(missed[by].sum())) for by in (~read, read)
        ]
        verdict = judge(*tallies, most)
        if verdict.outcome is not Outcome.RUNNING:
            return verdict.outcome, counted
    raise AssertionError("a trial has an end")


def main() -> None:
    """Simulate, and print a table."""
    parser = argparse.ArgumentParser(description="Simulate trials of models.")
    parser.add_argument("--trials", type=int, default=2000)
    parser.add_argument("--share", type=float, default=0.2)
    parser.add_argument("--utterances", type=int, default=500)
    given = parser.parse_args()
    for failing in FAILING:
        cells = []
        for rise in (rise for rise in RISES if failing + rise >= 0):
            came = simulate(failing, rise, given.share, given.utterances, given.trials)
            cells.append(f"{rise:+.0%}: {came.back:.1%} back ({came.utterances:.0f})")
        sys.stdout.write(f"{failing:.0%} failing; {', '.join(cells)}\n")


if __name__ == "__main__":
    main()
