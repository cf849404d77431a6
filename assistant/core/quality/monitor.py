"""Whether what a stage makes stays as good as it was: a rolling look at the last of it.

The share of the last `WINDOW` that have a flaw is set beside the share expected; `drift.py` says
when an alert begins and ends. Only these two moments are reported.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Collection, Mapping
from typing import Generic, TypeVar

import msgspec
import numpy as np

from assistant.core.degraded import Degraded
from assistant.core.messages import QualityAlert
from assistant.core.quality.drift import WINDOW, FlawGauge

log = logging.getLogger(__name__)

F = TypeVar("F", bound=str)
"""The flaws that a monitor looks for, as in an `StrEnum`."""
Baseline = Mapping[str, float]
"""The learned value of each flaw: a share, or the value from which something has it."""


class QualityFigures(msgspec.Struct, frozen=True, kw_only=True):
    """The window: each flaw's share, from 0 to 1, and how long it took."""

    count: int
    shares: dict[str, float]
    p50_ms: float
    p95_ms: float
    p99_ms: float


class QualityMonitor(Generic[F]):
    """Observes what `stage` makes by a gauge for each flaw.

    `baseline` is what an earlier monitor has learned; `keep` is called with what this one learns.
    On the simpler path, of which `faults` tell, the flaws `of_models` cannot occur: they are not
    counted, and begin anew afterwards.
    """

    def __init__(
        self,
        stage: str,
        gauges: Mapping[F, FlawGauge],
        of_models: Collection[F],
        baseline: Baseline | None = None,
        keep: Callable[[Baseline], None] = lambda _: None,
        faults: Degraded | None = None,
    ) -> None:
        self._stage, self._gauges, self._of_models = stage, gauges, of_models
        self._keep, self._faults = keep, faults or Degraded(stage)
        self._was_simpler = False
        self._seconds: deque[float] = deque(maxlen=WINDOW)
        for flaw, gauge in gauges.items():
            if baseline is not None and flaw in baseline:
                gauge.learn(baseline[flaw])

    @property
    def baseline(self) -> Baseline:
        """What has been learned so far."""
        learned = ((str(flaw), gauge.learned) for flaw, gauge in self._gauges.items())
        return {flaw: value for flaw, value in learned if value is not None}

    def count(self, at_s: float, seconds: float, values: Mapping[F, float]) -> list[QualityAlert]:
        """The alerts that begin or end with what was made at `at_s`, in `seconds`.

        `values` has a value for each flaw that it may have; larger is worse.
        """
        self._seconds.append(seconds)
        is_simpler = self._faults.simpler
        alerts = self._begun_anew() if self._was_simpler and not is_simpler else []
        self._was_simpler = is_simpler
        for flaw, value in values.items():
            if is_simpler and flaw in self._of_models:
                continue
            gauge = self._gauges[flaw]
            if gauge.take(value):
                self._keep(self.baseline)
            if gauge.changed(at_s):
                alerts.append(self._alert(flaw, gauge))
        return alerts

    def figures(self) -> QualityFigures:
        """The figures of the window."""
        quantiles = np.quantile(self._seconds or [0.0], (0.5, 0.95, 0.99)) * 1000
        p50_ms, p95_ms, p99_ms = (round(float(q), 1) for q in quantiles)
        return QualityFigures(
            count=len(self._seconds),
            shares={str(flaw): round(gauge.share, 4) for flaw, gauge in self._gauges.items()},
            p50_ms=p50_ms,
            p95_ms=p95_ms,
            p99_ms=p99_ms,
        )

    def _begun_anew(self) -> list[QualityAlert]:
        """The alerts that end as the models are used again."""
        gauges = {flaw: self._gauges[flaw] for flaw in self._of_models}
        return [self._alert(flaw, gauge) for flaw, gauge in gauges.items() if gauge.forget()]

    def _alert(self, flaw: F, gauge: FlawGauge) -> QualityAlert:
        took = "p50 {0.p50_ms:.0f} ms, p95 {0.p95_ms:.0f} ms, p99 {0.p99_ms:.0f} ms"
        log.log(
            logging.WARNING if gauge.alarmed else logging.INFO,
            "%s: %.0f %% of the last %d are %s, %.0f %% expected; %s (quality.%s)",
            *(self._stage, 100 * gauge.share, gauge.count, flaw, 100 * gauge.expected),
            *(took.format(self.figures()), flaw if gauge.alarmed else "recovered"),
        )
        return QualityAlert(
            stage=self._stage,
            what=str(flaw),
            value=round(gauge.share, 4),
            expected=round(gauge.expected, 4),
            over=not gauge.alarmed,
        )
