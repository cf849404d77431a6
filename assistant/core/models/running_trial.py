"""A trial that runs in a stage: what it has counted, its verdict, and its end."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec

from assistant.core.errors import AssistantError
from assistant.core.models.messages import Tried
from assistant.core.models.trial import Outcome, Tally, Verdict, judge, reads_new
from assistant.core.models.trial_file import Trial, TrialFile

_DAY_S = 86_400.0


class RunningTrial:
    """Counts what two versions of a model make of the utterances, until one of them takes all.

    `take` puts the version on trial in use, also after a restart; it may raise `AssistantError`.
    `marker` is a file that is there while that version works, so also if it ends the process; None
    where it works in another one.
    """

    def __init__(
        self,
        stage: str,
        trial: Trial,
        file: TrialFile,
        take: Callable[[], None],
        marker: Path | None = None,
        now_s: Callable[[], float] = time.time,
    ) -> None:
        self._stage, self._trial, self._file = stage, trial, file
        self._take, self._marker, self._now_s = take, marker, now_s
        self._decided: Verdict | None = None
        self._working = 0
        self._file.keep(trial)

    @property
    def over(self) -> bool:
        """Whether the trial has ended, and one version reads all."""
        return self._trial.outcome is not Outcome.RUNNING

    @property
    def decided(self) -> bool:
        """Whether the next utterance is to find the trial at its end: `conclude` it then."""
        return self._decided is not None and not self.over

    def reads_new(self, utterance_id: str) -> bool:
        """Whether the version on trial reads an utterance, by chance."""
        name = f"{self._trial.model} {self._trial.version}"
        return reads_new(name, utterance_id, self._trial.share)

    @contextmanager
    def working(self) -> Iterator[None]:
        """Leave the marker there while the version on trial works, on several things perhaps."""
        if self._marker is None:
            yield
            return
        self._working += 1
        with suppress(OSError):
            self._marker.touch()
        try:
            yield
        finally:
            self._working -= 1
            if not self._working:
                with suppress(OSError):
                    self._marker.unlink()

    def count(self, new: bool, tally: Tally) -> None:
        """Add what one of the two versions made of an utterance."""
        if self._decided is not None or self.over:
            return
        side = "new" if new else "old"
        sum_of = getattr(self._trial, side).plus(tally)
        trial = self._trial = msgspec.structs.replace(self._trial, **{side: sum_of})
        days = (self._now_s() - trial.began_s) / _DAY_S
        verdict = judge(trial.old, trial.new, trial.utterances, days)
        self._file.keep(trial)
        if verdict.outcome is not Outcome.RUNNING:
            self._decided = verdict

    def conclude(self) -> bool:
        """Let the verdict, if there is one, take effect; whether the new version takes all."""
        verdict = self._decided
        return verdict is not None and self._end(verdict.outcome, verdict.reason)

    def fail(self, error: Exception) -> None:
        """Go back, as the version on trial has failed with `error`."""
        if self.over:
            return
        # Not the words of a library, which may be the user's.
        named = error.code if isinstance(error, AssistantError) else type(error).__name__
        self._end(Outcome.BACK, f"it failed: {named}")

    def stop(self) -> None:
        """Count no more, as something else was put in use."""
        self._trial = self._trial.ended(Outcome.STOPPED, "", self._now_s())

    def report(self) -> Tried:
        """How it has ended."""
        trial = self._trial
        return Tried(
            stage=self._stage,
            model=trial.model,
            version=trial.version,
            taken=trial.outcome is Outcome.TAKEN,
            reason=trial.reason,
        )

    def _end(self, outcome: Outcome, reason: str) -> bool:
        if outcome is Outcome.TAKEN:
            try:
                self._take()
            except AssistantError as error:
                outcome, reason = Outcome.BACK, error.message
        self._trial = self._file.end(self._trial, outcome, reason, self._now_s)
        return outcome is Outcome.TAKEN
