"""What ships: each sensor by itself, and T² with Q of the group."""

from __future__ import annotations

import numpy as np

from assistant.core.messages import SensorValue
from assistant.core.sensors.described import Sensor, Sensors
from assistant.evaluation.sensors.machines import LEARNT, ROW_S
from assistant.sensors.detection.group import Array
from assistant.sensors.detection.judge import Judge, Learner

GROUP = "machine"
_SLACK = 1e-9
"""Limits this narrow show every score of the group, not only those of what is wrong."""


def scores(readings: Array) -> Array:
    """How far beyond its limit each row after those that are learnt is; from 1 on it is wrong."""
    names = [f"s{number}" for number in range(readings.shape[1])]
    described = Sensors(
        sensors=tuple(Sensor(id=name, name=name, topic=name, group=GROUP) for name in names)
    )
    learner = Learner(described, names)
    for row in range(LEARNT):
        for name, value in zip(names, readings[row].tolist(), strict=True):
            learner.feed(SensorValue(name, value, row * ROW_S))
        learner.pass_time(row * ROW_S)
    judge = Judge(described, learner.learnt(), {GROUP: _SLACK})
    made = []
    for row, reading in enumerate(readings.tolist()):
        at_s = row * ROW_S
        single = [
            judge.feed(SensorValue(name, value, at_s))
            for name, value in zip(names, reading, strict=True)
        ]
        found = [one for one in (*single, *judge.pass_time(at_s)) if one is not None]
        made.append(max((_score(one.fault, one.score) for one in found), default=0.0))
    return np.array(made[LEARNT:])


def _score(fault: str, score: float) -> float:
    return score * _SLACK if fault == "together" else score
