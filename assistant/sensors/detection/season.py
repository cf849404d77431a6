"""The season of the day: what a sensor usually shows at each time of it."""

from __future__ import annotations

import math
from typing import Final

import msgspec

DAY_S: Final = 86_400.0
SLOTS: Final = 48
"""Parts of a day, half an hour each."""
KEEPS: Final = 0.75
"""Share of the smoothed distance that stays with each bin."""
FOLLOWS: Final = 0.3
"""Share of its distance by which a part of the day follows what it is today."""
EXPLAINS: Final = 0.5
"""Least share of the variance that a season takes away; what takes less is none."""

FEWEST_DAYS: Final = 1.9
"""Fewest days that can be learnt from: one, and most of another to compare with it."""


class SeasonModel(msgspec.Struct, frozen=True, kw_only=True):
    """What was learnt of a sensor's days while all was well."""

    profile: tuple[float, ...]
    """The mean in each part of the day."""
    largest: float
    """Largest smoothed distance from the days before."""
    days: float

    @property
    def limit(self) -> float:
        """From which distance on something is wrong; the fewer days were seen, the wider."""
        return (1.2 + 1 / self.days) * self.largest


class DayClock:
    """The time of the day of values, whose own seconds are those of another clock."""

    def __init__(self, offset_s: float = 0.0) -> None:
        self.offset_s = offset_s
        """Seconds of local time since some midnight, less those of the values' clock."""

    def day(self, at_s: float) -> int:
        """The number of the day."""
        return math.floor((at_s + self.offset_s) / DAY_S)

    def slot(self, at_s: float) -> int:
        """The number of the part of the day."""
        return int((at_s + self.offset_s) % DAY_S / DAY_S * SLOTS)


class SeasonLearner:
    """Learns the days of a sensor: each is compared with those before it."""

    def __init__(self, clock: DayClock) -> None:
        self._clock = clock
        self._sums, self._counts = [0.0] * SLOTS, [0] * SLOTS
        self._today: tuple[list[float], list[int]] = ([0.0] * SLOTS, [0] * SLOTS)
        self._day: int | None = None
        self._first_s = self._last_s = math.nan
        self._whole = False
        """Whether the days before cover every part of the day."""
        self._off = self._largest = 0.0
        self._compared = 0
        self._left = self._sum = self._squares = 0.0

    def feed(self, mean: float, at_s: float) -> None:
        """Take the mean of a bin."""
        day, slot = self._clock.day(at_s), self._clock.slot(at_s)
        if self._day is None:
            self._day, self._first_s = day, at_s
        self._last_s = at_s
        if day != self._day:
            self._day = day
            self._end_day()
        sums, counts = self._today
        sums[slot] += mean
        counts[slot] += 1
        if self._whole:
            self._compare(mean, mean - self._sums[slot] / self._counts[slot])

    def _end_day(self) -> None:
        sums, counts = self._today
        self._sums = [a + b for a, b in zip(self._sums, sums, strict=True)]
        self._counts = [a + b for a, b in zip(self._counts, counts, strict=True)]
        self._today = ([0.0] * SLOTS, [0] * SLOTS)
        self._whole = all(self._counts)

    def _compare(self, mean: float, off: float) -> None:
        self._off = KEEPS * self._off + (1 - KEEPS) * off
        self._largest = max(self._largest, abs(self._off))
        self._compared += 1
        self._left += off * off
        self._sum += mean
        self._squares += mean * mean

    def learnt(self) -> SeasonModel | None:
        """The season; None where there is none, or too little was seen to tell."""
        days = (self._last_s - self._first_s) / DAY_S
        if not self._whole or days < FEWEST_DAYS:
            return None
        variance = self._squares - self._sum * self._sum / self._compared
        if self._left > (1 - EXPLAINS) * variance:
            return None
        self._end_day()
        return SeasonModel(
            profile=tuple(a / b for a, b in zip(self._sums, self._counts, strict=True)),
            largest=self._largest,
            days=days,
        )


class Season:
    """Compares a sensor's bins with the same time of other days.

    It follows what the days become, as the year goes on; of a sensor that tells a value each
    `interval_s` a part of the day has so many bins.
    """

    def __init__(self, model: SeasonModel, clock: DayClock, interval_s: float) -> None:
        self.profile = list(model.profile)
        self._limit, self._clock = model.limit, clock
        self._share = FOLLOWS / max(1.0, DAY_S / SLOTS / max(interval_s, 1.0))
        self._off = 0.0

    def feed(self, mean: float, at_s: float) -> float:
        """How far a bin is from this time of other days: beyond 1 something is wrong."""
        slot = self._clock.slot(at_s)
        off = mean - self.profile[slot]
        self._off = KEEPS * self._off + (1 - KEEPS) * off
        score = abs(self._off) / self._limit if self._limit else math.inf * (self._off != 0)
        if score <= 1:
            self.profile[slot] += self._share * off
        return score

    def usual(self, at_s: float) -> float:
        """What is usual at this time of the day."""
        return self.profile[self._clock.slot(at_s)]
