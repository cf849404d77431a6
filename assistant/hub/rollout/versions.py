"""The version of each model that workers are made with, and which other ones are tried first.

A worker that dies is made again with the versions of the others, whatever is in use by then.

| what is in use on the disk, of a model that can be tried | then                                  |
|----------------------------------------------------------|---------------------------------------|
| another version than the workers', when they are renewed | they keep theirs, and it is tried     |
| that on trial, when the hub starts                       | the trial goes on with its counts     |
| another one than that on trial, at either                | the trial is stopped, and it is tried |
"""

from __future__ import annotations

import logging
import time
from collections.abc import Collection, Mapping
from pathlib import Path

from assistant.core.errors import ModelError
from assistant.core.models.manifest import Library
from assistant.core.models.trial import Outcome, TrialSize
from assistant.core.models.trial_file import Trial, TrialFile
from assistant.model_files.acceptance import KINDS, put_in_use

log = logging.getLogger(__name__)


def library_of(models_dir: Path, pinned: Mapping[str, str]) -> Library:
    """The models in the `pinned` versions; of one that is not here any more, that in use.

    So it is when another version of the program has been installed, with other models of its own.
    """
    library = Library(models_dir)
    here = {
        name: version
        for name, version in pinned.items()
        if name in library.artefacts and version in library.versions(name)
    }
    return Library(models_dir, chosen=here)


class Versions:
    """The versions of the models in a folder, and the trials of them that the `file` records.

    New ones are tried as `size` says; without one, none is.
    """

    def __init__(self, models_dir: Path, file: TrialFile, size: TrialSize | None) -> None:
        self._models_dir, self.file, self._size = models_dir, file, size
        self.pinned: Mapping[str, str] = self._in_use()
        """Model → the version of the workers."""
        trial = file.running
        if trial is not None and size is not None:
            self.pinned = {**self.pinned, trial.model: trial.before}

    def library(self, pinned: Mapping[str, str]) -> Library:
        """The models in these versions."""
        return library_of(self._models_dir, pinned)

    def of_next(self, stages: Collection[str]) -> Mapping[str, str]:
        """The versions of the next workers: of a model that is tried first, that of now."""
        versions = self._in_use()
        kept = {name: self.pinned.get(name, versions[name]) for name in self._tried(stages)}
        return {**versions, **kept}

    def to_try(self, stages: Collection[str]) -> list[Trial]:
        """The trials to be run, one after another: first that which goes on.

        One that does not go on is stopped.
        """
        versions, running, size = self._in_use(), self.file.running, self._size
        new = [
            self._trial(size, name, stage, versions[name])
            for name, stage in self._tried(stages).items()
            if size is not None and versions[name] != self.pinned.get(name, versions[name])
        ]
        if running is None:
            return new
        if any((one.model, one.version) == (running.model, running.version) for one in new):
            return [running, *(one for one in new if one.model != running.model)]
        reason = "another version was put in use" if size else "the hub tries none any more"
        self.file.end(running, Outcome.STOPPED, reason)
        return new

    def holder(self, trial: Trial, stages: Collection[str]) -> str:
        """The stage whose workers have the model: one for its kind, or that which is asked."""
        kind = Library(self._models_dir).artefact(trial.model).kind
        return kind if kind in stages else trial.stage

    def give_back(self, trial: Trial) -> None:
        """Have the version before in use again, unless yet another one was put in use meanwhile."""
        library = Library(self._models_dir)
        if library.in_use(trial.model).version != trial.version:
            return
        try:
            put_in_use(library.choosing(trial.model, trial.before), trial.model)
        except ModelError as error:
            log.error("hub: %s (%s)", error.message, error.code)

    def _in_use(self) -> dict[str, str]:
        library = Library(self._models_dir)
        return {name: library.version(name) for name in library.artefacts}

    def _tried(self, stages: Collection[str]) -> dict[str, str]:
        """Each model of which a new version is tried first → its stage."""
        if self._size is None:
            return {}
        kinds = {name: one.kind for name, one in Library(self._models_dir).artefacts.items()}
        return {
            name: stage for name, kind in kinds.items() if (stage := KINDS[kind].stage) in stages
        }

    def _trial(self, size: TrialSize, name: str, stage: str, version: str) -> Trial:
        return Trial(
            stage=stage,
            model=name,
            version=version,
            before=self.pinned[name],
            share=size.share,
            utterances=size.utterances,
            began_s=time.time(),
        )
