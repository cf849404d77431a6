"""Logistic regression in numpy: many classes by L-BFGS, two by Newton's method."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.floating[Any]]

PENALTY = 0.05
"""Factor on half the squared weights, added to the summed cross entropy of all sentences."""
STEPS, WARM_STEPS = 60, 8
"""Most steps of a fit from zero, and of one from an earlier fit."""
MEMORY = 8
"""Number of last steps that L-BFGS keeps."""
ENOUGH = 1e-4
"""Least share of the loss that three steps together must save for the fit to go on."""


@dataclass(frozen=True)
class Linear:
    """x → x · weightᵀ + bias, with weight float32[outputs, width]."""

    weight: Array
    bias: Array

    def __call__(self, x: Array) -> Array:
        """float32[n, width] → float32[n, outputs]."""
        return np.asarray(x @ self.weight.T + self.bias, np.float32)

    @property
    def outputs(self) -> int:
        """How many outputs there are."""
        return len(self.bias)

    def stacked(self) -> Array:
        """Weight and bias as one array float32[outputs, width + 1]."""
        return np.column_stack([self.weight, self.bias]).astype(np.float32)

    @classmethod
    def unstacked(cls, stacked: Array) -> Linear:
        """The inverse of `stacked`."""
        return cls(np.ascontiguousarray(stacked[:, :-1]), stacked[:, -1].copy())


def softmax(logits: Array) -> Array:
    """Probabilities along the last axis."""
    powers = np.exp(logits - logits.max(axis=-1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=-1, keepdims=True), np.float32)


def fit_softmax(x: Array, targets: NDArray[np.intp], start: Linear | None = None) -> Linear:
    """Fit classes 0..k-1 to x float32[n, width] by penalized cross entropy, from `start`."""
    outputs = start.outputs if start else int(targets.max()) + 1
    whole = np.column_stack([x, np.ones(len(x), np.float32)])
    rows = np.arange(len(x))
    penalty = np.full((1, whole.shape[1]), PENALTY / len(x), np.float32)
    penalty[0, -1] = 0

    def loss(weights: Array) -> tuple[float, Array]:
        logits = whole @ weights.T
        logits -= logits.max(axis=1, keepdims=True)
        np.exp(logits, out=logits)
        logits /= logits.sum(axis=1, keepdims=True)
        value = -np.log(logits[rows, targets] + 1e-30).mean(dtype=np.float64)
        logits[rows, targets] -= 1
        slope = (logits.T @ whole) / len(whole) + penalty * weights
        return float(value + 0.5 * (penalty * weights**2).sum()), slope

    first = start.stacked() if start else np.zeros((outputs, whole.shape[1]), np.float32)
    found = _minimize(loss, first, _curvature(whole, outputs), WARM_STEPS if start else STEPS)
    return Linear.unstacked(found)


def _curvature(x: Array, outputs: int) -> Array:
    """Inverse of an approximate second derivative of the loss, the same for each class."""
    square = (x.T @ x).astype(np.float64) / (len(x) * outputs)
    square[np.diag_indices(len(square))] += PENALTY / len(x) + 1e-6
    return np.linalg.inv(square).astype(np.float32)


def _minimize(
    loss: Callable[[Array], tuple[float, Array]], point: Array, inverse: Array, steps: int
) -> Array:
    """L-BFGS (Nocedal 1980) from `point`, with `inverse` as the first guess at the curvature."""
    pairs: deque[tuple[Array, Array, float]] = deque(maxlen=MEMORY)
    value, slope = loss(point)
    values = [value]
    for _ in range(steps):
        direction = -_newton(slope, pairs, inverse)
        descent = float(np.vdot(direction, slope))
        rate = 1.0
        new_value, new_slope = loss(point + direction)
        while new_value > value + 1e-4 * rate * descent and rate > 1e-3:
            rate /= 2
            new_value, new_slope = loss(point + rate * direction)
        if not new_value < value:
            break
        change, bend = rate * direction, new_slope - slope
        point = point + change
        if (curve := float(np.vdot(change, bend))) > 0:
            pairs.append((change, bend, curve))
        value, slope = new_value, new_slope
        values.append(value)
        if len(values) > 3 and values[-4] - value < ENOUGH * value:
            break
    return point


def _newton(slope: Array, pairs: deque[tuple[Array, Array, float]], inverse: Array) -> Array:
    """The slope times the inverse curvature, estimated from the last steps."""
    q = slope.copy()
    shares = []
    for change, bend, curve in reversed(pairs):
        share = float(np.vdot(change, q)) / curve
        shares.append(share)
        q -= share * bend
    q = q @ inverse
    if pairs:
        change, bend, curve = pairs[-1]
        q *= curve / max(float(np.vdot(bend, bend @ inverse)), 1e-12)
    for (change, bend, curve), share in zip(pairs, reversed(shares), strict=True):
        q += change * (share - float(np.vdot(bend, q)) / curve)
    return q


def fit_binary(x: Array, targets: NDArray[np.bool_]) -> Linear:
    """Fit one output to few features x float32[n, f]; both classes weigh the same.

    With one class empty, the output is the mean of the features.
    """
    width = x.shape[1]
    if targets.all() or not targets.any():
        return Linear(np.full((1, width), 1 / width, np.float32), np.zeros(1, np.float32))
    whole = np.column_stack([x, np.ones(len(x))]).astype(np.float64)
    shares = np.where(targets, 0.5 / targets.sum(), 0.5 / (~targets).sum())
    weights = np.zeros(width + 1)
    penalty = np.diag([1e-3] * width + [1e-6])
    for _ in range(30):
        chance = 1 / (1 + np.exp(-whole @ weights))
        slope = whole.T @ (shares * (chance - targets)) + penalty @ weights
        bend = (whole * (shares * chance * (1 - chance))[:, None]).T @ whole + penalty
        weights = weights - np.linalg.solve(bend, slope)
    return Linear(weights[None, :-1].astype(np.float32), weights[-1:].astype(np.float32))
