"""Renews the workers of a pool, and has new versions of models tried on a share of the requests.

A version that takes all replaces the workers of its stage. One that goes back is not in use any
more, and the one before it is. What is under way at either moment is finished where it was begun.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import partial
from typing import Protocol

from assistant.core.errors import AssistantError, ModelError
from assistant.core.models.running_trial import RunningTrial
from assistant.core.models.trial import Outcome
from assistant.core.models.trial_file import Trial
from assistant.hub.calls import Streams
from assistant.hub.ray.replica import MakeStage
from assistant.hub.rollout.choice import OnTrial, TrialStreams
from assistant.hub.rollout.versions import Versions
from assistant.hub.tenants import Tenant
from assistant.model_files.acceptance import refuse_unsound
from assistant.pool.pool import ClosedError, PoolError

ENDS_WITHIN_S = 60.0
"""Time for which what a version on trial has begun is waited for: no call takes longer."""
LOOKS_EVERY_S = 0.1

Makers = Callable[[Mapping[str, Tenant], Mapping[str, str]], Mapping[str, MakeStage]]
"""Gives the makers of the stages, for tenants and versions of models."""

log = logging.getLogger(__name__)


class Workers(Streams, Protocol):
    """A pool whose workers can be replaced, and have others beside them: `RayPool`."""

    @property
    def stages(self) -> Collection[str]: ...

    def update(
        self,
        makers: Mapping[str, MakeStage],
        tenants: Sequence[str],
        stages: Collection[str] | None = None,
    ) -> None: ...

    def beside(self, stage: str, make: MakeStage, share: float) -> str: ...

    def drop(self, name: str) -> None: ...


class Rollout:
    """Has the workers of a pool made anew for `tenants`, in the `versions` that they are to have.

    Once made it belongs to one thread, except its `streams`, by which the pool is asked. `told`
    receives a line for each trial that begins or ends. `over` is called from any thread when a
    trial is to end, which `attend` then does. Those on trial are made by `alone`, whose stages ask
    no others: else answers would have their words from a generator that is not on trial.
    """

    def __init__(
        self,
        pool: Workers,
        makers: Makers,
        tenants: Mapping[str, Tenant],
        versions: Versions,
        told: Callable[[str], None],
        over: Callable[[], None],
        alone: Makers | None = None,
    ) -> None:
        self._pool, self._makers, self._tenants = pool, makers, tenants
        self._alone = alone or makers
        self._versions, self._told, self._over = versions, told, over
        self.streams = TrialStreams(pool)
        self._waiting: list[Trial] | None = None
        """Trials that are to be run; None where that is to be looked up."""

    def renew(self, tenants: Mapping[str, Tenant]) -> None:
        """Replace all workers by such for these tenants.

        Raises `AssistantError`, and then nothing has changed. A trial is interrupted meanwhile;
        `attend` goes on with it.
        """
        self._conclude()
        pinned = self._versions.of_next(self._pool.stages)
        makers = self._makers(tenants, pinned)
        self.interrupt()
        self._pool.update(makers, tuple(tenants))
        self._tenants, self._versions.pinned = tenants, pinned

    def interrupt(self) -> None:
        """Leave the trial that runs, and those that wait; `attend` goes on with them."""
        self._conclude()
        self._leave()
        self._waiting = None

    def attend(self) -> None:
        """End the trial that is decided, and begin the next, or go on with one interrupted."""
        self._conclude()
        if self._waiting is None:
            self._waiting = self._versions.to_try(self._pool.stages)
        while self._waiting and self.streams.on_trial is None:
            self._begin(self._waiting.pop(0))

    def _begin(self, trial: Trial) -> None:
        model, stage, versions = trial.model, trial.stage, self._versions
        pinned = {**versions.pinned, model: trial.version}
        try:
            refuse_unsound(versions.library(pinned), model)
            makers = self._alone(self._tenants, pinned)
            if stage not in makers:
                raise ModelError("model.no_trial", f"there is no {stage} with it")
            name = self._pool.beside(stage, makers[stage], trial.share)
        except ClosedError:
            raise
        except AssistantError as error:
            versions.file.end(trial, Outcome.BACK, error.message)
            versions.give_back(trial)
            self._tell_back(trial, error.message)
            return
        running = RunningTrial(stage, trial, versions.file, partial(self._take, trial))
        self.streams.on_trial = OnTrial(trial, running, name, self._over)
        share = f"works on {trial.share:.0%} of the requests"
        self._told(f"{model} {trial.version} {share}, beside {trial.before}")

    def _conclude(self) -> None:
        on_trial = self.streams.on_trial
        if on_trial is None or not on_trial.is_over:
            return
        running, trial = on_trial.running, on_trial.trial
        if on_trial.fault is not None:
            running.fail(on_trial.fault)
        else:
            running.conclude()
        ended = running.report()
        if ended.taken:
            self._told(f"{trial.model} {trial.version} takes all: {ended.reason}")
        else:
            self._versions.give_back(trial)
            self._tell_back(trial, ended.reason)
        self._leave()

    def _take(self, trial: Trial) -> None:
        """Replace the workers of a stage by such with the version on trial."""
        pinned = {**self._versions.pinned, trial.model: trial.version}
        makers = self._makers(self._tenants, pinned)
        try:
            holder = self._versions.holder(trial, self._pool.stages)
            self._pool.update(makers, tuple(self._tenants), (holder,))
        except ClosedError as error:
            # So does this thread, with the hub; after a start the trial is decided again.
            raise SystemExit from error
        self._versions.pinned = pinned

    def _leave(self) -> None:
        """Have no more asked of the version on trial, and end it once all is answered."""
        on_trial, self.streams.on_trial = self.streams.on_trial, None
        if on_trial is None:
            return
        if not on_trial.running.over:  # what ends only now is not to count in a record that goes on
            on_trial.running.stop()
        end_s = time.monotonic() + ENDS_WITHIN_S
        while True:
            time.sleep(LOOKS_EVERY_S)  # at first too: what has just been chosen begins
            if not on_trial.under_way or time.monotonic() > end_s:
                break
        try:
            self._pool.drop(on_trial.name)
        except PoolError as error:
            log.warning("hub: %s (%s)", error.message, error.code)

    def _tell_back(self, trial: Trial, reason: str) -> None:
        before = f"{trial.before} is in use"
        self._told(f"{trial.model} {trial.version} goes back: {reason}; {before}")
