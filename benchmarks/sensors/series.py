"""Single series with labelled windows: this detector beside two others, in one run.

    python -m benchmarks.sensors.series ../shared/data/sensors/nab

Half-space trees are those of river (Tan, Ting and Liu, IJCAI 2011), the windowed Gaussian is how
many deviations a value is from the mean of those before it, as in NAB. Both are shown at several
thresholds, which this detector has none of: what it calls wrong follows from what it has learnt.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from importlib.util import find_spec
from pathlib import Path

from assistant.evaluation.sensors.series import Series, all_series, evaluate_series

TREES = (0.97, 0.98, 0.99, 0.995)
DEVIATIONS = (3.0, 4.0, 5.0, 6.0)
BEYOND_LEARNT = (1.0, 1.05, 1.2)
"""Thresholds as multiples of the largest score in what is learnt."""
GAUSSIAN_WINDOW = 6400
FEWEST = 50

Scores = list[float]


def trees(series: Series) -> Scores:
    """The score of each value by half-space trees, which learn on."""
    from river.anomaly import HalfSpaceTrees

    learnt = [value for _, value in series.values[: series.learnt]]
    low, high = min(learnt), max(learnt)
    model = HalfSpaceTrees(n_trees=25, height=8, window_size=250, seed=1, limits={"v": (0, 1)})
    scores = []
    for _, value in series.values:
        scaled = {"v": min(max((value - low) / ((high - low) or 1) / 2 + 0.25, 0.0), 1.0)}
        scores.append(float(model.score_one(scaled)))
        model.learn_one(scaled)
    return scores


def gaussian(series: Series) -> Scores:
    """By how many deviations each value is off the mean of those before it."""
    before = deque[float]()
    total = squares = 0.0
    scores = []
    for _, value in series.values:
        count = len(before)
        score = 0.0
        if count >= FEWEST:
            mean = total / count
            score = abs(value - mean) / math.sqrt(max(squares / count - mean * mean, 1e-9))
        scores.append(score)
        before.append(value)
        total, squares = total + value, squares + value * value
        if len(before) > GAUSSIAN_WINDOW:
            gone = before.popleft()
            total, squares = total - gone, squares - gone * gone
    return scores


def beyond(
    scores: dict[str, Scores], threshold: Callable[[Series], float], series: Series
) -> Iterator[float]:
    """When the score reaches a threshold, after what is learnt."""
    limit = threshold(series)
    for (at_s, _), score in list(zip(series.values, scores[series.name], strict=True))[
        series.learnt :
    ]:
        if score >= limit:
            yield at_s


def largest(scores: dict[str, Scores], factor: float, series: Series) -> float:
    """A multiple of the largest score in what is learnt."""
    return factor * max(scores[series.name][FEWEST : series.learnt])


def main() -> None:
    """Judge the series by each, and print the figures."""
    parser = argparse.ArgumentParser(description="Compare detectors on single series.")
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    if find_spec("river") is None:
        sys.exit("missing package: pip install river")
    judged = all_series(folder)
    show("this detector", judged, None)
    for name, score, fixed in (("trees", trees, TREES), ("gaussian", gaussian, DEVIATIONS)):
        scores = {series.name: score(series) for series in judged}
        for limit in fixed:
            show(f"{name}, from {limit:g}", judged, partial(beyond, scores, lambda _, at=limit: at))
        for factor in BEYOND_LEARNT:
            threshold = partial(largest, scores, factor)
            show(f"{name}, from {factor:g} of learnt", judged, partial(beyond, scores, threshold))


def show(
    name: str, judged: list[Series], wrong_in: Callable[[Series], Iterable[float]] | None
) -> None:
    """Print a row of figures."""
    found = evaluate_series(judged, wrong_in)
    share = f"{found.windows_found} of {found.windows} windows"
    rate = f"{found.false_alarms_per_day:.3f} false alarms a day"
    sys.stdout.write(f"{name}: {share}, {rate}, after {found.delay_h_p50} h\n")


if __name__ == "__main__":
    main()
