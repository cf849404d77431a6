"""What a pool knows of one of its workers, and measures of what it does."""

from __future__ import annotations

import math
from collections import OrderedDict, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from multiprocessing.process import BaseProcess
from typing import NamedTuple

from assistant.pool.breaker import Breaker
from assistant.pool.routing import RequestShape, WorkerState, choose, mean, p95, predicted_s

LAST = 100
WARM = 64
"""Most conversations that a worker is taken to hold."""
SHORTEST_S = 0.001
"""Work that is too short to tell a speed by."""
LEARNS = 0.1
"""Share of the measured speed that the last request decides."""

Route = Callable[[Sequence[WorkerState], RequestShape, float], WorkerState | None]
least_time: Route = choose


class Held(NamedTuple):
    """A request that a worker has: since when, how long it was predicted to take, its tokens."""

    since_s: float
    predicted_s: float
    tokens: int


@dataclass(eq=False)
class WorkerRecord:
    """One worker: its process, what it holds and may hold, and its `speed` in tokens a second."""

    name: str
    process: BaseProcess
    speed: float
    most_held: int
    in_slices: bool = True
    is_spare: bool = False
    """Whether it is ready and takes nothing yet."""
    left: dict[str, Held] = field(default_factory=dict)
    is_draining: bool = False
    is_measured: bool = False
    heard_s: float = math.inf
    """When it first gave anything; how long it took to start says nothing of its speed."""
    breaker: Breaker = field(default_factory=Breaker)
    last_s: float = 0.0
    """When it last gave something, or had nothing to do."""
    _took: deque[float] = field(default_factory=lambda: deque(maxlen=LAST))
    _predicted: deque[float] = field(default_factory=lambda: deque(maxlen=LAST))
    _tokens: deque[int] = field(default_factory=lambda: deque(maxlen=LAST))
    _warm: OrderedDict[str, None] = field(default_factory=OrderedDict)
    _busy_since_s: float = 0.0
    _done: int = 0

    @property
    def has_room(self) -> bool:
        """Whether it may hold one more request."""
        takes_none = self.is_draining or self.is_spare
        return len(self.left) < self.most_held and not takes_none

    def holds(self, key: str) -> bool:
        """Whether it has had a conversation's last request."""
        return key in self._warm

    def forget(self, key: str) -> None:
        """Note that a conversation goes on elsewhere."""
        self._warm.pop(key, None)

    def state(self, now_s: float) -> WorkerState:
        """What a request is routed by."""
        return self._state(p95(self._took), p95(self._predicted))

    def _state(self, p95_s: float = 0.0, predicted_p95_s: float = 0.0) -> WorkerState:
        """The state without its p95s, which are to tell whether predictions hold, or with these."""
        return WorkerState(
            name=self.name,
            tokens_per_s=self.speed,
            left=tuple(held.tokens for held in self.left.values()),
            in_slices=self.in_slices,
            warm=frozenset(self._warm),
            p95_s=p95_s,
            predicted_p95_s=predicted_p95_s,
            usual_tokens=mean(self._tokens),
            breaker=self.breaker,
            is_draining=self.is_draining,
        )

    def take(self, name: str, shape: RequestShape, now_s: float) -> None:
        """Note a request that is sent to it."""
        self.breaker = self.breaker.sent(now_s)
        if not self.left:
            self._busy_since_s, self._done, self.last_s = now_s, 0, now_s
        expected_s = predicted_s(self._state(), shape)
        self.left[name] = Held(now_s, expected_s, shape.tokens)
        if shape.key:
            self._warm[shape.key] = None
            self._warm.move_to_end(shape.key)
            while len(self._warm) > WARM:
                self._warm.popitem(last=False)

    @property
    def is_heard(self) -> bool:
        """Whether it has given anything yet."""
        return self.heard_s < math.inf

    def hear(self, now_s: float) -> None:
        """Note that it gives something."""
        self.last_s = now_s
        if not self.is_heard:
            self.heard_s = self._busy_since_s = now_s

    def finish(self, name: str, failed: bool, now_s: float) -> None:
        """Note that a request has ended."""
        held = self.left.pop(name)
        self.breaker = self.breaker.failed(now_s) if failed else self.breaker.succeeded()
        if held.since_s >= self.heard_s:
            self._took.append(now_s - held.since_s)
            self._predicted.append(held.predicted_s)
            self._tokens.append(held.tokens)
        self._done += held.tokens
        worked_s = now_s - self._busy_since_s
        if worked_s > SHORTEST_S:
            speed = self._done / worked_s
            share = LEARNS if self.is_measured else 1.0
            self.speed, self.is_measured = self.speed + share * (speed - self.speed), True

    def let_go(self, name: str) -> None:
        """Note that a request was cancelled."""
        self.left.pop(name, None)
