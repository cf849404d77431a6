"""Sensors that belong together, such as those of a machine: whether they still move as they did.

The mean of the last few readings is compared with a centre that follows slowly, but not while
something is wrong, as a machine that warms up is not broken. The distance is split in two:
Hotelling's T² is how far it is within the directions in which the sensors usually vary together,
and Q what is left beside those (Jackson and Mudholkar, Technometrics 21(3), 1979). What the centre
leaves is learnt just so. A fast centre shows what happens within seconds, a slow one what creeps.
"""

from __future__ import annotations

from collections import deque
from typing import Any, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


class Scale(NamedTuple):
    """How soon something is noticed, and what counts as slow."""

    step: int
    """Bins whose mean is one reading."""
    window: int
    """Readings whose mean is judged."""
    follows: float
    """Share of its distance by which the centre follows each reading."""
    holds: int
    """Readings in a row that must be wrong until they count as usual."""
    alarm: float
    """Multiple of the largest usual distance at which something is wrong."""


FAST, SLOW = Scale(1, 10, 0.02, 600, 6.5), Scale(10, 6, 1 / 120, 360, 9.0)
EXPLAINED = 0.95
"""Least share of the variance that the usual directions have; the others are Q's."""
USUAL = 0.99
"""Quantile of what is learnt that counts as the largest usual distance."""
BLAMED = 0.2
"""Least share in a fault of a sensor that is to blame."""
FEWEST = 50
"""Fewest readings that can be learnt from."""
_LEAST = 1e-4
"""Least share of the variance that counts in a direction, so that a guess is never a large one."""
_STILL = 1e-9
"""Least standard deviation of a sensor, in its unit; one that stood still would divide by zero."""


class GroupModel(msgspec.Struct, frozen=True, kw_only=True):
    """What was learnt of a group while all was well; rows are directions, columns sensors."""

    scale: Scale
    mean: tuple[float, ...]
    deviation: tuple[float, ...]
    centre: tuple[float, ...]
    """Where the centre was in the end, in deviations from `mean`."""
    directions: tuple[tuple[float, ...], ...]
    """Unit vectors, the one of the largest variance first."""
    variances: tuple[float, ...]
    usual: int
    """How many of the directions are T²'s."""
    largest_t2: float
    largest_q: float

    @classmethod
    def learn(cls, readings: Array, scale: Scale = FAST) -> GroupModel:
        """Learn from float64[n, sensors] in which all was well; raises `ValueError` for too few."""
        if len(readings) < FEWEST or not np.isfinite(readings).all():
            raise ValueError(f"{FEWEST} readings of every sensor are needed")
        mean, deviation = readings.mean(0), readings.std(0) + _STILL
        windows = _means((readings - mean) / deviation, scale.window)
        about = round(1 / scale.follows)
        off = _followed(windows, windows[:about].mean(0), scale.follows)
        variances, columns = np.linalg.eigh(np.atleast_2d(np.cov(off.T)))
        variances, directions = variances[::-1].clip(_STILL), columns.T[::-1]
        shares = np.cumsum(variances) / variances.sum()
        usual = min(int(np.searchsorted(shares, EXPLAINED)) + 1, max(1, len(variances) - 1))
        t2, q = _distances(off @ directions.T, variances, usual)
        return cls(
            scale=scale,
            mean=tuple(mean.tolist()),
            deviation=tuple(deviation.tolist()),
            centre=tuple(windows[-about:].mean(0).tolist()),
            directions=tuple(map(tuple, directions.tolist())),
            variances=tuple(variances.tolist()),
            usual=usual,
            largest_t2=float(np.quantile(t2, USUAL)) + _STILL,
            largest_q=float(np.quantile(q, USUAL)) + _STILL,
        )


class GroupDetector:
    """Judges the readings of a group, one after the other, by what was learnt of it."""

    def __init__(self, model: GroupModel) -> None:
        self._mean, self._deviation = np.array(model.mean), np.array(model.deviation)
        self._directions, self._variances = np.array(model.directions), np.array(model.variances)
        least = _LEAST * self._variances.sum()
        self._precision = (self._directions.T / np.maximum(self._variances, least)) @ (
            self._directions
        )
        self._model, self._centre = model, np.array(model.centre)
        self._readings = deque([self._centre] * model.scale.window, maxlen=model.scale.window)
        self._off = np.zeros(len(model.mean))
        self._wrong = 0
        """How many readings in a row were wrong."""

    @property
    def scale(self) -> Scale:
        """How soon it notices something."""
        return self._model.scale

    def feed(self, reading: Array) -> float:
        """How far the last readings are from what is usual: from 1 on, something is wrong.

        `reading` is float64[sensors]; a value that is missing is NaN, and counts as what the others
        let expect.
        """
        self._readings.append(self._whole((reading - self._mean) / self._deviation))
        self._off = np.mean(self._readings, axis=0) - self._centre
        model = self._model
        t2, q = _distances(self._directions @ self._off, self._variances, model.usual)
        score = max(t2 / model.largest_t2, q / model.largest_q) / model.scale.alarm
        self._wrong = self._wrong + 1 if score >= 1 else 0
        self._follow()
        return float(score)

    def _follow(self) -> None:
        """Let the centre follow: of a sensor to blame only what the others let expect."""
        scale = self._model.scale
        if self._wrong > scale.holds:  # at once, or it would be wrong off and on for a while
            self._centre += self._off
        elif self._wrong:
            blamed = self.contributions() >= BLAMED
            self._centre += scale.follows * self._expected(self._off, blamed)
        else:
            self._centre += scale.follows * self._off

    def _whole(self, standard: Array) -> Array:
        """A reading with what the others let expect in place of the values that are missing."""
        missing = np.isnan(standard)
        if not missing.any():
            return standard
        return np.asarray(self._centre + self._expected(standard - self._centre, missing))

    def _expected(self, off: Array, unknown: NDArray[np.bool_]) -> Array:
        """A distance of which what is unknown is what the others let expect."""
        known = np.where(unknown, 0.0, off)
        if unknown.any():
            own = self._precision[np.ix_(unknown, unknown)]
            known[unknown] = -np.linalg.solve(own, self._precision[unknown] @ known)
        return known

    def contributions(self) -> Array:
        """The share of each sensor in the last score, float64[sensors] that sum to one.

        It is how much less the distances would be were that sensor where the others expect it,
        relative to what is usual (reconstruction-based contribution; Alcala and Qin, Automatica
        45(7), 2009).
        """
        weights = np.where(
            np.arange(len(self._variances)) < self._model.usual,
            1 / (self._variances * self._model.largest_t2),
            1 / self._model.largest_q,
        )
        form = self._directions.T @ (weights[:, None] * self._directions)
        parts = (form @ self._off) ** 2 / np.diag(form)
        return np.asarray(parts / max(parts.sum(), _STILL))


def _means(readings: Array, window: int) -> Array:
    """The means of all whole windows, float64[n - window + 1, sensors]."""
    sums = np.cumsum(np.vstack([np.zeros(readings.shape[1]), readings]), axis=0)
    return np.asarray((sums[window:] - sums[:-window]) / window)


def _followed(windows: Array, centre: Array, follows: float) -> Array:
    """The distance of each window from a centre that follows them."""
    off = np.empty_like(windows)
    for number, window in enumerate(windows):
        off[number] = window - centre
        centre = centre + follows * off[number]
    return off


def _distances(parts: Array, variances: Array, usual: int) -> tuple[Any, Any]:
    """T² and Q of what has these parts in the directions, its last axis."""
    t2 = (parts[..., :usual] ** 2 / variances[:usual]).sum(-1)
    return t2, (parts[..., usual:] ** 2).sum(-1)
