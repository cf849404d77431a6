"""What a detector says of recordings, and how well that is."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from assistant.evaluation.sensors.machines import LEARNT, Recording, Wrong, evaluate_sensors
from assistant.sensors.detection.group import Array
from benchmarks.sensors.detectors.thresholds import Rarity, best_threshold

_log = logging.getLogger(__name__)

Score = Callable[[Array], Array]
"""Readings float64[rows, sensors] → the scores of the rows after those that are learnt."""
Scores = list[Array]
COLUMNS = (
    "detector",
    "F1",
    "false alarms",
    "missed alarms",
    "events found",
    "ms a row",
    "F1 where the threshold was chosen",
    "F1 of the best threshold",
)


class Sets(NamedTuple):
    """The recordings with which thresholds are chosen, and those that are judged."""

    chosen: list[Recording]
    judged: list[Recording]

    def well(self, scores: Scores) -> Array:
        """Of scores of the chosen, those of the rows in which all is well."""
        return np.concatenate(scores)[~wrong(self.chosen)]


class Judged(NamedTuple):
    """The scores of both sets, and the milliseconds of processor time that a judged row takes."""

    name: str
    chosen: Scores
    judged: Scores
    ms: float


def judge(name: str, sets: Sets, score: Score, stream: Score | None = None) -> Judged:
    """Judge both sets; `stream` gives the same scores one row after the other, and is timed."""
    chosen = [score(one.readings) for one in sets.chosen]
    began_s = time.process_time()  # others may be at work beside it
    judged = [(stream or score)(one.readings) for one in sets.judged]
    ms = (time.process_time() - began_s) * 1000 / sum(len(one.readings) for one in sets.judged)
    _log.info("judged by %s", name)
    return Judged(name, chosen, judged, ms)


def rarest(name: str, sets: Sets, parts: Sequence[Judged]) -> Judged:
    """The larger of several scores, each by how rare it is while all is well."""
    rarities = [Rarity(sets.well(part.chosen)) for part in parts]

    def larger(scores: Sequence[Scores]) -> Scores:
        rare = [list(map(rarity, one)) for rarity, one in zip(rarities, scores, strict=True)]
        return [np.max(same, axis=0) for same in zip(*rare, strict=True)]

    chosen = larger([part.chosen for part in parts])
    judged = larger([part.judged for part in parts])
    return Judged(name, chosen, judged, sum(part.ms for part in parts))


def row(found: Judged, sets: Sets, fixed: float | None = None) -> tuple[str, ...]:
    """A line of the table, by a fixed threshold, or else the one that is best for the chosen."""
    best, _ = best_threshold(wrong(sets.chosen), np.concatenate(found.chosen))
    threshold = best if fixed is None else fixed
    called = iter([scores >= threshold for scores in found.judged])
    figures = evaluate_sensors(sets.judged, lambda _: next(called))
    _, hindsight = best_threshold(wrong(sets.judged), np.concatenate(found.judged))
    return (
        found.name,
        f"{figures.f1:.3f}",
        f"{figures.false_alarm_rate:.3f}",
        f"{figures.missed_alarm_rate:.3f}",
        f"{figures.events_found} of {figures.events}",
        f"{found.ms:.2f}",
        f"{_f1(wrong(sets.chosen), np.concatenate(found.chosen) >= threshold):.3f}",
        f"{hindsight:.3f}",
    )


def wrong(given: Sequence[Recording]) -> Wrong:
    """Whether something is wrong in the rows of all recordings after those that are learnt."""
    return np.concatenate([one.wrong[LEARNT:] for one in given])


def _f1(labels: Wrong, called: Wrong) -> float:
    return 2 * float((labels & called).sum()) / max(float(labels.sum() + called.sum()), 1.0)
