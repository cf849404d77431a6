"""Everything that is answered from documents, and how well that goes."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence

import msgspec

from assistant.answer.answerer import NOTHING_FOUND, Answer, Answerer, AnswerTier, FindsAnswers
from assistant.answer.calendar.calendar import Calendar
from assistant.answer.generation.phrases import Phrases
from assistant.answer.generation.token_scheduler import Steps
from assistant.answer.knowledge.query import Filter
from assistant.answer.quality.monitor import AnswerMonitor, AnswerSample, sampled
from assistant.answer.summary.summariser import Summariser, Summary
from assistant.answer.topic import NOTHING, Topic
from assistant.core.messages import (
    CalendarTask,
    Fact,
    FindNextEvent,
    OpenQuestion,
    QualityAlert,
)
from assistant.english.asking.answer_kinds import kind_of, tells_kind
from assistant.english.asking.hours import NOW
from assistant.english.asking.mentions import named
from assistant.english.questions import leans, stands_for
from assistant.english.words import words

_ELSEWHERE = Filter(kinds=("document", "note"), strict=True)
"""What may say more of an event than the calendar."""


class DocumentAnswers:
    """Answers, words facts and summarises; `monitor`, if there is one, watches over the answers."""

    def __init__(
        self,
        answerer: Answerer,
        summariser: Summariser,
        phraser: Phrases | None,
        calendar: Calendar,
        monitor: AnswerMonitor | None,
        clock: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._answerer, self._summariser, self._phraser = answerer, summariser, phraser
        self._calendar, self._monitor, self._clock = calendar, monitor, clock
        self._alerts: list[QualityAlert] = []

    def beside(
        self, finder: FindsAnswers | None = None, phraser: Phrases | None = None
    ) -> DocumentAnswers:
        """One that finds, or words, in another way, and whose answers are not observed."""
        return DocumentAnswers(
            self._answerer.beside(finder, phraser),
            self._summariser,
            phraser or self._phraser,
            self._calendar,
            None,
            self._clock,
        )

    def answering(
        self,
        question: str,
        task: OpenQuestion,
        at_s: float = 0.0,
        topic: Topic = NOTHING,
        judge: Callable[[AnswerSample], None] = lambda _: None,
    ) -> Steps[Answer]:
        """The steps to the answer, or to an honest refusal.

        A question that leans on the one before is about its `topic` first; only about that where it
        names nothing itself. `judge` is told what an answer that is not kept shows. A refusal says
        what is not read.
        """
        made = yield from self._answering(question, task, at_s, topic, judge)
        if made.text == NOTHING_FOUND and (unread := self._calendar.unread()):
            return msgspec.structs.replace(made, text=unread)
        return made

    def _answering(
        self,
        question: str,
        task: OpenQuestion,
        at_s: float,
        topic: Topic,
        judge: Callable[[AnswerSample], None],
    ) -> Steps[Answer]:
        made = self._calendar.asked(question, task.period, topic)
        if made is not None:
            return made
        began_s = self._clock()
        outcomes: Counter[str] = Counter()
        within = _following(question, self._within(question, task), topic)
        if task.follows and not within.strict:
            return Answer(text=NOTHING_FOUND, tier=AnswerTier.DECLINED)
        if within == self._anytime() and not topic.passage and _means_nothing_known(question):
            return Answer(text=NOTHING_FOUND, tier=AnswerTier.DECLINED)
        made = yield from self._answerer.answering(question, outcomes, within)
        leaning = 0 < within.beside == topic.passage
        if made.tier is AnswerTier.DECLINED and topic.event and leaning:
            # What people are to do before an event may stand elsewhere than in the calendar.
            whole = f"{question.rstrip(' ?')} about {topic.event}"
            made = yield from self._answerer.answering(whole, outcomes, _ELSEWHERE)
        unsure = task.follows and not tells_kind(question, made.sentence)
        if unsure or (leaning and _tells_again(question, made, topic)):
            made = Answer(text=NOTHING_FOUND, tier=AnswerTier.DECLINED)
        if made.tier is AnswerTier.DECLINED and task.period is not None:
            made = self._calendar.about(question, task.period) or made
        sample = sampled(self._clock() - began_s, outcomes, made)
        if sample is not None:
            judge(sample)
            if self._monitor is not None:
                self._alerts += self._monitor.observe(at_s, sample)
        return self._calendar.dated(question, made)

    def scheduled(self, question: str, task: CalendarTask, at_s: float = 0.0) -> Steps[Answer]:
        """The same for a question about days: the calendar first, then the documents."""
        made = self._calendar.answer(task)
        if made is None:
            made = yield from self.answering(question, _of_documents(task), at_s)
        return made

    def document_of(self, event: str) -> str:
        """The file name of the document in which an event stands; "" where none has it."""
        return self._calendar.document_of(event)

    def answering_all(self, questions: Sequence[str]) -> list[Steps[Answer]]:
        """The steps to the answers of many questions; the monitor does not observe them."""
        return self._answerer.answering_all(questions)

    def wording(self, facts: Sequence[Fact], question: str, intent: str) -> Steps[str]:
        """The steps to all facts in one sentence; "" where there is no such sentence."""
        if self._phraser is None:
            return ""
        return (yield from self._phraser.wording(facts, question, intent))

    def summarising(self, name: str, words: int | None = None) -> Steps[Summary]:
        """The steps to a summary of a document, a short one unless `words` are wished.

        Raises `AnswerError` where no document has that name, or no summary that length.
        """
        return self._summariser.summarising(name, words)

    def alerts(self) -> list[QualityAlert]:
        """The alerts about the answers that are new since the last call."""
        told, self._alerts = self._alerts, []
        return told

    def _anytime(self) -> Filter:
        return Filter(today=self._calendar.present().date())

    def _within(self, question: str, task: OpenQuestion) -> Filter:
        within = msgspec.structs.replace(self._anytime(), naming=task.persons)
        if NOW.search(question):
            within = msgspec.structs.replace(within, now=self._calendar.present())
        if task.period is None:
            return within
        period = self._calendar.here(task.period)
        return msgspec.structs.replace(within, since=period.since, until=period.until)


def _following(question: str, within: Filter, topic: Topic) -> Filter:
    """`within`, narrowed to what was spoken of before where the question leans on it."""
    alone, kind = not named(question), kind_of(question)
    obliged = alone and kind is not None and kind.name == "things to bring"
    if not topic.passage or not (obliged or leans(question)):
        return within
    return msgspec.structs.replace(within, beside=topic.passage, strict=alone, said=topic.sentence)


def _tells_again(question: str, made: Answer, topic: Topic) -> bool:
    """Whether the same is told to the same kind of question as before, so that it is no answer."""
    same = made.sentence == topic.sentence and "again" not in words(question)
    return same and kind_of(question) == kind_of(topic.question)


def _means_nothing_known(question: str) -> bool:
    """Whether a question is only about what was spoken of before: "why is it dark already"."""
    return stands_for(question) and not named(question)


def _of_documents(task: CalendarTask) -> OpenQuestion:
    if isinstance(task, FindNextEvent):
        return OpenQuestion(persons=(task.person,) if task.person else ())
    return OpenQuestion(period=task.period)
