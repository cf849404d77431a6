"""All that is answered from documents, and how well it goes."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence

from assistant.answer.answerer import Answer, Answerer
from assistant.answer.calendar.calendar import Calendar
from assistant.answer.generation.phraser import Phraser
from assistant.answer.generation.token_scheduler import Steps
from assistant.answer.knowledge.knowledge import Filter
from assistant.answer.quality.monitor import Monitor
from assistant.answer.summary.summariser import Summariser, Summary
from assistant.core.messages import Fact, Period, QualityAlert, Question


class DocumentAnswers:
    """Answers, words facts and summarises; `monitor` watches over the answers."""

    def __init__(
        self,
        answerer: Answerer,
        summariser: Summariser,
        phraser: Phraser | None,
        calendar: Calendar,
        monitor: Monitor,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._answerer, self._summariser, self._phraser = answerer, summariser, phraser
        self._calendar, self._monitor, self._clock = calendar, monitor, clock
        self._alerts: list[QualityAlert] = []

    def answering(
        self,
        question: str,
        at_s: float = 0.0,
        period: Period | None = None,
        persons: tuple[str, ...] = (),
    ) -> Steps[Answer]:
        """The steps to the answer, or to an honest nothing.

        What is of `period` is looked through first, and what does not name all `persons` never.
        """
        began_s = self._clock()
        outcomes: Counter[str] = Counter()
        within = _within(period, persons)
        made = yield from self._answerer.answering(question, outcomes, within)
        self._alerts += self._monitor.observe(at_s, self._clock() - began_s, outcomes, made)
        return self._calendar.dated(question, made)

    def scheduled(self, question: Question) -> Steps[Answer]:
        """The steps to the answer to what a skill has found to be a question about days."""
        made, period = self._calendar.asked(question)
        if made is None:
            whom = tuple(fact.value for fact in question.facts if fact.name == "person")
            return (yield from self.answering(question.text, question.at_s, period, whom))
        return made

    def answering_all(self, questions: Sequence[str]) -> list[Steps[Answer]]:
        """The steps to the answers of many questions, unwatched."""
        return self._answerer.answering_all(questions)

    def wording(self, facts: Sequence[Fact], question: str, intent: str) -> Steps[str]:
        """The steps to all facts in one sentence; "" where that cannot be had."""
        if self._phraser is None:
            return ""
        return (yield from self._phraser.wording(facts, question, intent))

    def summarising(self, name: str) -> Steps[Summary]:
        """The steps to what a document says in short.

        Raises `AnswerError` where there is none of that name.
        """
        return self._summariser.summarising(name)

    def alerts(self) -> list[QualityAlert]:
        """What is to be told of the answers since this was last asked."""
        told, self._alerts = self._alerts, []
        return told


def _within(period: Period | None, persons: tuple[str, ...]) -> Filter | None:
    if period is None:
        return Filter(naming=persons) if persons else None
    return Filter(since=period.since, until=period.until, naming=persons)
