"""Percentiles and medians, as every bench gives them."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence


def percentile(values: Sequence[float], percent: float) -> float:
    """The smallest value that at least `percent` of all `values` do not exceed (nearest rank)."""
    ordered = sorted(values)
    return ordered[max(0, math.ceil(len(ordered) * percent / 100) - 1)]


def median_of_runs(runs: Sequence[Sequence[float]], percent: float) -> float:
    """The median over runs of each run's percentile: one disturbed run does not decide it."""
    return statistics.median(percentile(run, percent) for run in runs)
