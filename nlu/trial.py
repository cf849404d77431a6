"""A version of a model of understanding on trial: which one reads an utterance, and what comes out.

All revisions of an utterance are read by one version, and so is what follows within `FOLLOWS_S` in
its room. An utterance is counted when the one after it has shown whether it puts it right. It is
not counted where no model had a part in it, or where nobody may have addressed the assistant.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import msgspec

from assistant.core.errors import AssistantError, ModelError
from assistant.core.layout import MARK_WRONG, UNDO
from assistant.core.messages import Command, Interpretation, Message, Transcript, Tried
from assistant.core.models.trial import SLOW_S, Outcome, Tally, Verdict, judge, reads_new
from assistant.core.models.trial_file import Trial, TrialFile
from nlu.classifier.intent import IntentModel
from nlu.classifier.tagger import Tagger
from nlu.fallback.guesser import Guesser

FOLLOWS_S = 10.0
"""Seconds after which another version may read what is said next in a room."""
CORRECTED_S = 60.0
"""Seconds within which an utterance is put right by the next one of its room."""
_DAY_S = 86_400.0

log = logging.getLogger(__name__)

Model = IntentModel | Tagger
Read = Callable[[Transcript], Iterator[Message]]


@dataclass
class _Reading:
    """What the last revision of an utterance came to."""

    utterance_id: str
    new: bool
    """Whether the version on trial reads it."""
    at_s: float
    before: _Reading | None = None
    """The utterance that it may put right."""
    consulted: bool = False
    meant: Interpretation | None = None
    seconds: float = 0.0
    corrected: bool = False

    def tally(self) -> Tally | None:
        """The utterance alone; None where it does not count."""
        if self.meant is None or not self.consulted:
            return None
        # What it may mean while a skill says so is no sign: any text may be the name of a routine.
        commands = self.meant.commands
        understood = bool(commands)
        return Tally(
            utterances=1,
            missed=not understood and not self.meant.choices,
            asked=not understood and bool(self.meant.choices),
            corrected=understood and self.corrected,
            slow=self.seconds > SLOW_S,
            seconds=round(self.seconds, 4),
            confidence=min((command.confidence for command in commands), default=0.0),
        )


class VersionTrial:
    """Has utterances read with one of two versions of a model in `guess`, until the trial ends.

    `take` puts the version on trial in use, also after a restart; it may raise `ModelError`.
    `marker` is a file that is there while that version reads, so also if it ends the process.
    """

    def __init__(
        self,
        trial: Trial,
        guess: Guesser,
        versions: tuple[Model, Model],
        file: TrialFile,
        take: Callable[[], None],
        marker: Path,
        now_s: Callable[[], float] = time.time,
    ) -> None:
        self._trial, self._guess, self._file, self._take = trial, guess, file, take
        self._old, self._new = versions
        self._marker, self._now_s = marker, now_s
        self._in_place = self._old
        self._open: dict[str, _Reading] = {}
        """Area → the last utterance there."""
        self._decided: Verdict | None = None
        """What takes effect with the next utterance: this one is read by one version."""
        self._file.keep(trial)

    @property
    def over(self) -> bool:
        """Whether the trial has ended, and one version reads all."""
        return self._trial.outcome is not Outcome.RUNNING

    def __call__(self, transcript: Transcript, read: Read) -> Iterator[Message]:
        """What `read` makes of a transcript with the version of its utterance."""
        last = self._open.get(transcript.area)
        revised = last is not None and last.utterance_id == transcript.utterance_id
        if self._decided is not None and not revised:
            self._end(self._decided.outcome, self._decided.reason)
            yield from read(transcript)
            yield self._report()
            return
        reading, finished = self._reading(transcript)
        began_s, asked_before = time.perf_counter(), self._guess.consulted
        outputs = self._outputs(transcript, read, reading)
        reading.seconds = time.perf_counter() - began_s
        if not (transcript.secret or transcript.unasked) and transcript.text:
            reading.consulted |= self._guess.consulted > asked_before
        reading.meant = next((m for m in outputs if isinstance(m, Interpretation)), None)
        if reading.before is not None:
            reading.before.corrected = reading.meant is not None and _corrects(reading.meant)
        yield from outputs
        for one in finished:
            self._count(one)
        if self.over:
            yield self._report()

    def _reading(self, transcript: Transcript) -> tuple[_Reading, list[_Reading]]:
        """The state of an utterance, and the utterances that nothing can put right any more."""
        last = self._open.get(transcript.area)
        if last is not None and last.utterance_id == transcript.utterance_id:
            return last, []
        since_s = transcript.at_s - last.at_s if last is not None else float("inf")
        trial = f"{self._trial.model} {self._trial.version}"
        new = reads_new(trial, transcript.utterance_id, self._trial.share)
        if last is not None and since_s < FOLLOWS_S:
            new = last.new
        reading = _Reading(transcript.utterance_id, new, transcript.at_s)
        self._open[transcript.area] = reading
        finished = [last.before] if last is not None and last.before is not None else []
        if last is not None:
            last.before = None
            if since_s < CORRECTED_S:
                reading.before = last
            else:
                finished.append(last)
        return reading, finished

    def _outputs(self, transcript: Transcript, read: Read, reading: _Reading) -> list[Message]:
        """What is made of a transcript; where the version on trial fails, by the other one."""
        self._have(self._new if reading.new else self._old)
        if not reading.new:
            return list(read(transcript))
        try:
            with self._marked():
                return list(read(transcript))
        except Exception as error:  # noqa: BLE001 - whatever it raises, the other version is asked
            self._have(self._old)
            reading.new = False
            outputs = list(read(transcript))  # which raises where the text is at fault
            self._end(Outcome.BACK, f"it failed: {_named(error)}")
            return outputs

    def _have(self, model: Model) -> None:
        if model is not self._in_place:
            self._guess.use(model, on_trial=model is self._new)
            self._in_place = model

    @contextmanager
    def _marked(self) -> Iterator[None]:
        with suppress(OSError):
            self._marker.touch()
        try:
            yield
        finally:
            with suppress(OSError):
                self._marker.unlink()

    def _count(self, reading: _Reading) -> None:
        if self._decided is not None or (tally := reading.tally()) is None:
            return
        side = "new" if reading.new else "old"
        sum_of = getattr(self._trial, side).plus(tally)
        trial = self._trial = msgspec.structs.replace(self._trial, **{side: sum_of})
        days = (self._now_s() - trial.began_s) / _DAY_S
        verdict = judge(trial.old, trial.new, trial.utterances, days)
        self._file.keep(trial)
        if verdict.outcome is not Outcome.RUNNING:
            self._decided = verdict

    def _end(self, outcome: Outcome, reason: str) -> None:
        if outcome is Outcome.TAKEN:
            try:
                self._take()
            except ModelError as error:
                outcome, reason = Outcome.BACK, error.message
        self._guess.use(self._new if outcome is Outcome.TAKEN else self._old)
        self._trial = self._trial.ended(outcome, reason, self._now_s())
        self._file.keep(self._trial)
        level = logging.INFO if outcome is Outcome.TAKEN else logging.WARNING
        told = "nlu: %s %s %s: %s (model.trial)"
        log.log(level, told, self._trial.model, self._trial.version, outcome.value, reason)

    def _report(self) -> Tried:
        trial = self._trial
        return Tried(
            stage="nlu",
            model=trial.model,
            version=trial.version,
            taken=trial.outcome is Outcome.TAKEN,
            reason=trial.reason,
        )


def _corrects(meant: Interpretation) -> bool:
    """Whether an utterance takes back or puts right what came before it, or says it was wrong."""
    return any(one.instead or one.intent in (MARK_WRONG, UNDO) for one in _commands(meant))


def _commands(meant: Interpretation) -> tuple[Command, ...]:
    """What an utterance means, or the likeliest that it may mean while the skills say so."""
    return meant.commands or (meant.conditional[0] if meant.conditional else ())


def _named(error: Exception) -> str:
    """The fault, without the words of a library, which may be the user's."""
    return error.code if isinstance(error, AssistantError) else type(error).__name__
