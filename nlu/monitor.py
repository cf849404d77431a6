"""Whether texts that the models guess at are understood as well as they were.

The flaw of a guess is that nothing was understood, that the user was asked back, or that the user
put it right after. It can have become more frequent by a model that was damaged, fitted to bad
corrections, or does not suit this home.
"""

from __future__ import annotations

from collections.abc import Callable

from assistant.core.degraded import Degraded
from assistant.core.messages import QualityAlert
from assistant.core.quality.drift import FlawShare
from assistant.core.quality.monitor import Baseline, QualityMonitor
from nlu.readings import Reading

MISUNDERSTOOD = "misunderstood"


class UnderstandingMonitor(QualityMonitor[str]):
    """Observes every text that the models guessed at, and reports when they get worse.

    `baseline`, `keep` and `faults` are those of every such monitor.
    """

    def __init__(
        self,
        baseline: Baseline | None = None,
        keep: Callable[[Baseline], None] = lambda _: None,
        faults: Degraded | None = None,
    ) -> None:
        # How much of what a household says can be understood at all is only known by its first
        # texts, so that no share of them is too large until then.
        gauges = {MISUNDERSTOOD: FlawShare(1.0)}
        super().__init__("nlu", gauges, (MISUNDERSTOOD,), baseline, keep, faults)

    def observe(self, reading: Reading) -> list[QualityAlert]:
        """The alerts that begin or end with an utterance that is settled."""
        tally = reading.tally()
        if tally is None or reading.new:
            return []
        return self.count(reading.at_s, reading.seconds, {MISUNDERSTOOD: tally.failed})
