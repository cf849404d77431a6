"""One sensor: whether its values are what they were while all was well.

A few numbers are made of each value, the same while learning and while judging, and compared with
the largest that were seen while all was well:

| number                                                    | is beyond its limit for |
|-----------------------------------------------------------|-------------------------|
| distance of a value, and of the mean of three, from those just before | "spike"     |
| distance of the last half minute from the last twenty     | "drift"                 |
| distance from the same time of other days, where the sensor has a season | "drift"  |
| how often the same value came in a row                    | "stuck"                 |
| time since the last value                                 | "silent"                |

Values are put into bins of a second, or of one value for a sensor that tells one more rarely: what
is said here of seconds is meant of its bins.
"""

from __future__ import annotations

import math
from typing import Final, NamedTuple

import msgspec

from assistant.core.sensors.described import Sensor
from assistant.core.sensors.messages import Fault
from assistant.sensors.detection.season import DayClock, Season, SeasonLearner, SeasonModel

BIN_S: Final = 1.0
LEVEL_KEEPS: Final = 0.8
"""Share of the level of the last seconds that stays with each bin: it is that of some five."""
FAST_KEEPS: Final = 1 - 1 / 30
SLOW_KEEPS: Final = 1 - 1 / 1200
FEWEST_BINS: Final = 60
"""Fewest bins that can be learnt from."""
HOLDS_LEVEL: Final = 20
HOLDS_USUAL: Final = 3600
"""Bins in a row that must be wrong before the level, and what is usual, follow them all the same: a
machine that runs otherwise from now on is not broken for ever."""
OFTEN: Final = 0.5
_SETTLED: Final = 10
"""Bins after which the level is one."""


class SingleModel(msgspec.Struct, frozen=True, kw_only=True):
    """What was learnt of a sensor while all was well: spreads, and the largest that were seen."""

    bins: int
    """How many bins were seen."""
    interval_s: float
    """Mean time between two values."""
    level: float
    """The mean."""
    spread: float
    """Deviation of a value from those just before."""
    spread_of_three: float
    largest: float
    """Largest distance of a value from those just before."""
    largest_of_three: float
    largest_drift: float
    """Largest distance of the last half minute from the last twenty."""
    longest_run: int
    """How often the same value came in a row."""
    repeats: float
    """Share of values that are the one before once more."""
    longest_gap_s: float
    """Longest time between two values."""
    season: SeasonModel | None = None


class Limits(msgspec.Struct, frozen=True, kw_only=True):
    """From where on a number is wrong; infinity for what is not known."""

    spike: float = math.inf
    spike_of_three: float = math.inf
    drift: float = math.inf
    run: float = math.inf
    gap_s: float = math.inf

    @classmethod
    def of(cls, model: SingleModel, slack: float = 1.0) -> Limits:
        """The limits that follow from what was learnt, `slack` times as wide.

        Noise passes six deviations once in a thousand million values. What moves slowly was seen in
        few turns only, the shorter the learning, the fewer: its limit is the wider.
        """
        turns = model.bins * (1 - SLOW_KEEPS)
        return cls(
            spike=slack * max(6.2 * model.spread, 1.2 * model.largest),
            spike_of_three=slack * max(5.8 * model.spread_of_three, 1.1 * model.largest_of_three),
            drift=slack * (1.5 + 4 / turns) * model.largest_drift,
            # What stands still most of the time cannot be stuck.
            run=slack * max(10.0, 4.0 * model.longest_run) if model.repeats < OFTEN else math.inf,
            gap_s=slack * max(3.0, 5.0 * model.longest_gap_s, 10.0 * model.interval_s),
        )


class Levels(NamedTuple):
    """What a trace has come to: the means of seconds, of half a minute, and of twenty."""

    level: float
    fast: float
    slow: float
    bins: int


class Trace:
    """The numbers of a sensor's values, as they come.

    They are plain attributes, and there is no array: this runs for each of thousands of values a
    second.
    """

    def __init__(self) -> None:
        self.value = math.nan
        self.at_s = -math.inf
        self.run = 0
        """How often the last value has come in a row, beside the first time."""
        self.changed_s = -math.inf
        """When the value changed last."""
        self.gap_s = 0.0
        """Time between the last two values."""
        self.off = self.off_of_three = 0.0
        """Distance of the last value, and of the mean of the last three, from those just before."""
        self.drift = 0.0
        """Distance of the last half minute from the last twenty, as of the last whole bin."""
        self.bins = 0
        """How many bins are whole."""
        self.mean = math.nan
        """The mean of the last whole bin."""
        self._wrong = 0
        """How many bins in a row were wrong."""
        self._two_before = (0.0, 0.0)
        self.level = 0.0
        """The mean of the last seconds."""
        self._fast = self._slow = 0.0
        self._sum, self._count, self._bin_ends_s = 0.0, 0, -math.inf

    def kept(self) -> Levels | None:
        """The levels, to go on from after a restart; None before there are any."""
        return Levels(self.level, self._fast, self._slow, self.bins) if self.bins else None

    def go_on(self, levels: Levels) -> None:
        """Go on from the levels of a trace before this one."""
        self.level, self._fast, self._slow, self.bins = levels
        self._two_before = (self.level, self.level)

    @property
    def usual(self) -> float | None:
        """The level of the last twenty minutes; None where there was none."""
        return self._slow if self.bins else None

    def feed(self, value: float, at_s: float) -> bool:
        """Take a value; whether it has made a bin whole, so that `settle` is to be called."""
        whole = at_s >= self._bin_ends_s and self._count > 0
        if whole:
            self.mean = self._sum / self._count
        if at_s >= self._bin_ends_s:
            self._bin_ends_s = at_s + BIN_S
            self._sum, self._count = 0.0, 0
        if value == self.value:
            self.run += 1
        else:
            self.run, self.changed_s = 0, at_s
        self.gap_s = at_s - self.at_s
        before, last = self._two_before
        self.off = value - self.level
        self.off_of_three = (before + last + value) / 3 - self.level
        self._two_before = (last, value)
        self.value, self.at_s = value, at_s
        self._sum += value
        self._count += 1
        return whole

    def settle(self, well: bool) -> None:
        """Follow the last whole bin, if all is well: what is wrong does not soon become usual."""
        mean = self.mean
        if not self.bins:
            self.level = self._fast = self._slow = mean
        self.bins += 1
        self._fast += (1 - FAST_KEEPS) * (mean - self._fast)
        self.drift = self._fast - self._slow
        self._wrong = 0 if well else self._wrong + 1
        if well or self._wrong > HOLDS_LEVEL:
            self.level += (1 - LEVEL_KEEPS) * (mean - self.level)
        if well or self._wrong > HOLDS_USUAL:
            # A mean at first, so that the beginning does not count for twenty minutes.
            share = max(1 - SLOW_KEEPS, 1 / (self.bins + 1))
            self._slow += share * (mean - self._slow)

    @property
    def settled(self) -> bool:
        """Whether there is a level that a value can be compared with."""
        return self.bins >= _SETTLED


class SingleLearner:
    """Learns a sensor while all is well; `clock` tells the time of the day."""

    def __init__(self, clock: DayClock | None = None) -> None:
        self.trace, self._season = Trace(), SeasonLearner(clock or DayClock())
        self._first_s = math.nan
        self._values = 0
        self._sum = self._squares = self._squares_of_three = 0.0
        self._compared = 0
        self._largest = self._largest_of_three = self._largest_drift = 0.0
        self._longest_run, self._repeats, self._longest_gap_s = 0, 0, 0.0

    def feed(self, value: float, at_s: float) -> None:
        """Take the next value."""
        trace = self.trace
        if trace.feed(value, at_s):
            trace.settle(True)
            self._season.feed(trace.mean, at_s)
            if trace.bins > 2 * FEWEST_BINS:
                self._largest_drift = max(self._largest_drift, abs(trace.drift))
        self._values += 1
        self._sum += value
        if self._values == 1:
            self._first_s = at_s
            return
        self._longest_run = max(self._longest_run, trace.run)
        self._repeats += trace.run > 0
        self._longest_gap_s = max(self._longest_gap_s, trace.gap_s)
        if trace.settled:
            self._compared += 1
            self._squares += trace.off * trace.off
            self._squares_of_three += trace.off_of_three * trace.off_of_three
            self._largest = max(self._largest, abs(trace.off))
            self._largest_of_three = max(self._largest_of_three, abs(trace.off_of_three))

    @property
    def enough(self) -> bool:
        """Whether so much was seen that something can be learnt."""
        return self.trace.bins >= FEWEST_BINS

    def learnt(self) -> SingleModel:
        """What was learnt; raises `ValueError` where that is not enough."""
        if not self.enough:
            raise ValueError(f"{FEWEST_BINS} values, a second apart or more, are needed")
        return SingleModel(
            bins=self.trace.bins,
            interval_s=(self.trace.at_s - self._first_s) / (self._values - 1),
            level=self._sum / self._values,
            spread=math.sqrt(self._squares / self._compared),
            spread_of_three=math.sqrt(self._squares_of_three / self._compared),
            largest=self._largest,
            largest_of_three=self._largest_of_three,
            # Before there was time for a drift its noise is the best that is known.
            largest_drift=self._largest_drift or self._largest_of_three,
            longest_run=self._longest_run,
            repeats=self._repeats / self._values,
            longest_gap_s=self._longest_gap_s,
            season=self._season.learnt(),
        )


class SingleDetector:
    """Judges a sensor's values by the limits of its file, and by what was learnt if anything was.

    `slack` widens what was learnt, as after false alarms; `clock` tells the time of the day.
    """

    def __init__(
        self,
        sensor: Sensor,
        model: SingleModel | None = None,
        slack: float = 1.0,
        clock: DayClock | None = None,
    ) -> None:
        self.sensor, self.trace = sensor, Trace()
        self.limits = Limits.of(model, slack) if model is not None else Limits()
        self._low = -math.inf if sensor.low is None else sensor.low
        self._high = math.inf if sensor.high is None else sensor.high
        self._fastest = math.inf if sensor.fastest is None else sensor.fastest
        self._gap_s = sensor.silent_after_s or self.limits.gap_s
        self.interval_s = 0.0 if model is None else model.interval_s
        self.season: Season | None = None
        if model is not None and model.season is not None:
            self.season = Season(model.season, clock or DayClock(), model.interval_s)
        self._slack, self._off_season = slack, 0.0
        self.drifts = True
        """Whether a drift is looked for, as it is unless a group knows better."""
        self._spike, self._spike_of_three = self.limits.spike, self.limits.spike_of_three
        self._well = True

    def feed(self, value: float, at_s: float) -> tuple[Fault, float] | None:
        """Judge the next value: what is wrong, and how far beyond its limit; None for nothing."""
        trace = self.trace
        before = trace.value
        if trace.feed(value, at_s):
            trace.settle(self._well)
            if self.season is not None:
                self._off_season = self.season.feed(trace.mean, at_s) / self._slack
        if not self._low <= value <= self._high:
            found = self._beyond(value)
        elif trace.gap_s and abs(value - before) > self._fastest * trace.gap_s:
            found = "fast", abs(value - before) / (self._fastest * trace.gap_s)
        elif not trace.settled:
            found = None
        elif abs(trace.off) > self._spike or abs(trace.off_of_three) > self._spike_of_three:
            found = "spike", self._spiking()
        elif trace.run > self.limits.run:
            found = "stuck", trace.run / self.limits.run
        elif self.drifts and abs(trace.drift) > self.limits.drift:
            found = "drift", abs(trace.drift) / self.limits.drift
        elif self.drifts and self._off_season > 1:
            found = "drift", self._off_season
        else:
            found = None
        self._well = found is None
        return found

    def silent(self, now_s: float) -> float:
        """How long no value has come, in how long that may be: from 1 on it is wrong."""
        return (now_s - self.trace.at_s) / self._gap_s if self.trace.at_s > -math.inf else 0.0

    @property
    def usual(self) -> float | None:
        """What the value usually is now; None where that is not known."""
        trace = self.trace
        return trace.usual if self.season is None else self.season.usual(trace.at_s)

    @property
    def stuck_s(self) -> float:
        """For how long the value has stood still."""
        return self.trace.at_s - self.trace.changed_s

    def bounds(self, fault: Fault) -> tuple[float | None, float | None]:
        """Between which values a value was not wrong in this way; None for any."""
        if fault in ("low", "high"):
            return self.sensor.low, self.sensor.high
        trace, usual = self.trace, self.trace.usual
        if fault == "spike":
            return trace.level - self._spike, trace.level + self._spike
        if fault == "drift" and usual is not None and self.season is None:
            return usual - self.limits.drift, usual + self.limits.drift
        return None, None

    @property
    def band(self) -> tuple[float | None, float | None]:
        """Between which values nothing is wrong now, by the file and by what was learnt."""
        low, high = self._low, self._high
        if self.trace.settled:
            low = max(low, self.trace.level - self._spike)
            high = min(high, self.trace.level + self._spike)
        return low if low > -math.inf else None, high if high < math.inf else None

    def _beyond(self, value: float) -> tuple[Fault, float]:
        fault: Fault = "low" if value < self._low else "high"
        limit = self._low if fault == "low" else self._high
        return fault, 1 + abs(value - limit) / max(abs(limit), 1e-9)

    def _spiking(self) -> float:
        trace = self.trace
        return max(abs(trace.off) / self._spike, abs(trace.off_of_three) / self._spike_of_three)
