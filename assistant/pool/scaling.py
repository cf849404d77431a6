"""How many replicas a stage wants: up at once, down slowly.

| rule | becomes                                                                                  |
|------|------------------------------------------------------------------------------------------|
| up   | as many as keep the outstanding work of each below `target_s`, and one more than serve   |
|      | while p95 of waits is over `budget_s`, once so many were needed for `up_after_s`         |
| down | one less, once one less would have had work below half of `target_s` for `down_after_s`; |
|      | for twice as long where the last step down had to be taken back soon                     |

There are never fewer than `least` nor more than `most`. What is not wanted any more takes nothing
new and stops when it holds nothing (`surplus`); while it drains, it can be wanted again.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import msgspec

from assistant.pool.routing import WorkerState

SLACK = 0.5
"""Share of the target that fewer replicas must stay below."""
SOON, LONGEST = 4, 32
"""In multiples of `down_after_s`: a step up so soon after one down doubles the next wait, at most
to the longest."""


class ScalingPolicy(msgspec.Struct, frozen=True, kw_only=True):
    """Bounds and times of one stage; starting a replica takes seconds, so speech cannot wait."""

    least: int = 1
    most: int = 8
    target_s: float = 0.5
    """Outstanding work that one replica may have, in seconds of its time."""
    budget_s: float = 0.5
    """The p95 of waits above which one more is wanted."""
    up_after_s: float = 1.0
    down_after_s: float = 60.0


class PoolLoad(msgspec.Struct, frozen=True, kw_only=True):
    """What a stage's replicas have to do at one moment."""

    tokens_outstanding: float
    """Waiting and being served."""
    tokens_per_s: float
    """The speed of one replica."""
    p95_wait_s: float = 0.0
    """The time until the first token of the requests of the last 10 s, at 95 %; 0 for none."""
    replicas: int = 0
    """Those that serve, without those that start or drain."""


class ScalingState(msgspec.Struct, frozen=True, kw_only=True):
    """What is remembered from one decision to the next."""

    wanted: int
    above_since_s: float = math.inf
    below_since_s: float = math.inf
    lowered_s: float = -math.inf
    """When the last step down was taken."""
    patience: int = 1
    """How many times `down_after_s` the next step down waits."""


def decide(
    state: ScalingState, load: PoolLoad, now_s: float, policy: ScalingPolicy
) -> tuple[ScalingState, int]:
    """The state that follows, and how many replicas are wanted; call it about once a second."""
    wanted = min(max(state.wanted, policy.least), policy.most)
    needed = _enough(load, policy, policy.target_s)
    if load.p95_wait_s > policy.budget_s and load.tokens_outstanding:
        needed = min(max(needed, load.replicas + 1), policy.most)
    is_low = _enough(load, policy, SLACK * policy.target_s) < wanted
    above_since_s = min(state.above_since_s, now_s) if needed > wanted else math.inf
    below_since_s = min(state.below_since_s, now_s) if is_low else math.inf
    lowered_s, patience, down_after_s = state.lowered_s, state.patience, policy.down_after_s
    if now_s - above_since_s >= policy.up_after_s:
        is_taken_back = now_s - lowered_s < SOON * down_after_s * patience
        wanted, patience = needed, min(2 * patience, LONGEST) if is_taken_back else 1
        above_since_s = below_since_s = math.inf
    elif now_s - below_since_s >= down_after_s * patience:
        wanted, lowered_s = wanted - 1, now_s
        above_since_s = below_since_s = math.inf
    state = ScalingState(
        wanted=wanted,
        above_since_s=above_since_s,
        below_since_s=below_since_s,
        lowered_s=lowered_s,
        patience=patience,
    )
    return state, wanted


def surplus(workers: Sequence[WorkerState], wanted: int) -> Sequence[WorkerState]:
    """The workers that drain so that `wanted` are left; one with nothing outstanding can stop.

    Those that drain already go first, then those that have failed, then who has least to do.
    """

    def worth(worker: WorkerState) -> tuple[bool, bool, int, str]:
        is_sound = not worker.breaker.failures
        return not worker.is_draining, is_sound, worker.tokens_outstanding, worker.name

    ranked = sorted(workers, key=worth, reverse=True)
    return ranked[wanted:]


def _enough(load: PoolLoad, policy: ScalingPolicy, work_s: float) -> int:
    """How many replicas have `work_s` of work each, within the bounds."""
    count = math.ceil(load.tokens_outstanding / (load.tokens_per_s * work_s))
    return min(max(count, policy.least), policy.most)
