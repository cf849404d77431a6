"""All that is answered from documents, and how well it goes."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from assistant.answer.answerer import Answer, Answerer
from assistant.answer.monitor import Monitor
from assistant.answer.phrasing import Phraser
from assistant.answer.summary import Summariser, Summary
from assistant.core.messages import Fact, QualityAlert


class DocumentAnswers:
    """Answers, words facts and summarises; `monitor` watches over the answers."""

    def __init__(
        self,
        answerer: Answerer,
        summariser: Summariser,
        phraser: Phraser | None,
        monitor: Monitor,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._answerer, self._summariser, self._phraser = answerer, summariser, phraser
        self._monitor, self._clock = monitor, clock
        self._alerts: list[QualityAlert] = []

    def answer(self, question: str, at_s: float = 0.0) -> Answer:
        """The answer, or an honest nothing."""
        began_s = self._clock()
        made = self._answerer.answer(question)
        spent_s = self._clock() - began_s
        self._alerts += self._monitor.observe(at_s, spent_s, self._answerer.outcomes, made)
        return made

    def answer_all(self, questions: Sequence[str]) -> list[Answer]:
        """The answers to many questions, unwatched."""
        return self._answerer.answer_all(questions)

    def word(self, facts: Sequence[Fact], question: str, intent: str) -> str:
        """All facts in one sentence; "" where that cannot be had."""
        return self._phraser.word(facts, question, intent) if self._phraser is not None else ""

    def summarise(self, name: str) -> Summary:
        """What a document says in short; raises `AnswerError` where there is none of that name."""
        return self._summariser.summarise(name)

    def alerts(self) -> list[QualityAlert]:
        """What is to be told of the answers since this was last asked."""
        told, self._alerts = self._alerts, []
        return told
