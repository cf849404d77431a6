"""Trials of models of understanding: how one begins, goes on after a restart, and is ended by hand.

`nlu.trial` has the utterances read. Two versions of a model are in memory, never three.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from functools import partial

from assistant.core.config import Config
from assistant.core.errors import AssistantError, ModelError
from assistant.core.layout import TRIAL_MARKER, TRIALS_FILE
from assistant.core.messages import Replace
from assistant.core.models.manifest import Library
from assistant.core.models.swap import StageSwap
from assistant.core.models.trial import Outcome
from assistant.core.models.trial_file import Trial, TrialFile
from assistant.core.stage import Stage
from assistant.model_files.acceptance import put_in_use
from assistant.serving.hot_swap import NluHotSwap
from nlu.fallback.guesser import Guesser
from nlu.stage import NluStage
from nlu.trial import Model, VersionTrial

log = logging.getLogger(__name__)


class NluTrials:
    """Begins the trials of `swap`'s models, and keeps their record as the settings say."""

    def __init__(self, swap: NluHotSwap, config: Config) -> None:
        self._swap, self._models_dir = swap, config.models_dir
        self._file = TrialFile(config.state_dir / TRIALS_FILE)
        self._marker = config.runtime_dir / TRIAL_MARKER

    def running(self) -> Iterator[Replace]:
        """The trial that a stage just made is to go on with, unless it has ended meanwhile."""
        trial = self._file.running
        failed = self._marker.exists()
        self._marker.unlink(missing_ok=True)
        if trial is None:
            return
        if failed:
            self._end(trial, Outcome.BACK, "the process ended while it read")
        elif Library(self._models_dir).in_use(trial.model).version != trial.before:
            self._end(trial, Outcome.STOPPED, "another version was put in use")
        elif self._swap.guesses:
            yield Replace(
                stage="nlu",
                model=trial.model,
                version=trial.version,
                share=trial.share,
                utterances=trial.utterances,
            )

    def begin(self, wish: Replace) -> StageSwap:
        """Load a version beside the one in use; raises `ModelError`, or what loading it raises."""
        running, version = self._file.running, Library(self._models_dir).in_use(wish.model).version
        if running is not None and (running.model, running.version) != (wish.model, wish.version):
            raise _tried_already(running)
        if wish.version == version:
            raise ModelError("model.in_use", f"{wish.model} {version} is in use already")
        trial = running or Trial(
            model=wish.model,
            version=wish.version,
            before=version,
            share=wish.share,
            utterances=wish.utterances,
            began_s=time.time(),
        )
        library = Library(self._models_dir).choosing(wish.model, wish.version)
        try:
            made = self._swap.candidate(library, wish.model)
        except AssistantError:
            if running is not None:
                self._end(running, Outcome.BACK, "it could not be loaded any more")
            raise
        return partial(self._trying, trial, library, made)

    def load(self, model: str, version: str) -> StageSwap:
        """Load a version for all utterances, as `NluHotSwap` does, which ends its model's trial.

        Raises `ModelError` for a version that is neither the one in use nor the one on trial.
        """
        running = self._file.running
        if version and running is not None and running.model == model:
            if version not in (running.before, running.version):
                raise _tried_already(running)
            return partial(self._using, self._swap.load(model, version), version)
        return self._swap.load(model, version)

    def _trying(self, trial: Trial, library: Library, made: Model, stage: Stage) -> Stage:
        if not isinstance(stage, NluStage) or not isinstance(stage.guess, Guesser):
            raise ModelError("model.no_trial", "understanding runs without its models")
        guess, name = stage.guess, trial.model
        if stage.trial is not None:
            raise ModelError("model.trial", f"{name} {trial.version} is being tried")
        old = guess.model(name)
        if old is None:
            raise ModelError("model.no_trial", f"{name} {trial.before} does not work: use another")
        take = partial(put_in_use, library, name)
        stage.trial = VersionTrial(trial, guess, (old, made), self._file, take, self._marker)
        return stage

    def _using(self, change: StageSwap, version: str, stage: Stage) -> Stage:
        changed, running = change(stage), self._file.running
        if isinstance(stage, NluStage):
            stage.trial = None
        if running is not None:
            self._end(running, Outcome.STOPPED, f"{running.model} {version} was put in use")
        return changed

    def _end(self, trial: Trial, outcome: Outcome, reason: str) -> None:
        self._file.keep(trial.ended(outcome, reason, time.time()))
        told = "nlu: %s %s %s: %s (model.trial)"
        log.warning(told, trial.model, trial.version, outcome.value, reason)


def _tried_already(trial: Trial) -> ModelError:
    old, new = f"{trial.model} {trial.before}", f"{trial.model} {trial.version}"
    remedy = f"to end that: assistant models use {old}, or {new}"
    return ModelError("model.trial", f"{new} is being tried beside {old}; {remedy}")
