"""Alerts that act: a stage in trouble takes its simpler path for a while.

| stage  | simpler path                                                                    |
|--------|---------------------------------------------------------------------------------|
| asr    | whisper is left out, and no second engine looks at speech that fits no sentence |
| nlu    | the sentences alone, without the models' guesses                                |
| answer | the sentence that was found as it stands, without the generator                 |
| voice  | the next voice, such as flite in place of Piper                                 |

| trouble | begins                                                                            |
|---------|-----------------------------------------------------------------------------------|
| slow    | more than 5 % of the last replies, and three of them, came later than a reply may |
|         | (0.75 s of work, 1 s with an answer), and it was over its own budget by most      |
| failing | it failed in more than 2 % of the last utterances, and twice                      |
| worse   | its results have become worse (`QualityAlert`), which the simpler path mends      |
| queued  | four utterances wait for it, one of them for a second                             |

After a rest the stage takes its usual path again, with its count at nothing. Where the trouble
comes back soon, the next rest is twice as long (a circuit breaker that is half open, Nygard 2007).
"""

from __future__ import annotations

import logging
import math
from collections import deque
from collections.abc import Iterator, Mapping

from assistant.control.metrics import BUDGET_S, Times, restarted_stage
from assistant.core.messages import (
    BargeIn,
    Interpretation,
    Message,
    NothingHeard,
    Outheard,
    QualityAlert,
    Question,
    Simplify,
    SpokenReply,
    StageFailed,
    Transcript,
    Utterance,
    Work,
)
from assistant.core.parts import Trouble

SIMPLER = ("asr", "nlu", "answer", "voice")
"""The stages that have a simpler path."""
WORKING = ("asr", "nlu", "skills", "answer", "voice")
"""The stages whose time is work; in the others somebody speaks, or is waited for."""
LAST_TIMES, MOST_SLOW, FEWEST_SLOW = 40, 0.05, 3
LAST_OUTCOMES, MOST_FAILED, FEWEST_FAILED = 100, 0.02, 2
MENDED: Mapping[tuple[str, str], Trouble] = {
    ("nlu", "misunderstood"): "worse",
    ("answer", "ungrounded"): "worse",
    ("answer", "empty"): "worse",
    ("answer", "rushed"): "slow",
    ("answer", "slow"): "slow",
}
"""Stage and flaw that its simpler path does not have → what trouble that is."""
QUEUED, QUEUED_S = 4, 1.0
"""So many utterances wait, the first of them for so many seconds."""
REMEMBERED = 64
"""Utterances that were served last."""
LOST_S = 30.0
"""Seconds after which nothing more is expected of an utterance."""
SOON, LONGEST = 10, 16
"""In multiples of the first rest: trouble within this time doubles the next; the longest one."""

log = logging.getLogger(__name__)


class Alerts:
    """Observes every event, and says which stage is to take its simpler path, and when no more.

    The first rest of a stage is `rest_s`; with 0 nothing is ever simpler.
    """

    def __init__(self, rest_s: float = 0.0) -> None:
        self._stages = {stage: StageAlert(stage, rest_s) for stage in SIMPLER}
        self._queues = {stage: Queue(*ends) for stage, ends in _QUEUES.items()}

    def use(self, rest_s: float) -> None:
        """Let a first rest be as long from now on."""
        for alert in self._stages.values():
            alert.first_s = rest_s

    def observe(self, message: Message, times: Times | None = None) -> Iterator[Simplify]:
        """Take an event, with the `times` that it completes; the order that follows, if any."""
        if anew := self._stages.get(restarted_stage(message)):
            yield from anew.told_again(message.at_s)
        match message:
            case StageFailed(stage=stage, utterance_id=about) if about and stage in self._stages:
                yield from self._stages[stage].count_outcome(True, message.at_s)
            case QualityAlert(stage=stage, what=what, over=False):
                if why := MENDED.get((stage, what)):
                    yield from self._stages[stage].begin(why, message.at_s)
        if times is not None:
            yield from self._measure(times, message.at_s)
        for queue in self._queues.values():
            queue.observe(message)
        yield from self.tick(message.at_s)

    def tick(self, at_s: float) -> Iterator[Simplify]:
        """What follows from the time alone."""
        for stage, alert in self._stages.items():
            queue = self._queues.get(stage)
            is_long = queue is not None and queue.is_long(at_s)
            if is_long:
                yield from alert.begin("queued", at_s)
            yield from alert.pass_time(at_s, is_long)

    def deadline_s(self) -> float | None:
        """When `tick` is due; None for never."""
        idle = (q.long_at_s for s, q in self._queues.items() if self._stages[s].is_idle)
        due_s = min(*(alert.until_s for alert in self._stages.values()), *idle)
        return None if due_s == math.inf else due_s

    def _measure(self, times: Times, at_s: float) -> Iterator[Simplify]:
        late = late_stage(times)
        for stage, alert in self._stages.items():
            if stage in times:
                yield from alert.count_time(stage == late, at_s)
                yield from alert.count_outcome(False, at_s)


def late_stage(times: Mapping[str, float]) -> str:
    """The stage that made a reply late, by its times in seconds; "" where it came in time."""
    worked = {stage: times[stage] for stage in WORKING if stage in times}
    may_take_s = BUDGET_S["answer" if "answer" in worked else "total"]
    slowest = max(worked, key=lambda stage: worked[stage] - BUDGET_S[stage], default="")
    if sum(worked.values()) <= may_take_s or worked[slowest] <= BUDGET_S[slowest]:
        return ""
    return slowest


class StageAlert:
    """Whether one stage is in trouble, and until when it takes its simpler path, `until_s`.

    The first rest takes `first_s`; with 0 there is none.
    """

    def __init__(self, stage: str, first_s: float) -> None:
        self._stage, self.first_s, self._rest_s = stage, first_s, first_s
        self._slow, self._failed = deque[bool](maxlen=LAST_TIMES), deque[bool](maxlen=LAST_OUTCOMES)
        self._why: Trouble | None = None
        self._ended_s = -math.inf
        self.until_s = math.inf

    @property
    def is_idle(self) -> bool:
        """Whether the stage takes its usual path, and may take its simpler one."""
        return self._why is None and self.first_s > 0

    def count_time(self, slow: bool, at_s: float) -> Iterator[Simplify]:
        """Take whether it made a reply late."""
        if self._counts(self._slow, slow, MOST_SLOW, FEWEST_SLOW):
            yield from self.begin("slow", at_s)

    def count_outcome(self, failed: bool, at_s: float) -> Iterator[Simplify]:
        """Take whether it failed in an utterance."""
        if self._counts(self._failed, failed, MOST_FAILED, FEWEST_FAILED):
            yield from self.begin("failing", at_s)

    def begin(self, why: Trouble, at_s: float) -> Iterator[Simplify]:
        """Take the simpler path, unless that is so already, or is never to be."""
        if self._why is not None or not self.first_s:
            return
        soon = at_s - self._ended_s < SOON * self.first_s
        self._rest_s = min(2 * self._rest_s, LONGEST * self.first_s) if soon else self.first_s
        self._why, self.until_s = why, at_s + self._rest_s
        told = "%s: takes its simpler path for %.0f s (alerts.%s)"
        log.warning(told, self._stage, self._rest_s, why)
        yield self._order(self._rest_s)

    def pass_time(self, at_s: float, is_queue_long: bool) -> Iterator[Simplify]:
        """Take the usual path again once the rest is over, unless its queue is still long."""
        if self._why is None or at_s < self.until_s:
            return
        if is_queue_long:
            self.until_s = at_s + self._rest_s
            yield self._order(self._rest_s, again=True)
            return
        log.info("%s: takes its usual path again (alerts.over)", self._stage)
        yield self._order(0.0)
        self._why, self._ended_s, self.until_s = None, at_s, math.inf
        self._slow.clear()
        self._failed.clear()

    def told_again(self, at_s: float) -> Iterator[Simplify]:
        """The order once more, for a stage that was started anew."""
        if self._why is not None:
            yield self._order(max(self.until_s - at_s, 0.0), again=True)

    def _counts(self, last: deque[bool], is_bad: bool, most: float, fewest: int) -> bool:
        if self._why is None:  # on the simpler path nothing is learnt of the usual one
            last.append(is_bad)
        return is_bad and sum(last) >= fewest and sum(last) > most * len(last)

    def _order(self, for_s: float, again: bool = False) -> Simplify:
        return Simplify(stage=self._stage, why=self._why or "slow", for_s=for_s, again=again)


class Queue:
    """The utterances that wait for a stage: since a message of type `begin`, until one of `end`."""

    def __init__(self, begin: type[Work], end: type[Work]) -> None:
        self._begin, self._end = begin, end
        self._since_s: dict[str, float] = {}
        self._ended_s: dict[str, float] = {}
        """What was served last: events of two processes may come in either order."""

    def observe(self, message: Message) -> None:
        """Take an event."""
        match message:
            case StageFailed() | NothingHeard() | Outheard() | BargeIn():
                self._serve(message.utterance_id, message.at_s)
            case Work() if isinstance(message, self._end):
                self._serve(message.utterance_id, message.at_s)
            case Work() if isinstance(message, self._begin):
                if self._ended_s.get(message.utterance_id, -math.inf) < message.at_s:
                    self._since_s.setdefault(message.utterance_id, message.at_s)
        while self._since_s and message.at_s - min(self._since_s.values()) > LOST_S:
            del self._since_s[min(self._since_s, key=self._since_s.__getitem__)]

    def is_long(self, at_s: float) -> bool:
        """Whether too many wait for too long."""
        return at_s >= self.long_at_s

    def _serve(self, utterance_id: str, at_s: float) -> None:
        self._since_s.pop(utterance_id, None)
        self._ended_s[utterance_id] = at_s
        while len(self._ended_s) > REMEMBERED:
            del self._ended_s[next(iter(self._ended_s))]

    @property
    def long_at_s(self) -> float:
        """When too many will have waited for too long, if none is served before."""
        if len(self._since_s) < QUEUED:
            return math.inf
        return min(self._since_s.values()) + QUEUED_S


_QUEUES: Mapping[str, tuple[type[Work], type[Work]]] = {
    "asr": (Utterance, Transcript),
    "nlu": (Transcript, Interpretation),
    "answer": (Question, SpokenReply),
}
