"""All sensors: each by itself, and those of a group together; what is wrong with them by name."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

import msgspec
import numpy as np

from assistant.core.messages import SensorValue
from assistant.core.sensors.described import Sensors
from assistant.core.sensors.messages import Fault
from assistant.sensors.detection.group import BLAMED, FAST, SLOW, Array, GroupDetector, GroupModel
from assistant.sensors.detection.season import DayClock
from assistant.sensors.detection.single import (
    BIN_S,
    SingleDetector,
    SingleLearner,
    SingleModel,
)

LEARNT_FAST, LEARNT_SLOW = 7200, 17_280
"""Most readings of a group that are learnt from: two hours, and two days."""


class Learnt(msgspec.Struct, frozen=True, kw_only=True):
    """What was learnt while all was well: by sensor, and by group its models of each scale."""

    single: dict[str, SingleModel] = {}
    groups: dict[str, tuple[GroupModel, ...]] = {}


class Found(NamedTuple):
    """Something is wrong with a sensor now: it is `score` times beyond its limit."""

    sensor: str
    fault: Fault
    score: float
    others: tuple[str, ...] = ()


class Judge:
    """Judges values as they come by what was `learnt`; `slack` widens a sensor's or group's limits.

    `clock` tells the time of the day. Time is that of the values and of `pass_time`, in seconds.
    """

    def __init__(
        self,
        described: Sensors,
        learnt: Learnt,
        slack: Mapping[str, float] | None = None,
        clock: DayClock | None = None,
    ) -> None:
        slack, clock = slack or {}, clock or DayClock()
        self.detectors = {
            sensor.id: SingleDetector(
                sensor, learnt.single.get(sensor.id), slack.get(sensor.id, 1.0), clock
            )
            for sensor in described.sensors
        }
        self._groups = [
            Group(sensors, models, slack.get(name, 1.0))
            for name, sensors in described.groups.items()
            if (models := learnt.groups.get(name))
        ]
        for group in self._groups:
            if group.creeps:  # a load that all share is no drift, and this tells the two apart
                for name in group.sensors:
                    self.detectors[name].drifts = False
        self._groups_at_s = -math.inf
        self._silent = set[str]()

    def feed(self, value: SensorValue) -> Found | None:
        """Judge a value of one of the sensors; None where it is well."""
        detector = self.detectors[value.sensor]
        found = detector.feed(value.value, value.at_s)
        self._silent.discard(value.sensor)
        return None if found is None else Found(value.sensor, *found)

    def interval_s(self, sensor: str) -> float:
        """How often a sensor tells its value; 0 for often, or where that is not known."""
        return self.detectors[sensor].interval_s

    def pass_time(self, now_s: float) -> Iterator[Found]:
        """What is wrong with sensors that are silent, and with groups, as of now."""
        for name, detector in self.detectors.items():
            silent = detector.silent(now_s)
            if silent >= 1:
                self._silent.add(name)
                yield Found(name, "silent", silent)
        if now_s - self._groups_at_s >= BIN_S:
            self._groups_at_s = now_s
            for group in self._groups:
                yield from group.judge(self._means(group.sensors))

    def _means(self, sensors: Iterable[str]) -> Array:
        """The last second of each sensor; of a silent one nothing is known."""
        return np.array(
            [
                math.nan if name in self._silent else self.detectors[name].trace.mean
                for name in sensors
            ]
        )


class Group:
    """Sensors that are judged together, on each scale that was learnt."""

    def __init__(
        self, sensors: tuple[str, ...], models: Iterable[GroupModel], slack: float
    ) -> None:
        self.sensors, self._slack = sensors, slack
        self._scales = [(GroupDetector(model), Steps(model.scale.step)) for model in models]

    @property
    def creeps(self) -> bool:
        """Whether what creeps is noticed, as the slow scale was learnt."""
        return any(detector.scale == SLOW for detector, _ in self._scales)

    def judge(self, reading: Array) -> Iterator[Found]:
        """Take a reading, float64[sensors], each second."""
        for detector, steps in self._scales:
            if (mean := steps.add(reading)) is None:
                continue
            score = detector.feed(mean) / self._slack
            if score >= 1:
                yield self._named(detector.contributions(), score)

    def _named(self, shares: Array, score: float) -> Found:
        order = np.argsort(-shares)
        others = tuple(self.sensors[i] for i in order[1:] if shares[i] >= BLAMED)
        return Found(self.sensors[order[0]], "together", score, others)


class Steps:
    """The means of so many readings each, of which some may be missing."""

    def __init__(self, step: int) -> None:
        self._step = step
        self._readings: list[Array] = []

    def add(self, reading: Array) -> Array | None:
        """Take a reading; their mean once there are enough, else None."""
        if self._step == 1:
            return reading
        self._readings.append(reading)
        if len(self._readings) < self._step:
            return None
        readings = np.array(self._readings)
        self._readings.clear()
        there = ~np.isnan(readings)
        sums, counts = np.where(there, readings, 0.0).sum(0), there.sum(0)
        return np.asarray(np.where(counts > 0, sums / np.maximum(counts, 1), math.nan))


class Learner:
    """Learns sensors, and the groups of which it learns all, while all is well with them."""

    def __init__(
        self, described: Sensors, sensors: Iterable[str], clock: DayClock | None = None
    ) -> None:
        clock = clock or DayClock()
        self._single = {name: SingleLearner(clock) for name in sensors}
        self._groups = {
            name: GroupLearner(members)
            for name, members in described.groups.items()
            if self._single.keys() >= set(members)
        }
        self._groups_at_s = -math.inf

    @property
    def sensors(self) -> frozenset[str]:
        """What is learnt."""
        return frozenset(self._single)

    def feed(self, value: SensorValue) -> None:
        """Take a value of a sensor, which may be another one."""
        if (learner := self._single.get(value.sensor)) is not None:
            learner.feed(value.value, value.at_s)

    def pass_time(self, now_s: float) -> None:
        """Take the readings of groups, once a second."""
        if now_s - self._groups_at_s < BIN_S:
            return
        self._groups_at_s = now_s
        for group in self._groups.values():
            group.add(np.array([self._single[name].trace.mean for name in group.sensors]))

    def learnt(self) -> Learnt:
        """What was learnt, of those of which enough was seen."""
        single, groups = {}, {}
        for name, learner in self._single.items():
            if learner.enough:
                single[name] = learner.learnt()
        for name, group in self._groups.items():
            if models := group.learnt():
                groups[name] = models
        return Learnt(single=single, groups=groups)


class GroupLearner:
    """The readings of a group while all is well, on both scales."""

    def __init__(self, sensors: tuple[str, ...]) -> None:
        self.sensors = sensors
        self._kept = [
            (scale, Steps(scale.step), deque[Array](maxlen=most))
            for scale, most in ((FAST, LEARNT_FAST), (SLOW, LEARNT_SLOW))
        ]

    def add(self, reading: Array) -> None:
        """Take the reading of a second; where a sensor tells nothing there is none to learn."""
        for _, steps, kept in self._kept:
            mean = steps.add(reading)
            if mean is not None and np.isfinite(mean).all():
                kept.append(mean)

    def learnt(self) -> tuple[GroupModel, ...]:
        """A model of each scale of which enough was seen."""
        return tuple(
            GroupModel.learn(np.array(kept), scale)
            for scale, _, kept in self._kept
            if len(kept) >= 2 / scale.follows
        )
