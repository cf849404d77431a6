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

Of simulated steady answers one in 60,000 began an alert.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import NamedTuple

from assistant.answer.answerer import TIME_FAULTS, Answer, AnswerTier
from assistant.core.degraded import Degraded
from assistant.core.messages import QualityAlert
from assistant.core.quality.drift import FlawShare, FlawThreshold
from assistant.core.quality.monitor import Baseline, QualityMonitor

MOST_FAULTS, UNSURE_SHARE, SLOW_SHARE = 0.1, 0.1, 0.05
MUCH_SLOWER = 1.5


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


class AnswerMonitor(QualityMonitor[Flaw]):
    """Observes every answer, whose budget is `budget_s`, and reports when they get worse.

    `baseline`, `keep` and `faults` are those of every such monitor.
    """

    def __init__(
        self,
        budget_s: float,
        baseline: Baseline | None = None,
        keep: Callable[[Baseline], None] = lambda _: None,
        faults: Degraded | None = None,
    ) -> None:
        gauges = {
            Flaw.UNSURE: FlawThreshold(UNSURE_SHARE, math.inf),
            Flaw.UNGROUNDED: FlawShare(MOST_FAULTS),
            Flaw.EMPTY: FlawShare(MOST_FAULTS),
            Flaw.RUSHED: FlawShare(MOST_FAULTS),
            Flaw.DECLINED: FlawShare(1.0),
            Flaw.SLOW: FlawThreshold(SLOW_SHARE, budget_s, MUCH_SLOWER),
        }
        super().__init__("answer", gauges, OF_WORDING, baseline, keep, faults)

    def observe(self, at_s: float, sample: AnswerSample) -> list[QualityAlert]:
        """The alerts that begin or end with `sample`, which was observed at `at_s`."""
        return self.count(at_s, sample.seconds, sample.values())


def sampled(seconds: float, outcomes: Mapping[str, int], answer: Answer) -> AnswerSample | None:
    """What an answer that took `seconds` shows; None for a kept one, which shows nothing new.

    `outcomes` is how it went, as the answerer counts it.
    """
    if outcomes.get("kept"):
        return None
    declined = answer.tier is AnswerTier.DECLINED
    return AnswerSample(
        seconds=seconds,
        certainty=None if declined else answer.certainty,
        declined=declined,
        ungrounded=outcomes.get("ungrounded", 0) > 0,
        # A fault of the generator is counted by its code, such as "answer.unfinished".
        empty=any(k == "empty" or "." in k for k in outcomes if k not in TIME_FAULTS),
        rushed=not TIME_FAULTS.isdisjoint(outcomes),
    )
