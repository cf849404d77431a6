"""What this process has sent to each replica, as the pool's routing decides by it.

Each caller counts what it sends itself: what replicas report is old by the time it arrives, and
all callers would send to the same one.
"""

from __future__ import annotations

import math
from collections import OrderedDict, deque
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

from assistant.pool.routing import RequestShape, WorkerState, choose, p95, predicted_s
from assistant.pool.scaling import PoolLoad

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
    avoided_until_s: float = 0.0
    held: dict[str, _Held] = field(default_factory=dict)
    took_s: deque[float] = field(default_factory=lambda: deque(maxlen=REMEMBERED))
    predicted_s: deque[float] = field(default_factory=lambda: deque(maxlen=REMEMBERED))
    warm: OrderedDict[str, None] = field(default_factory=OrderedDict)


class Ledger:
    """The replicas of one stage; `tokens_per_s` is what one is taken to make until any has.

    `in_slices` is whether it serves the shortest first in slices, as the generator does. A further
    replica is taken to be as fast as those that have served: were it taken to be far slower, it
    would never be asked.
    """

    def __init__(self, tokens_per_s: float, in_slices: bool) -> None:
        self._tokens_per_s, self._in_slices = tokens_per_s, in_slices
        self._seen: dict[str, _Seen] = {}
        self._waits: deque[tuple[float, float]] = deque(maxlen=WAITS)
        """When each of the last requests was taken, and for how long it had waited."""

    def ranked(
        self, replicas: Collection[str], request_id: str, shape: RequestShape, now_s: float
    ) -> Sequence[str]:
        """The replicas, the one first that the request should go to; others are forgotten.

        It counts there from now on: of a burst each request is ranked before any is taken.
        """
        self._seen = {name: self._of(name) for name in replicas}
        asked_s = self._unbook(request_id, now_s)
        states, names = self.states(), list[str]()
        while (best := choose(states, shape, now_s)) is not None:
            names.append(best.name)
            states = [state for state in states if state is not best]
        names.sort(key=lambda name: self._seen[name].avoided_until_s > now_s)
        if names:
            self._hold(names[0], request_id, shape, asked_s, now_s)
        return names

    def began(self, replica: str, request_id: str, shape: RequestShape, now_s: float) -> None:
        """A replica has taken a request."""
        asked_s = self._unbook(request_id, now_s)
        self._hold(replica, request_id, shape, asked_s, now_s).taken = True
        self._waits.append((now_s, now_s - asked_s))
        warm = self._of(replica).warm
        if shape.key:
            warm[shape.key] = None
            warm.move_to_end(shape.key)
            if len(warm) > WARM:
                warm.popitem(last=False)

    def ended(self, replica: str, request_id: str, now_s: float) -> None:
        """A request is over, whatever became of it."""
        seen = self._seen.get(replica)
        held = seen.held.pop(request_id, None) if seen is not None else None
        if seen is None or held is None:
            return
        took_s = max(now_s - held.began_s, 1e-6)
        seen.took_s.append(took_s)
        seen.predicted_s.append(held.predicted_s)
        speed = (held.ahead + held.shape.tokens) / took_s
        seen.tokens_per_s += LEARNS * (speed - seen.tokens_per_s)

    def avoid(self, replica: str, now_s: float) -> None:
        """A replica does not answer: it may be dead."""
        self._of(replica).avoided_until_s = now_s + AVOIDED_S

    def wait_s(self, shape: RequestShape) -> float:
        """The predicted time until a request's last token; infinite before any replica is known."""
        return min((predicted_s(state, shape) for state in self.states()), default=math.inf)

    def load(self, now_s: float) -> PoolLoad:
        """What the replicas have to do; a request waits until one of them has taken it."""
        states = self.states()
        waits = [waited_s for at_s, waited_s in list(self._waits) if now_s - at_s < WAITS_OF_LAST_S]
        return PoolLoad(
            tokens_outstanding=sum(state.tokens_outstanding for state in states),
            tokens_per_s=self._speed(),
            p95_wait_s=p95(waits),
            replicas=len(states),
        )

    def states(self) -> list[WorkerState]:
        """The replicas that are known; another thread may ask, too, so that copies are read."""
        return [self._state(name, seen) for name, seen in list(self._seen.items())]

    def _hold(
        self, replica: str, request_id: str, shape: RequestShape, asked_s: float, now_s: float
    ) -> _Held:
        seen = self._of(replica)
        state = self._state(replica, seen)
        ahead, time_s = state.tokens_ahead(shape.tokens), predicted_s(state, shape)
        held = _Held(shape, asked_s, now_s, ahead, time_s)
        seen.held[request_id] = held
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
        among = [one for one in seen if one.took_s] or seen
        return sum(one.tokens_per_s for one in among) / len(among) if among else self._tokens_per_s

    def _state(self, replica: str, seen: _Seen) -> WorkerState:
        return WorkerState(
            name=replica,
            tokens_per_s=seen.tokens_per_s,
            left=tuple(held.shape.tokens for held in list(seen.held.values())),
            in_slices=self._in_slices,
            warm=frozenset(seen.warm),
            p95_s=p95(seen.took_s),
            predicted_p95_s=p95(seen.predicted_s),
        )


_NEWEST: dict[str, Ledger] = {}


def open_ledger(stage: str, tokens_per_s: float, in_slices: bool) -> Ledger:
    """A ledger for a router of this process."""
    _NEWEST[stage] = Ledger(tokens_per_s, in_slices)
    return _NEWEST[stage]


def newest_ledger(stage: str) -> Ledger | None:
    """What the newest router of a stage counts in this process: Ray hands out no router."""
    return _NEWEST.get(stage)
