"""Trials of models: how one begins, goes on after a restart, and is ended by hand.

`nlu.trial` has the utterances read, `assistant.answer.trial` the questions answered. Two versions
of a model are in memory, never three.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Generic, TypeVar

from assistant.answer.answers import DocumentAnswers
from assistant.answer.stage import AnswerStage
from assistant.answer.trial import AnswerTrial
from assistant.composition import Composition
from assistant.core.config import Config
from assistant.core.errors import AssistantError, ModelError
from assistant.core.layout import TRIAL_MARKERS, TRIALS_FILES
from assistant.core.messages import Replace
from assistant.core.models.manifest import Library
from assistant.core.models.running_trial import RunningTrial
from assistant.core.models.swap import StageSwap
from assistant.core.models.trial import Outcome
from assistant.core.models.trial_file import Trial, TrialFile
from assistant.core.stage import Stage
from assistant.model_files.acceptance import check_version, put_in_use
from assistant.serving.answering import AnswerStageMaker
from assistant.serving.hot_swap import HotSwap, NluHotSwap
from nlu.fallback.guesser import Guesser
from nlu.stage import NluStage
from nlu.trial import Model, VersionTrial

log = logging.getLogger(__name__)
T = TypeVar("T")
S = TypeVar("S", bound=NluStage | AnswerStage)


class StageTrials(Generic[S, T]):
    """Begins the trials of one stage's models, and keeps their record as the settings say.

    A subclass says how a version is loaded beside the one in use, as a `T`, and how the stage, an
    `S`, tries it. `swap` is what replaces a model for all utterances.
    """

    stage: str
    one_at_a_time = False
    """Whether no model of the stage may be replaced during the trial of another."""

    def __init__(self, swap: HotSwap | NluHotSwap, config: Config) -> None:
        self._load, self._models_dir = swap.load, config.models_dir
        self._file = TrialFile(config.state_dir / TRIALS_FILES[self.stage])
        self._marker = config.runtime_dir / TRIAL_MARKERS[self.stage]
        self._is_new = True
        """Whether the process has just begun."""

    def running(self) -> Iterator[Replace]:
        """The trial that a stage just made is to go on with, unless it has ended meanwhile."""
        trial, failed = self._file.running, self._is_new and self._marker.exists()
        if self._is_new:  # after a reload, what was begun before may be under way still
            self._marker.unlink(missing_ok=True)
        self._is_new = False
        if trial is None:
            return
        try:
            in_use = Library(self._models_dir).in_use(trial.model).version
        except ModelError as error:  # which its first use reports
            log.warning("%s: %s is not tried: %s", self.stage, trial.model, error.message)
            return
        if failed:
            self._file.end(trial, Outcome.BACK, "the process ended while it read")
        elif in_use != trial.before:
            self._file.end(trial, Outcome.STOPPED, "another version was put in use")
        elif self.possible:
            yield Replace(
                stage=self.stage,
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
            stage=self.stage,
            model=wish.model,
            version=wish.version,
            before=version,
            share=wish.share,
            utterances=wish.utterances,
            began_s=time.time(),
        )
        library = Library(self._models_dir).choosing(wish.model, wish.version)
        try:
            made = self.candidate(library, wish.model)
        except AssistantError:
            if running is not None:
                self._file.end(running, Outcome.BACK, "it could not be loaded any more")
            raise
        return partial(self._trying, trial, library, made)

    def load(self, model: str, version: str) -> StageSwap:
        """Load a version for all utterances, as `swap` does, which ends its model's trial.

        Raises `ModelError` for a version that is neither the one in use nor the one on trial.
        """
        running = self._file.running
        if version and running is not None and (self.one_at_a_time or running.model == model):
            if running.model != model or version not in (running.before, running.version):
                raise _tried_already(running)
            return partial(self._using, self._load(model, version), version)
        return self._load(model, version)

    @property
    def possible(self) -> bool:
        """Whether the stage just made uses models that can be tried."""
        raise NotImplementedError

    def candidate(self, library: Library, model: str) -> T:
        """The version of a model that `library` reads; raises `ModelError`."""
        raise NotImplementedError

    def attach(self, stage: S, trial: Trial, library: Library, made: T) -> None:
        """Have `stage` try what `candidate` made; raises `ModelError` where it cannot."""
        raise NotImplementedError

    def run(self, trial: Trial, take: Callable[[], None]) -> RunningTrial:
        """The trial from now on; `take` puts its version in use."""
        return RunningTrial(self.stage, trial, self._file, take, self._marker)

    def _trying(self, trial: Trial, library: Library, made: T, stage: Stage) -> Stage:
        ours: S = stage  # type: ignore[assignment]
        if ours.trial is not None:
            raise ModelError("model.trial", f"{trial.model} {trial.version} is being tried")
        self.attach(ours, trial, library, made)
        return stage

    def _using(self, change: StageSwap, version: str, stage: Stage) -> Stage:
        ours: S = stage  # type: ignore[assignment]
        tried = ours.trial
        changed, running = change(stage), self._file.running
        changed.trial = None  # type: ignore[attr-defined]
        if tried is not None:  # what it still answers counts no more
            tried.running.stop()
        if running is not None:
            self._file.end(running, Outcome.STOPPED, f"{running.model} {version} was put in use")
        return changed


class NluTrials(StageTrials[NluStage, Model]):
    """The trials of the two models that guess meanings."""

    stage = "nlu"

    def __init__(self, swap: NluHotSwap, config: Config) -> None:
        super().__init__(swap, config)
        self._swap = swap

    @property
    def possible(self) -> bool:
        """Whether the stage just made guesses with models."""
        return self._swap.guesses

    def candidate(self, library: Library, model: str) -> Model:
        """The version of one of the two models; raises `ModelError` for others."""
        return self._swap.candidate(library, model)

    def attach(self, stage: NluStage, trial: Trial, library: Library, made: Model) -> None:
        """Have `stage` read a share of the utterances with `made`."""
        guess, name = stage.guess, trial.model
        if not isinstance(guess, Guesser):
            raise ModelError("model.no_trial", "understanding runs without its models")
        old = guess.model(name)
        if old is None:
            raise ModelError("model.no_trial", f"{name} {trial.before} does not work: use another")
        running = self.run(trial, partial(put_in_use, library, name))
        stage.trial = VersionTrial(running, guess, (old, made))


class AnswerTrials(StageTrials[AnswerStage, Composition]):
    """The trials of the models that read documents and word answers."""

    stage = "answer"
    one_at_a_time = True  # as the stage is made anew for another model
    possible = True

    def __init__(self, swap: HotSwap, maker: AnswerStageMaker, config: Config) -> None:
        super().__init__(swap, config)
        self._swap, self._maker = swap, maker

    def candidate(self, library: Library, model: str) -> Composition:
        """What answers with that version, with its networks loaded; raises `ModelError`."""
        composition = self._swap.composition(library)
        if model not in composition.answering.models:
            raise ModelError("model.no_trial", f"{model} answers nothing here; use it")
        check_version(library, model)
        composition.answering.open(model)
        return composition

    def attach(self, stage: AnswerStage, trial: Trial, library: Library, made: Composition) -> None:
        """Have `stage` answer a share of the questions with `made`."""
        knowledge, answers = self._maker.knowledge, stage.answers
        if knowledge is None or not isinstance(answers, DocumentAnswers):
            raise ModelError("model.no_trial", "another command has the documents")
        rival = made.answering.rival(trial.model, knowledge, answers)

        def take() -> None:
            if rival.reader is not None:
                rival.reader.hand_over()
            instead = self._maker(made)
            put_in_use(library, trial.model)
            stage.become(instead)

        stage.trial = AnswerTrial(self.run(trial, take), rival)


def _tried_already(trial: Trial) -> ModelError:
    old, new = f"{trial.model} {trial.before}", f"{trial.model} {trial.version}"
    remedy = f"to end that: assistant models use {old}, or {new}"
    return ModelError("model.trial", f"{new} is being tried beside {old}; {remedy}")
