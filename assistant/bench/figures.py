"""Figures of a bench, computed from several runs."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

from assistant.control.metrics import percentile


def median_of_runs(runs: Sequence[Sequence[float]], share: float) -> float:
    """The median over runs of each run's percentile: one disturbed run does not decide it."""
    return statistics.median(percentile(run, share) for run in runs)
