"""A version of a model of answering on trial: which one answers a question, and what comes out.

A question that follows within `CONVERSATION_S` in its room is answered by the same version. An
answer counts that was made of the documents; one that is kept says nothing new.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple, Protocol

from assistant.answer.answerer import Answer
from assistant.answer.generation.token_scheduler import Steps
from assistant.answer.quality.monitor import AnswerSample
from assistant.answer.rival import Rival
from assistant.core.errors import ModelError
from assistant.core.messages import Question
from assistant.core.models.running_trial import RunningTrial
from assistant.core.models.trial import Tally
from assistant.core.rooms.newest import Newest

SLOW_S = 1.0
"""Seconds in which a question is to be answered."""
CONVERSATION_S = 60.0
"""Seconds after a question in which another may go on from its answer."""

Judge = Callable[[AnswerSample], None]


class Answers(Protocol):
    """Answers one question: the steps to the answer, which is judged where that is new."""

    def __call__(self, judge: Judge) -> Steps[Answer]: ...


class _Asked(NamedTuple):
    at_s: float
    new: bool


_NEVER = _Asked(float("-inf"), False)


class AnswerTrial:
    """Has questions answered as before or by the `rival` until `running` ends."""

    def __init__(self, running: RunningTrial, rival: Rival) -> None:
        self.running, self.rival = running, rival
        self._asked = Newest[str, _Asked]()
        """Area → the last question there."""

    @property
    def waits(self) -> bool:
        """Whether `step` has work to do before the trial can begin."""
        return not (self.running.over or self.rival.ready)

    def step(self) -> None:
        """Make the version on trial ready to answer, a slice a call."""
        reader = self.rival.reader
        if reader is None or self.running.over:
            return
        try:
            with self.running.working():
                reader.step()
        except Exception as error:  # noqa: BLE001 - whatever it raises, the version in use goes on
            self.running.fail(error)

    def answering(self, question: Question, usual: Answers, new: Answers) -> Steps[Answer]:
        """The steps to the answer of one of the versions.

        Where the version on trial fails, the `usual` one answers.
        """
        if self.running.over or not self.rival.ready:
            return (yield from usual(_unheeded))
        if not self._reads_new(question):
            return (yield from usual(partial(self._count, False)))
        try:
            with self.running.working():
                made = yield from new(partial(self._count, True))
        except Exception as error:  # noqa: BLE001 - whatever it raises, the other version is asked
            self.running.fail(error)
            return (yield from usual(_unheeded))
        for fault in self.rival.faults.take_reports():
            self.running.fail(ModelError(fault.code, fault.message))
            break
        return made

    def _reads_new(self, question: Question) -> bool:
        last = self._asked.get(question.area, _NEVER)
        goes_on = question.at_s - last.at_s < CONVERSATION_S
        new = last.new if goes_on else self.running.reads_new(question.utterance_id)
        self._asked[question.area] = _Asked(question.at_s, new)
        return new

    def _count(self, new: bool, sample: AnswerSample) -> None:
        if self.rival.faults.simpler:  # on which no version of the generator has a part
            return
        self.running.count(new, tally(sample))


def tally(sample: AnswerSample) -> Tally:
    """One answer alone; how sure it is says nothing, as each version has a scale of its own."""
    return Tally(
        utterances=1,
        missed=sample.declined,
        misworded=not (sample.declined or sample.rushed) and (sample.ungrounded or sample.empty),
        slow=sample.rushed or sample.seconds > SLOW_S,
        seconds=round(sample.seconds, 4),
    )


def _unheeded(_: AnswerSample) -> None:
    """Judge nothing."""
