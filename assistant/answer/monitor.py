"""Whether answers stay as good as they were: a rolling look at the last of them.

The share of the last `WINDOW` answers that have a flaw is set beside the share expected:

| flaw       | an answer has it that                                | expected                |
|------------|------------------------------------------------------|-------------------------|
| unsure     | is less certain than nine of ten were at first       | 0.1                     |
| ungrounded | was worded with facts that its sources do not hold   | as at first, at most 0.1 |
| empty      | the generator had no fitting words for               | as at first, at most 0.1 |
| declined   | found nothing                                        | as at first             |
| slow       | took longer than the budget, or 1.5 times what 95 of | 0.05                    |
|            | 100 took at first                                    |                         |

"At first" are the first `LEARNED_FROM` answers that could have the flaw; until then the absolute
limits alone hold. Of a declined question only `declined` and `slow` are judged.

An alert begins when the share exceeds what is expected by `LEAST_RISE` and by more than chance
explains, `DEVIATIONS` of the difference between two shares; it ends when half of that excess is
left, and begins again no sooner than `AGAIN_AFTER_S` later. Only its begin and its end are told.
Of simulated steady answers one in 60,000 began an alert.
"""

from __future__ import annotations

import logging
import math
from collections import deque
from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import NamedTuple

import msgspec
import numpy as np

from assistant.answer.answerer import Answer, Tier
from assistant.core.messages import QualityAlert

WINDOW = 200
LEARNED_FROM = 200
LEAST = 50
"""Answers in the window before they are judged."""
LEAST_RISE = 0.05
DEVIATIONS = 4.0
MOST_FAULTS, UNSURE_SHARE, SLOW_SHARE = 0.1, 0.1, 0.05
MUCH_SLOWER = 1.5
AGAIN_AFTER_S = 600.0

log = logging.getLogger(__name__)

Baseline = Mapping[str, float]
"""By flaw, what was learned: a share, or the value from which an answer has it."""


class Flaw(StrEnum):
    """What may be wrong with an answer."""

    UNSURE = "unsure"
    UNGROUNDED = "ungrounded"
    EMPTY = "empty"
    DECLINED = "declined"
    SLOW = "slow"


class Sample(NamedTuple):
    """One answer; `certainty`, in logits, is None where nothing was read."""

    seconds: float
    certainty: float | None = None
    declined: bool = False
    ungrounded: bool = False
    empty: bool = False

    def values(self) -> dict[Flaw, float]:
        """By flaw that it may have, a value that is the larger the worse."""
        found: dict[Flaw, float] = {Flaw.DECLINED: self.declined, Flaw.SLOW: self.seconds}
        if not self.declined:
            found |= {Flaw.UNGROUNDED: self.ungrounded, Flaw.EMPTY: self.empty}
            if self.certainty is not None:
                found[Flaw.UNSURE] = -self.certainty
        return found


class QualityFigures(msgspec.Struct, frozen=True, kw_only=True):
    """The window: each flaw's share, from 0 to 1, and how long answers took."""

    answers: int
    shares: dict[str, float]
    p50_ms: float
    p95_ms: float
    p99_ms: float


class Monitor:
    """Observes every answer of `stage`, which may take `budget_s`, and tells when they get worse.

    `baseline` is what an earlier monitor has learned; `keep` is called with what this one learns.
    """

    def __init__(
        self,
        budget_s: float,
        baseline: Baseline | None = None,
        keep: Callable[[Baseline], None] = lambda _: None,
        stage: str = "answer",
    ) -> None:
        self._stage, self._keep = stage, keep
        self._seconds: deque[float] = deque(maxlen=WINDOW)
        self._outcomes: dict[str, int] = {}
        self._gauges = {
            Flaw.UNSURE: _Limit(UNSURE_SHARE, math.inf),
            Flaw.UNGROUNDED: _Share(MOST_FAULTS),
            Flaw.EMPTY: _Share(MOST_FAULTS),
            Flaw.DECLINED: _Share(1.0),
            Flaw.SLOW: _Limit(SLOW_SHARE, budget_s, MUCH_SLOWER),
        }
        for flaw, learned in (baseline or {}).items():
            if flaw in self._gauges:
                self._gauges[Flaw(flaw)].learn(learned)

    @property
    def baseline(self) -> Baseline:
        """What has been learned so far."""
        learned = ((flaw.value, gauge.learned) for flaw, gauge in self._gauges.items())
        return {flaw: value for flaw, value in learned if value is not None}

    def observe(
        self, at_s: float, seconds: float, outcomes: Mapping[str, int], answer: Answer | None = None
    ) -> list[QualityAlert]:
        """Take in an answer that took so long; `answer` None for words to a skill's facts.

        `outcomes` are the answerer's counts, which tell by their rise how it went. What was kept
        from an earlier time says nothing new.
        """
        rise = {k: n - self._outcomes.get(k, 0) for k, n in outcomes.items()}
        self._outcomes = dict(outcomes)
        if rise.get("kept"):
            return []
        read = answer is not None and answer.tier is not Tier.DECLINED
        sample = Sample(
            seconds=seconds,
            certainty=answer.certainty if answer is not None and read else None,
            declined=answer is not None and not read,
            ungrounded=rise.get("ungrounded", 0) > 0,
            # A fault of the generator is counted by its code, such as "generator.slow".
            empty=any(n > 0 and (k == "empty" or "." in k) for k, n in rise.items()),
        )
        return self.take(at_s, sample)

    def take(self, at_s: float, sample: Sample) -> list[QualityAlert]:
        """The alerts that begin or end with `sample`, which was there at `at_s`."""
        self._seconds.append(sample.seconds)
        alerts = []
        for flaw, value in sample.values().items():
            gauge = self._gauges[flaw]
            if gauge.take(value):
                self._keep(self.baseline)
            if gauge.changed(at_s):
                alerts.append(self._alert(flaw, gauge))
        return alerts

    def figures(self) -> QualityFigures:
        """How the last answers were."""
        quantiles = np.quantile(self._seconds or [0.0], (0.5, 0.95, 0.99)) * 1000
        p50_ms, p95_ms, p99_ms = (round(float(q), 1) for q in quantiles)
        return QualityFigures(
            answers=len(self._seconds),
            shares={flaw.value: round(gauge.share, 4) for flaw, gauge in self._gauges.items()},
            p50_ms=p50_ms,
            p95_ms=p95_ms,
            p99_ms=p99_ms,
        )

    def _alert(self, flaw: Flaw, gauge: _Gauge) -> QualityAlert:
        took = "p50 {0.p50_ms:.0f} ms, p95 {0.p95_ms:.0f} ms, p99 {0.p99_ms:.0f} ms"
        log.log(
            logging.WARNING if gauge.alarmed else logging.INFO,
            "%s: %.0f %% of the last %d are %s, %.0f %% expected; %s (quality.%s)",
            *(self._stage, 100 * gauge.share, gauge.answers, flaw, 100 * gauge.expected),
            *(took.format(self.figures()), flaw if gauge.alarmed else "recovered"),
        )
        return QualityAlert(
            stage=self._stage,
            what=flaw,
            value=round(gauge.share, 4),
            expected=round(gauge.expected, 4),
            over=not gauge.alarmed,
        )


class _Gauge:
    """One flaw among the last answers that could have it."""

    def __init__(self, expected: float, limit: float) -> None:
        self.expected, self._limit = expected, limit
        self.learned: float | None = None
        self.alarmed = False
        self._first: list[float] = []
        self._window: deque[bool] = deque(maxlen=WINDOW)
        self._ended_s = -math.inf

    @property
    def answers(self) -> int:
        return len(self._window)

    @property
    def share(self) -> float:
        return sum(self._window) / len(self._window) if self._window else 0.0

    def take(self, value: float) -> bool:
        """Count one answer; whether something has been learned by it."""
        self._window.append(value > self._limit)
        if self.learned is not None:
            return False
        self._first.append(value)
        if len(self._first) < LEARNED_FROM:
            return False
        self.learn(self.of_first(self._first))
        self._first.clear()
        return True

    def changed(self, at_s: float) -> bool:
        """Whether an alert begins or ends at `at_s`."""
        if self.answers < LEAST:
            return False
        excess, most = self.share - self.expected, self._most()
        if self.alarmed:
            self.alarmed, self._ended_s = excess > most / 2, at_s
            return not self.alarmed
        self.alarmed = excess > most and at_s >= self._ended_s + AGAIN_AFTER_S
        return self.alarmed

    def _most(self) -> float:
        """The excess that chance explains, and a little more where chance explains little."""
        likely = min(max(self.expected, 1 / LEARNED_FROM), 0.5)
        samples = 1 / self.answers + 1 / LEARNED_FROM
        return max(LEAST_RISE, DEVIATIONS * math.sqrt(likely * (1 - likely) * samples))

    def learn(self, learned: float) -> None:
        """Expect from now on what was learned."""
        raise NotImplementedError

    def of_first(self, values: list[float]) -> float:
        """What the first values teach."""
        raise NotImplementedError


class _Share(_Gauge):
    """A flaw that is there or not; its share is learned, and `most` of it is borne at first."""

    def __init__(self, most: float) -> None:
        super().__init__(most, 0.5)

    def learn(self, learned: float) -> None:
        self.learned, self.expected = learned, min(self.expected, learned)

    def of_first(self, values: list[float]) -> float:
        return sum(values) / len(values)


class _Limit(_Gauge):
    """A flaw that begins at a value: `most` at first, then at `times` what a share exceeded."""

    def __init__(self, share: float, most: float, times: float = 1.0) -> None:
        super().__init__(share, most)
        self._times = times

    def learn(self, learned: float) -> None:
        self.learned, self._limit = learned, min(self._limit, self._times * learned)

    def of_first(self, values: list[float]) -> float:
        return float(np.quantile(values, 1 - self.expected))
