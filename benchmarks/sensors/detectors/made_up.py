"""Made-up recordings of machines, on which classifiers are trained and thresholds are chosen.

A machine has 3 to 12 sensors, a row a second, and one to three loads, of which each sensor shows a
part: one that wanders, one that switches on and off, or a sine. A sensor has noise of its own,
which may be white, coloured or heavy-tailed, may warm up or walk for as long as it likes, and may
be rounded. All that is normal. A fault lasts 60 to 400 rows and strikes one sensor or several:

- *shift*, within a minute at most, and *drift*, until the end, by 2 to 10 deviations;
- *noise* of 2 to 6 deviations, *swing*, a sine of 1.5 to 6, and *spikes* of 6 to 15;
- *stuck*, the same value, and *gain*, a load that is shown otherwise than before.

Recordings of the made-up plant of `benchmarks/sensors/plant.py` stand beside them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from assistant.evaluation.sensors.machines import LEARNT, Recording
from assistant.sensors.detection.group import Array
from benchmarks.sensors.plant import DAY_S, MACHINES, ON_EACH, RATE_HZ, Plant, PlantFault, machine

ROWS = 1150
PLANT_ROWS, PLANT_S, PLANT_FAULTS = 1200, 4 * 3600, 100
"""Rows of a recording of the plant, and how much of its day is recorded, with how many faults."""
SHORTEST, LONGEST = 60, 400
WITHOUT_FAULT = 0.1
_LEAST = 1e-9

Rng = np.random.Generator


def recordings(seed: int, count: int) -> Iterator[Recording]:
    """So many recordings of machines, each another machine."""
    for number in range(count):
        yield _recording(np.random.default_rng((seed, number)), f"made-up/{seed}/{number}")


def plant_recordings(seed: int) -> list[Recording]:
    """The machines of a plant, twenty minutes at a time, where a fault begins after the learnt."""
    plant = Plant(seed, 1)
    faults = plant.faults(PLANT_FAULTS, DAY_S - PLANT_S)
    blocks = [values for _, values in plant.blocks(DAY_S - PLANT_S, DAY_S, faults)]
    seconds = np.concatenate([values[::RATE_HZ] for values in blocks])
    made = []
    for first in range(0, PLANT_S - PLANT_ROWS + 1, PLANT_ROWS):
        for number in range(MACHINES):
            sensors = slice(number * ON_EACH, (number + 1) * ON_EACH)
            readings = _filled(seconds[first : first + PLANT_ROWS, sensors])
            wrong = _wrong_of(number, faults, DAY_S - PLANT_S + first)
            if wrong.any() and not wrong[:LEARNT].any():
                made.append(Recording(f"plant/{seed}/{first}/{number}", readings, wrong))
    return made


def _wrong_of(number: int, faults: list[PlantFault], from_s: int) -> np.ndarray:
    at_s = from_s + np.arange(PLANT_ROWS)
    wrong = np.zeros(PLANT_ROWS, bool)
    for fault in faults:
        if machine(fault.sensor) == number:
            wrong |= (at_s >= fault.begin_s) & (at_s < fault.end_s)
    return wrong


def _filled(readings: Array) -> Array:
    """Readings with the value before in place of one that did not come."""
    filled = readings.copy()
    filled[0] = np.where(np.isnan(filled[0]), np.nanmean(readings, axis=0), filled[0])
    for row in range(1, len(filled)):
        filled[row] = np.where(np.isnan(filled[row]), filled[row - 1], filled[row])
    return filled


def _recording(rng: Rng, name: str) -> Recording:
    sensors, loads = int(rng.integers(3, 13)), int(rng.integers(1, 4))
    shown = np.stack([_load(rng) for _ in range(loads)], axis=1)
    parts = rng.normal(size=(loads, sensors)) * rng.uniform(0, 4, (loads, sensors))
    parts *= rng.random((loads, sensors)) < 0.7
    own = np.stack([_noise(rng) + _creep(rng) for _ in range(sensors)], axis=1)
    moved = shown @ parts
    readings, wrong = moved + own, np.zeros(ROWS, bool)
    if rng.random() >= WITHOUT_FAULT:
        deviation = readings[:LEARNT].std(0)
        for begin, end in _stretches(rng):
            wrong[begin:end] = True
            _break(rng, readings[begin:end], moved[begin:end], deviation)
    steps = np.where(rng.random(sensors) < 0.3, rng.uniform(0.2, 2, sensors), 0.001)
    return Recording(name, np.round(readings / steps) * steps, wrong)


def _stretches(rng: Rng) -> Iterator[tuple[int, int]]:
    """From which row to which something is wrong, once or twice."""
    begin = LEARNT + int(rng.integers(30, 250))
    for _ in range(int(rng.integers(1, 3))):
        end = begin + int(rng.integers(SHORTEST, LONGEST))
        if end > ROWS:
            return
        yield begin, end
        begin = end + int(rng.integers(100, 250))


def _load(rng: Rng) -> Array:
    """A load of about one deviation, float64[rows]."""
    at = np.arange(ROWS)
    kind = rng.choice(["wander", "switch", "sine"])
    if kind == "wander":
        return _coloured(rng.standard_normal(ROWS), float(np.exp(-1 / rng.uniform(5, 400))))
    period, phase = rng.uniform(20, 300), rng.random()
    turn = (at / period + phase) % 1
    if kind == "sine":
        return np.asarray(1.4 * np.sin(2 * np.pi * turn))
    width = int(rng.integers(1, 10))
    return np.convolve(np.where(turn < rng.uniform(0.3, 0.7), 1.0, -1.0), np.ones(width) / width)[
        :ROWS
    ]


def _noise(rng: Rng) -> Array:
    white = rng.standard_normal(ROWS)
    if rng.random() < 0.3:
        white = rng.standard_t(4, ROWS) / np.sqrt(2)
    return _coloured(white, float(rng.uniform(0, 0.95))) if rng.random() < 0.5 else white


def _creep(rng: Rng) -> Array:
    """What warms up, or walks."""
    creep = np.zeros(ROWS)
    if rng.random() < 0.4:
        creep += rng.uniform(-8, 8) * (1 - np.exp(-np.arange(ROWS) / rng.uniform(200, 2000)))
    if rng.random() < 0.3:
        creep += np.cumsum(rng.standard_normal(ROWS)) * rng.uniform(0, 0.05)
    return creep


def _coloured(white: Array, keeps: float) -> Array:
    """Noise of the same variance of which each value keeps a share of the one before."""
    made, jumps = np.empty_like(white), np.sqrt(1 - keeps**2)
    last = white[0]
    for row, value in enumerate(white):
        made[row] = last = keeps * last + jumps * value
    return made


def _break(rng: Rng, readings: Array, moved: Array, deviation: Array) -> None:
    """Put a fault into these rows of some sensors."""
    sensors = readings.shape[1]
    struck = rng.permutation(sensors)[: int(rng.integers(1, sensors // 2 + 2))]
    kind = FAULTS[int(rng.integers(len(FAULTS)))]
    for sensor in struck:
        size = max(float(deviation[sensor]), _LEAST)
        readings[:, sensor] = kind(rng, readings[:, sensor], moved[:, sensor], size)


def _shift(rng: Rng, values: Array, moved: Array, size: float) -> Array:
    ramp = np.minimum(np.arange(1, len(values) + 1) / rng.uniform(1, 60), 1)
    return np.asarray(values + ramp * _either(rng, 2, 10) * size)


def _drift(rng: Rng, values: Array, moved: Array, size: float) -> Array:
    return np.asarray(values + np.linspace(0, 1, len(values)) * _either(rng, 2, 10) * size)


def _noisy(rng: Rng, values: Array, moved: Array, size: float) -> Array:
    return np.asarray(values + rng.standard_normal(len(values)) * rng.uniform(2, 6) * size)


def _swing(rng: Rng, values: Array, moved: Array, size: float) -> Array:
    turns = np.arange(len(values)) / rng.uniform(4, 40)
    return np.asarray(values + np.sin(2 * np.pi * turns) * rng.uniform(1.5, 6) * size)


def _spikes(rng: Rng, values: Array, moved: Array, size: float) -> Array:
    there = rng.random(len(values)) < 0.1
    return np.asarray(values + there * _either(rng, 6, 15) * size)


def _stuck(rng: Rng, values: Array, moved: Array, size: float) -> Array:
    return np.full(len(values), values[0])


def _gain(rng: Rng, values: Array, moved: Array, size: float) -> Array:
    gain = rng.uniform(-1, 0.2) if rng.random() < 0.7 else rng.uniform(2, 3)
    return np.asarray(values + (gain - 1) * moved)


def _either(rng: Rng, least: float, most: float) -> float:
    return float(rng.uniform(least, most) * rng.choice([-1, 1]))


Break = Callable[[Rng, Array, Array, float], Array]
FAULTS: tuple[Break, ...] = (_shift, _drift, _noisy, _swing, _spikes, _stuck, _gain)
"""What may go wrong: of the values, the loads' part of them and their deviation, what is read."""
