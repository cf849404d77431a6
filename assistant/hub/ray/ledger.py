"""What each replica has to do and how it fares, as the pool's routing decides by it.

A process counts exactly what it sends itself. What others have sent it knows from the replicas,
whose news are old by the time they arrive: by these alone all would send to the same replica.
"""

from __future__ import annotations

import threading
from collections import OrderedDict, deque
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from uuid import uuid4

import msgspec

from assistant.hub.ray.holding import News
from assistant.pool.breaker import Breaker
from assistant.pool.routing import (
    RequestShape,
    WorkerState,
    choose,
    expected_s,
    mean,
    p95,
    predicted_s,
)
from assistant.pool.scaling import PoolLoad

CALLER = uuid4().hex
"""This process, as replicas know whose requests they hold."""

REMEMBERED = 100
"""Requests of a replica whose times count."""
WARM = 256
"""Conversations that a replica is taken to hold; it has forgotten older ones."""
BOOKED_S = 1.0
"""Time for which a request counts where it was sent to, until the replica has taken it."""
AVOIDED_S = 1.0
"""Time for which a replica that did not answer is asked last: Ray sees a death only after half."""
WAITS_OF_LAST_S, WAITS = 10.0, 1_000
"""Time of which the waits count for scaling, and how many of them at most."""
LEARNS = 0.1
"""Weight of a request's own speed in that of its replica."""


class Outcome(StrEnum):
    """What became of a request."""

    SUCCEEDED = "succeeded"
    FAILED = "failed"
    """Its stage failed, or its replica was silent or died."""
    CANCELLED = "cancelled"


@dataclass
class _Held:
    shape: RequestShape
    asked_s: float
    began_s: float
    ahead: int
    predicted_s: float
    taken: bool = False


@dataclass
class _Seen:
    """One replica."""

    tokens_per_s: float
    news: News = field(default_factory=News)
    breaker: Breaker = field(default_factory=Breaker)
    held: dict[str, _Held] = field(default_factory=dict)
    took_s: deque[float] = field(default_factory=lambda: deque(maxlen=REMEMBERED))
    predicted_s: deque[float] = field(default_factory=lambda: deque(maxlen=REMEMBERED))
    tokens: deque[int] = field(default_factory=lambda: deque(maxlen=REMEMBERED))
    warm: OrderedDict[str, None] = field(default_factory=OrderedDict)

    @property
    def is_measured(self) -> bool:
        """Whether its speed is known, from what it served here or from itself."""
        return bool(self.took_s or self.news.tokens_per_s)

    def left(self) -> tuple[int, ...]:
        """The tokens of each request that it holds, those of other callers after ours."""
        ours = (held.shape.tokens for held in self.held.values())
        others = (left for caller, left in self.news.left.items() if caller != CALLER)
        return (*ours, *(tokens for left in others for tokens in left))

    def hear(self, news: News) -> None:
        """Take what it tells; its speed counts until it has served a request from here."""
        self.news = news
        if news.tokens_per_s and not self.took_s:
            self.tokens_per_s = news.tokens_per_s

    def hold(self, key: str) -> None:
        """Note that it has a conversation."""
        self.warm[key] = None
        self.warm.move_to_end(key)
        if len(self.warm) > WARM:
            self.warm.popitem(last=False)

    def end(self, held: _Held, outcome: Outcome, now_s: float) -> None:
        """Note what became of a request; how long another one took would teach no speed."""
        if outcome is Outcome.FAILED:
            self.breaker = self.breaker.failed(now_s)
        if outcome is not Outcome.SUCCEEDED:
            return
        self.breaker = self.breaker.succeeded()
        took_s = max(now_s - held.began_s, 1e-6)
        self.took_s.append(took_s)
        self.predicted_s.append(held.predicted_s)
        self.tokens.append(held.shape.tokens)
        speed = (held.ahead + held.shape.tokens) / took_s
        self.tokens_per_s += LEARNS * (speed - self.tokens_per_s)


class Ledger:
    """The replicas of one stage; `tokens_per_s` is what one is taken to make until any has.

    `in_slices` is whether it serves the shortest first in slices, as the generator does. A further
    replica is taken to be as fast as those that have served: were it taken to be far slower, it
    would never be asked. All event loops of a process share it.
    """

    def __init__(self, tokens_per_s: float, in_slices: bool) -> None:
        self._tokens_per_s, self._in_slices = tokens_per_s, in_slices
        self._seen: dict[str, _Seen] = {}
        self._waits: deque[tuple[float, float]] = deque(maxlen=WAITS)
        """When each of the last requests was taken, and for how long it had waited."""
        self._avoided: dict[str, float] = {}
        """Replica → until when it is asked last; Serve's news may name one that is dead again."""
        self._lock = threading.Lock()

    def told(self, news: Mapping[str, News]) -> None:
        """What each replica that serves has told last; others are forgotten."""
        with self._lock:
            # First those that tell a speed: by these the others' is guessed.
            for name in sorted(news, key=lambda name: news[name].tokens_per_s, reverse=True):
                self._of(name).hear(news[name])
            self._seen = {name: self._seen[name] for name in news}

    def ranked(
        self, replicas: Collection[str], request_id: str, shape: RequestShape, now_s: float
    ) -> Sequence[str]:
        """The replicas, the one first that the request should go to; others are forgotten.

        It counts there from now on: of a burst each request is ranked before any is taken. Those
        whose breaker is open come last: where all are, Ray would wait for as long as they rest.
        """
        with self._lock:
            self._seen = {name: self._of(name) for name in replicas}
            asked_s = self._unbook(request_id, now_s)
            fit, resting = _parted(self._states(), now_s)
            names = [*_best_first(fit, shape, now_s), *_best_first(resting, shape, now_s)]
            names.sort(key=lambda name: self._avoided.get(name, 0.0) > now_s)
            if names:
                self._hold(names[0], request_id, shape, asked_s, now_s)
            return names

    def began(self, replica: str, request_id: str, shape: RequestShape, now_s: float) -> None:
        """A replica has taken a request."""
        with self._lock:
            asked_s = self._unbook(request_id, now_s)
            self._hold(replica, request_id, shape, asked_s, now_s).taken = True
            self._waits.append((now_s, now_s - asked_s))
            if shape.key:
                self._of(replica).hold(shape.key)

    def ended(self, request_id: str, outcome: Outcome, now_s: float) -> None:
        """A request is over; its replica's breaker counts what became of it."""
        with self._lock:
            for seen in self._seen.values():
                held = seen.held.pop(request_id, None)
                if held is not None and held.taken:
                    seen.end(held, outcome, now_s)

    def avoid(self, replica: str, now_s: float) -> None:
        """A replica does not answer: it may be dead."""
        with self._lock:
            still = {name: s for name, s in self._avoided.items() if s > now_s}
            self._avoided = {**still, replica: now_s + AVOIDED_S}

    def wait_s(self, shape: RequestShape, now_s: float) -> float:
        """The predicted time until a request's last token; infinite before any replica is known."""
        fit, resting = _parted(self.states(), now_s)
        return expected_s(fit or resting, shape, now_s)

    def load(self, now_s: float) -> PoolLoad:
        """What the replicas have to do for all callers; waits are those of this process alone.

        A request waits until a replica has taken it.
        """
        with self._lock:
            states, speed = self._states(), self._speed()
            waits = [waited_s for at_s, waited_s in self._waits if now_s - at_s < WAITS_OF_LAST_S]
        return PoolLoad(
            tokens_outstanding=sum(state.tokens_outstanding for state in states),
            tokens_per_s=speed,
            p95_wait_s=p95(waits),
            replicas=len(states),
        )

    def states(self) -> list[WorkerState]:
        """The replicas that are known."""
        with self._lock:
            return self._states()

    def _states(self) -> list[WorkerState]:
        return [self._state(name, seen) for name, seen in self._seen.items()]

    def _hold(
        self, replica: str, request_id: str, shape: RequestShape, asked_s: float, now_s: float
    ) -> _Held:
        seen = self._of(replica)
        state = self._state(replica, seen)
        ahead, time_s = state.tokens_ahead(shape.tokens), predicted_s(state, shape)
        held = _Held(shape, asked_s, now_s, ahead, time_s)
        seen.held[request_id] = held
        seen.breaker = seen.breaker.sent(now_s)
        return held

    def _unbook(self, request_id: str, now_s: float) -> float:
        """Let a request count nowhere until it is taken, and so those that never were.

        Gives when it was asked first.
        """
        asked_s = now_s
        for seen in self._seen.values():
            if (booked := seen.held.get(request_id)) is not None:
                asked_s = booked.asked_s
            seen.held = {
                name: held
                for name, held in seen.held.items()
                if held.taken or (name != request_id and now_s - held.began_s < BOOKED_S)
            }
        return asked_s

    def _of(self, replica: str) -> _Seen:
        if replica not in self._seen:
            self._seen[replica] = _Seen(self._speed())
        return self._seen[replica]

    def _speed(self) -> float:
        """The tokens a second of a replica, as far as they were measured."""
        seen = list(self._seen.values())
        among = [one for one in seen if one.is_measured] or seen
        return sum(one.tokens_per_s for one in among) / len(among) if among else self._tokens_per_s

    def _state(self, replica: str, seen: _Seen) -> WorkerState:
        return WorkerState(
            name=replica,
            tokens_per_s=seen.tokens_per_s,
            left=seen.left(),
            in_slices=self._in_slices,
            warm=frozenset(seen.warm),
            p95_s=p95(seen.took_s),
            predicted_p95_s=p95(seen.predicted_s),
            usual_tokens=mean(seen.tokens),
            breaker=seen.breaker,
        )


def _parted(
    states: Sequence[WorkerState], now_s: float
) -> tuple[list[WorkerState], list[WorkerState]]:
    """Those that are fit, and those whose breaker is open, as they would be with it closed."""
    fit = [state for state in states if state.is_fit(now_s)]
    others = [state for state in states if not state.is_fit(now_s)]
    return fit, [msgspec.structs.replace(state, breaker=Breaker()) for state in others]


def _best_first(states: Sequence[WorkerState], shape: RequestShape, now_s: float) -> Iterator[str]:
    """The names of those that are fit."""
    while (best := choose(states, shape, now_s)) is not None:
        yield best.name
        states = [state for state in states if state is not best]


_LEDGERS: dict[str, Ledger] = {}


def open_ledger(stage: str, tokens_per_s: float, in_slices: bool) -> Ledger:
    """The ledger of a stage, for all its routers in this process."""
    return _LEDGERS.setdefault(stage, Ledger(tokens_per_s, in_slices))


def ledger_of(stage: str) -> Ledger | None:
    """What is known here of a stage's replicas; None before there is a router to them."""
    return _LEDGERS.get(stage)


def close_ledgers(stages: Collection[str]) -> None:
    """Forget all of them, as of replicas that are no more."""
    for stage in stages:
        _LEDGERS.pop(stage, None)
