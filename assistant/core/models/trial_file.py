"""The record of trials of models, in one small file: figures and verdicts, and no words."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable
from pathlib import Path

import msgspec

from assistant.core.files import replace_file
from assistant.core.models.trial import Outcome, Tally
from assistant.core.models.versions import MALFORMED

KEPT = 50
"""Most trials that are kept, the latest."""

log = logging.getLogger(__name__)


class Trial(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A version of a model that reads a share of the utterances, or did so."""

    stage: str = "nlu"
    model: str
    version: str
    before: str
    """The version in use, beside which it is tried."""
    share: float
    utterances: int
    """How many utterances are compared in all."""
    began_s: float
    """Unix time."""
    ended_s: float = 0.0
    old: Tally = Tally()
    new: Tally = Tally()
    outcome: Outcome = Outcome.RUNNING
    reason: str = ""

    def ended(self, outcome: Outcome, reason: str, at_s: float) -> Trial:
        """The same with its end."""
        return msgspec.structs.replace(self, outcome=outcome, reason=reason, ended_s=at_s)


class TrialFile:
    """The trials in the file at `path`, the earliest first; at most one of them runs."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def all(self) -> tuple[Trial, ...]:
        """Every trial that is kept; () where the file is missing or damaged."""
        try:
            return msgspec.json.decode(self._path.read_bytes(), type=tuple[Trial, ...])
        except FileNotFoundError:
            return ()
        except (OSError, *MALFORMED) as error:
            log.warning("%s: %s; no trial is known (model.trials)", self._path, error)
            return ()

    @property
    def running(self) -> Trial | None:
        """The trial that has not ended."""
        return next((t for t in self.all() if t.outcome is Outcome.RUNNING), None)

    def keep(self, trial: Trial) -> None:
        """Store a trial in place of its earlier state; a write error is logged and stops nothing.

        After a power cut the file holds the old state or the new one.
        """
        others = [t for t in self.all() if _key(t) != _key(trial)]
        try:
            replace_file(self._path, _encoded((*others, trial)[-KEPT:]))
        except OSError as error:
            log.warning("%s: %s (model.trials)", self._path, error.strerror)

    def end(
        self, trial: Trial, outcome: Outcome, reason: str, now_s: Callable[[], float] = time.time
    ) -> Trial:
        """Store how a trial has ended, and log it."""
        ended = trial.ended(outcome, reason, now_s())
        self.keep(ended)
        level = logging.INFO if outcome is Outcome.TAKEN else logging.WARNING
        told = "%s: %s %s %s: %s (model.trial)"
        log.log(level, told, trial.stage, trial.model, trial.version, outcome, reason)
        return ended


def _key(trial: Trial) -> tuple[str, str, float]:
    return trial.model, trial.version, trial.began_s


def _encoded(trials: Iterable[Trial]) -> bytes:
    return msgspec.json.encode(tuple(trials)) + b"\n"
