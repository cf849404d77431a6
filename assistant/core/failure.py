"""How a fault is reported: a line in the log, and a message that becomes a spoken apology.

When a fault repeats, the first few of each minute are reported and the rest only counted, so that
an endless stream of malformed messages cannot fill the disk with log lines.
"""

from __future__ import annotations

import logging
import traceback
from dataclasses import dataclass

from assistant.core.errors import AssistantError
from assistant.core.messages import StageFailed

TOLD_IN_FULL = 5
"""Most faults of one code that are reported one by one within `COUNTED_S`."""
COUNTED_S = 60.0

log = logging.getLogger(__name__)


@dataclass
class _Series:
    began_s: float
    told: int = 0
    untold: int = 0


class FaultRateLimiter:
    """Decides which faults of `stage` are reported one by one; counts the others by their code."""

    def __init__(self, stage: str) -> None:
        self._stage = stage
        self._series: dict[str, _Series] = {}

    def allows(self, code: str, now_s: float) -> bool:
        """Whether to report one more fault of this `code`; counts it if not."""
        self.tick(now_s)
        series = self._series.setdefault(code, _Series(now_s))
        allowed = series.told < TOLD_IN_FULL
        series.told += allowed
        series.untold += not allowed
        return allowed

    def tick(self, now_s: float) -> None:
        """Log the number of faults that were not reported, once a minute."""
        over = [c for c, series in self._series.items() if now_s - series.began_s >= COUNTED_S]
        for code in over:
            if untold := self._series.pop(code).untold:
                log.error("%s: %d more like it in a minute (%s)", self._stage, untold, code)


def code_of(stage: str, error: Exception) -> str:
    """The stable code of an error in `stage`."""
    return error.code if isinstance(error, AssistantError) else f"{stage}.internal"


def report_failure(
    stage: str, error: Exception, utterance_id: str = "", *, peer: str = "", logged: bool = True
) -> StageFailed:
    """Log `error` of `stage` and return its report; `utterance_id` is "" for no utterance."""
    code = code_of(stage, error)
    # Another library's exception text may quote the user, so only its type is reported.
    what = error.message if isinstance(error, AssistantError) else type(error).__name__
    if logged:
        where = "".join(traceback.format_tb(error.__traceback__)[-4:])
        log.error("%s: %s (%s) utterance=%s\n%s", stage, what, code, utterance_id, where)
    part = getattr(error, "part", "")
    return StageFailed(
        stage=stage, code=code, message=what, part=part, utterance_id=utterance_id, peer=peer
    )
