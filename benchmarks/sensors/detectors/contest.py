"""Trains what has to be trained, lets each detector judge, and gives the rows of the table."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from assistant.evaluation.sensors.machines import Recording, recordings
from assistant.evaluation.sensors.series import all_series
from assistant.sensors.detection.group import Array
from benchmarks.sensors.detectors import boosted, encoder, made_up, shipped, trees
from benchmarks.sensors.detectors.judging import COLUMNS, Judged, Sets, judge, rarest, row
from benchmarks.sensors.detectors.windows import WINDOW, Vectors, standardised, windows

TRAINED, CHOSEN = 100, 200
"""Seeds of what is trained on, and of what thresholds are chosen on."""
TRAINED_COUNT, CHOSEN_COUNT = 800, 100
EVERY = 25
"""Every so many-th window is one that the encoder learns from."""

_log = logging.getLogger(__name__)


def contest(folder: Path) -> Iterator[tuple[str, ...]]:
    """The table's columns and rows, by the recordings in a folder; raises `InputError`."""
    judged = recordings(folder)
    nab = folder.resolve().parent / "nab"
    series = [
        np.array([[value] for _, value in one.values[: one.learnt]])
        for one in (all_series(nab) if nab.is_dir() else [])
    ]
    sets = Sets(made_up_recordings(CHOSEN, CHOSEN_COUNT), judged)
    _log.info("%d recordings to choose thresholds, %d to judge", len(sets.chosen), len(judged))
    yield COLUMNS
    ships = judge("what ships: each sensor, T² with Q", sets, shipped.scores)
    yield row(ships, sets, fixed=1.0)
    yield row(ships._replace(name="the same, threshold chosen as below"), sets)
    yield row(judge("half-space trees", sets, trees.scores), sets)
    boosted_ = learnt_boosted(sets, series)
    yield row(boosted_, sets)
    yield row(rarest("the larger of the first and LightGBM", sets, [ships, boosted_]), sets)


def made_up_recordings(seed: int, count: int) -> list[Recording]:
    """Recordings of made-up machines, and of a made-up plant."""
    return [*made_up.recordings(seed, count), *made_up.plant_recordings(seed)]


def learnt_boosted(sets: Sets, series: Sequence[Array]) -> Judged:
    """Train the encoder and LightGBM, and let them judge."""
    given = made_up_recordings(TRAINED, TRAINED_COUNT)
    readings = [one.readings for one in given] + list(series)
    network = encoder.train(seen(readings), TRAINED, _log.info)
    embed = encoder.embedding(encoder.exported(network))
    model = boosted.train(embed, given)
    score = partial(boosted.scores, embed, model)
    return judge("LightGBM on embedded windows", sets, score, partial(score, at_once=1))


def seen(readings: Sequence[Array]) -> Vectors:
    """Windows of all sensors from which the encoder learns, float32[n, WINDOW]."""
    return np.concatenate(
        [
            windows(standardised(one), range(WINDOW, len(one), EVERY)).reshape(-1, WINDOW)
            for one in readings
        ]
    )
