"""How many replicas each stage has while the hub runs: as many as the pool's policy wants."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager

from assistant.core.clock import boottime_s
from assistant.hub.ray.ledger import ledger_of
from assistant.pool.pool import PoolError
from assistant.pool.scaling import ScalingPolicy, ScalingState, decide

LOOKS_EVERY_S = 1.0

Scale = Callable[[str, int], None]
"""Asks for so many replicas of a stage; raises `PoolError`."""

log = logging.getLogger(__name__)


class Scaler:
    """Looks once a second, in a thread of its own, and has Ray scale what the policy wants else.

    What there is to do is what all callers have sent, those in replicas among them.
    """

    def __init__(self, stages: Collection[str], policy: ScalingPolicy, scale: Scale) -> None:
        self._policy, self._scale = policy, scale
        self._states = dict.fromkeys(stages, ScalingState(wanted=policy.least))
        self._over, self._looking = threading.Event(), threading.Lock()
        self._thread = threading.Thread(target=self._run, name="hub scaler", daemon=True)

    def start(self) -> None:
        """Begin to look, unless there is nothing to choose."""
        if self._policy.most > self._policy.least:
            self._thread.start()

    def wanted(self, stage: str) -> int:
        """How many replicas of a stage there are to be."""
        return self._states[stage].wanted

    def look(self, stage: str, now_s: float) -> None:
        """Decide anew on one stage; what Ray does not take is asked for again at the next look."""
        ledger, state = ledger_of(stage), self._states[stage]
        if ledger is None:
            return
        decided, wanted = decide(state, ledger.load(now_s), now_s, self._policy)
        if wanted != state.wanted:
            try:
                self._scale(stage, wanted)
            except PoolError as error:
                log.warning("hub: %s (%s)", error.message, error.code)
                return
            log.info("hub: %d workers of %s in place of %d", wanted, stage, state.wanted)
        self._states[stage] = decided

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Let every number stay as it is, as while replicas are replaced by others."""
        with self._looking:
            yield

    def close(self) -> None:
        """Look no more; returns once nothing is being asked of Ray."""
        self._over.set()
        if self._thread.is_alive():
            self._thread.join()

    def _run(self) -> None:
        while not self._over.wait(LOOKS_EVERY_S):
            if not self._looking.acquire(blocking=False):
                continue
            try:
                for stage in self._states:
                    self.look(stage, boottime_s())
            finally:
                self._looking.release()
