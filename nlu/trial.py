"""A version of a model of understanding on trial: which one reads an utterance.

All revisions of an utterance are read by one version, and so is what follows within `FOLLOWS_S` in
its room.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from assistant.core.messages import Message, Transcript
from assistant.core.models.running_trial import RunningTrial
from nlu.classifier.intent import IntentModel
from nlu.classifier.tagger import Tagger
from nlu.fallback.guesser import Guesser
from nlu.readings import Reading

FOLLOWS_S = 10.0
"""Seconds after which another version may read what is said next in a room."""

Model = IntentModel | Tagger
Read = Callable[[Transcript], Iterator[Message]]


class VersionTrial:
    """Has utterances read with one of two versions of a model in `guess`, until `running` ends."""

    def __init__(
        self, running: RunningTrial, guess: Guesser, versions: tuple[Model, Model]
    ) -> None:
        self.running, self._guess = running, guess
        self._old, self._new = versions
        self._in_place = self._old

    def begin(self, reading: Reading, last: Reading | None) -> None:
        """Choose the version that reads an utterance; `last` is the one before it in its room."""
        if self.running.decided:
            self._end(taken=self.running.conclude())
        elif last is not None and reading.at_s - last.at_s < FOLLOWS_S:
            reading.new = last.new
        else:
            reading.new = self.running.reads_new(reading.utterance_id)

    def read(self, transcript: Transcript, reading: Reading, read: Read) -> list[Message]:
        """What `read` makes of a transcript with the version of its utterance.

        Where the version on trial fails, the other one reads it.
        """
        if self.running.over:
            return list(read(transcript))
        self._have(self._new if reading.new else self._old)
        if not reading.new:
            return list(read(transcript))
        try:
            with self.running.working():
                return list(read(transcript))
        except Exception as error:  # noqa: BLE001 - whatever it raises, the other version is asked
            self._have(self._old)
            reading.new = False
            outputs = list(read(transcript))  # which raises where the text is at fault
            self.running.fail(error)
            self._end(taken=False)
            return outputs

    def count(self, reading: Reading) -> None:
        """Count an utterance that is settled."""
        if (tally := reading.tally()) is not None:
            self.running.count(reading.new, tally)

    def _have(self, model: Model) -> None:
        if model is not self._in_place:
            self._guess.use(model, on_trial=model is self._new)
            self._in_place = model

    def _end(self, taken: bool) -> None:
        self._guess.use(self._new if taken else self._old)
