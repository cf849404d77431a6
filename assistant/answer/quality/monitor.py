"""Whether answers stay as good as they were: a rolling look at the last of them.

The share of the last `WINDOW` answers that have a flaw is set beside the share expected:

| flaw       | an answer has it that                                | expected                 |
|------------|------------------------------------------------------|--------------------------|
| unsure     | is less certain than nine of ten were at first       | 0.1                      |
| ungrounded | was worded with facts that its sources do not hold   | as at first, at most 0.1 |
| empty      | the generator had no fitting words for               | as at first, at most 0.1 |
| rushed     | was to be worded, but there was no time, or too much | as at first, at most 0.1 |
|            | was being asked                                      |                          |
| declined   | found nothing                                        | as at first              |
| slow       | took longer than the budget, or 1.5 times what 95 of | 0.05                     |
|            | 100 took at first                                    |                          |

"At first" are the first `LEARNED_FROM` answers that could have the flaw; until then the absolute
limits alone hold. Of a declined question only `declined` and `slow` are judged, and what is rushed
is neither empty nor ungrounded.

`drift.py` says when an alert begins and ends; only these two moments are reported. Of
simulated steady answers one in 60,000 began an alert.
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

from assistant.answer.answerer import TIME_FAULTS, Answer, AnswerTier
from assistant.answer.quality.drift import WINDOW, FlawGauge, FlawShare, FlawThreshold
from assistant.core.degraded import Degraded
from assistant.core.messages import QualityAlert

MOST_FAULTS, UNSURE_SHARE, SLOW_SHARE = 0.1, 0.1, 0.05
MUCH_SLOWER = 1.5

log = logging.getLogger(__name__)

Baseline = Mapping[str, float]
"""The learned value of each flaw: a share, or the value from which an answer has it."""


class Flaw(StrEnum):
    """What may be wrong with an answer."""

    UNSURE = "unsure"
    UNGROUNDED = "ungrounded"
    EMPTY = "empty"
    RUSHED = "rushed"
    DECLINED = "declined"
    SLOW = "slow"


OF_WORDING = (Flaw.UNGROUNDED, Flaw.EMPTY, Flaw.RUSHED, Flaw.SLOW)
"""The flaws that come of the generator's wording, or of the time that it takes."""


class AnswerSample(NamedTuple):
    """One answer; `certainty`, in logits, is None where nothing was found."""

    seconds: float
    certainty: float | None = None
    declined: bool = False
    ungrounded: bool = False
    empty: bool = False
    rushed: bool = False

    def values(self) -> dict[Flaw, float]:
        """A value for each flaw that it may have; larger is worse."""
        found: dict[Flaw, float] = {Flaw.DECLINED: self.declined, Flaw.SLOW: self.seconds}
        if not self.declined:
            found[Flaw.RUSHED] = self.rushed
            if not self.rushed:
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
    """Observes every answer of `stage`, whose budget is `budget_s`, and reports when they get
    worse.

    `baseline` is what an earlier monitor has learned; `keep` is called with what this one learns.
    On the simpler path, of which `faults` tell, the generator words nothing: what it might do wrong
    is not counted, and begins anew afterwards.
    """

    def __init__(
        self,
        budget_s: float,
        baseline: Baseline | None = None,
        keep: Callable[[Baseline], None] = lambda _: None,
        stage: str = "answer",
        faults: Degraded | None = None,
    ) -> None:
        self._stage, self._keep, self._faults = stage, keep, faults or Degraded(stage)
        self._was_simpler = False
        self._seconds: deque[float] = deque(maxlen=WINDOW)
        self._gauges = {
            Flaw.UNSURE: FlawThreshold(UNSURE_SHARE, math.inf),
            Flaw.UNGROUNDED: FlawShare(MOST_FAULTS),
            Flaw.EMPTY: FlawShare(MOST_FAULTS),
            Flaw.RUSHED: FlawShare(MOST_FAULTS),
            Flaw.DECLINED: FlawShare(1.0),
            Flaw.SLOW: FlawThreshold(SLOW_SHARE, budget_s, MUCH_SLOWER),
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
        self, at_s: float, seconds: float, outcomes: Mapping[str, int], answer: Answer
    ) -> list[QualityAlert]:
        """Take in an answer that took `seconds`.

        `outcomes` is how it went, as the answerer counts it. A kept answer says nothing new.
        """
        if outcomes.get("kept"):
            return []
        declined = answer.tier is AnswerTier.DECLINED
        sample = AnswerSample(
            seconds=seconds,
            certainty=None if declined else answer.certainty,
            declined=declined,
            ungrounded=outcomes.get("ungrounded", 0) > 0,
            # A fault of the generator is counted by its code, such as "answer.unfinished".
            empty=any(k == "empty" or "." in k for k in outcomes if k not in TIME_FAULTS),
            rushed=not TIME_FAULTS.isdisjoint(outcomes),
        )
        return self.take(at_s, sample)

    def take(self, at_s: float, sample: AnswerSample) -> list[QualityAlert]:
        """The alerts that begin or end with `sample`, which was observed at `at_s`."""
        self._seconds.append(sample.seconds)
        is_simpler = self._faults.simpler
        alerts = self._begun_anew() if self._was_simpler and not is_simpler else []
        self._was_simpler = is_simpler
        for flaw, value in sample.values().items():
            if is_simpler and flaw in OF_WORDING:
                continue
            gauge = self._gauges[flaw]
            if gauge.take(value):
                self._keep(self.baseline)
            if gauge.changed(at_s):
                alerts.append(self._alert(flaw, gauge))
        return alerts

    def figures(self) -> QualityFigures:
        """The figures of the last answers."""
        quantiles = np.quantile(self._seconds or [0.0], (0.5, 0.95, 0.99)) * 1000
        p50_ms, p95_ms, p99_ms = (round(float(q), 1) for q in quantiles)
        return QualityFigures(
            answers=len(self._seconds),
            shares={flaw.value: round(gauge.share, 4) for flaw, gauge in self._gauges.items()},
            p50_ms=p50_ms,
            p95_ms=p95_ms,
            p99_ms=p99_ms,
        )

    def _begun_anew(self) -> list[QualityAlert]:
        """The alerts of words that end as they are made again."""
        gauges = {flaw: self._gauges[flaw] for flaw in OF_WORDING}
        return [self._alert(flaw, gauge) for flaw, gauge in gauges.items() if gauge.forget()]

    def _alert(self, flaw: Flaw, gauge: FlawGauge) -> QualityAlert:
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
