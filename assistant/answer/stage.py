"""What no skill claims: an answer from the user's documents, or an honest refusal.

| task of the question           | reply                                                        |
|--------------------------------|--------------------------------------------------------------|
| WordFacts                      | the facts in the generator's words, or the skill's own       |
| RepeatAnswer                   | the last answer again                                        |
| NameCalendar                   | the document of an event, which is only read                 |
| NameSource                     | title and place of the last answer's document                |
| Summarise                      | two or three sentences                                       |
| ListEvents, FindNextEvent      | the events of a time, the next one                           |
| FindFreeTime                   | when there are none                                          |
| ListNotes                      | the notes of a time                                          |
| OpenQuestion                   | one sentence that says only what a document says             |
| … that asks, and was not found | the skill's own words, or that no answer was found           |
| … that only states something   | a nod, as nobody waits for more                              |
| … that asks nothing            | that it was not understood, and what is near to it           |
| … that a skill could not answer| the skill's own words, where nothing was found               |
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import ClassVar, Protocol

import msgspec

from assistant.answer.answerer import NOTHING_FOUND, Answer, AnswerTier
from assistant.answer.generation.token_scheduler import Steps
from assistant.answer.hub import HubAnswers
from assistant.answer.in_flight import InFlight, Spoken
from assistant.answer.summary.summariser import Summary
from assistant.answer.topic import NOTHING, Topic
from assistant.answer.trial import CONVERSATION_S, AnswerTrial, Judge
from assistant.core.degraded import Degraded
from assistant.core.errors import AnswerError
from assistant.core.messages import (
    BargeIn,
    CalendarChanged,
    CalendarTask,
    DocumentsDone,
    DocumentsRequest,
    Fact,
    Found,
    Message,
    NameCalendar,
    NameSource,
    OpenQuestion,
    Question,
    RepeatAnswer,
    SpokenReply,
    Summarise,
    Tick,
    WordFacts,
)
from assistant.english.asking.statements import states
from assistant.english.questions import asks, commands, goes_on, names

ACKNOWLEDGED = "Okay."


class AnswerSource(Protocol):
    """Answers from documents, in steps of one generated token each."""

    def answering(
        self,
        question: str,
        task: OpenQuestion,
        at_s: float = 0.0,
        topic: Topic = NOTHING,
        judge: Judge = ...,
    ) -> Steps[Answer]:
        """The answer, or an honest refusal; `topic` is what was spoken of before.

        `judge` is told what it shows.
        """

    def scheduled(self, question: str, task: CalendarTask, at_s: float = 0.0) -> Steps[Answer]:
        """The answer to a question about days, or an honest refusal."""

    def document_of(self, event: str) -> str:
        """The file name of the document in which an event stands; "" where none has it."""

    def wording(self, facts: Sequence[Fact], question: str, intent: str) -> Steps[str]:
        """All facts in one sentence; "" where there is no such sentence."""

    def summarising(self, name: str, words: int | None = None) -> Steps[Summary]:
        """A summary of a document; raises `AnswerError` where no document has that name."""

    def alerts(self) -> Iterable[Message]:
        """The alerts about the answers that are new since the last call."""


class Collects(Protocol):
    """Keeps the documents as they are on the disk, one slice of work at a time."""

    def deadline_s(self) -> float:
        """When `step` should be called next."""

    def take(self, request: DocumentsRequest) -> Iterable[Message]:
        """Begin what the command line asks for."""

    def look_anew(self) -> None:
        """Look at the disk at the next `step`."""

    def step(self, at_s: float) -> Iterable[Message]:
        """Do one slice."""


class AnswerStage:
    """Answers questions, and when there is none keeps the documents up to date.

    Without `answers` there are no documents to answer from; what they do not say, the `hub` is
    asked. With a shared `in_flight`, several questions are worked on at once. `faults` are
    reported after the replies.
    """

    consumes: ClassVar[tuple[type[Message], ...]] = (
        Question,
        BargeIn,
        DocumentsRequest,
        CalendarChanged,
    )

    def __init__(
        self,
        answers: AnswerSource | None = None,
        collection: Collects | None = None,
        in_flight: InFlight | None = None,
        faults: Degraded | None = None,
        hub: HubAnswers | None = None,
    ) -> None:
        self.answers, self._collection, self._hub = answers, collection, hub or HubAnswers()
        self._in_flight, self._faults = in_flight or InFlight(), faults or Degraded("answer")
        self.trial: AnswerTrial | None = None
        """What has a share of the questions answered by another version of a model."""

    def become(self, other: AnswerStage) -> None:
        """Go on with the answers and the collection of `other`; what was begun is finished."""
        self.answers, self._collection = other.answers, other._collection
        self._hub = other._hub
        self._faults = other._faults

    def feed(self, message: Message) -> Iterator[Message]:
        """The replies to a `Question`, a sentence each, or news of the documents.

        Replies that the generator words come with a later `Tick`, in their turn.
        """
        trial = self.trial
        if trial is not None and trial.running.decided and isinstance(message, Question):
            trial.running.conclude()
        yield from self._fed(message)
        if trial is not None and trial.running.over:
            self.trial = None
            yield trial.running.report()

    def _fed(self, message: Message) -> Iterator[Message]:
        match message:
            case Question():
                shared = self.trial is None  # workers try nothing
                yield from self._in_flight.ask(message, self._replies(message), shared)
                yield from self._remarks()
            case BargeIn():
                self._in_flight.cancel(message.utterance_id)
            case CalendarChanged() if self._collection is not None:
                self._collection.look_anew()
            case DocumentsRequest() if self._collection is not None:
                yield from self._collection.take(message)
            case DocumentsRequest():
                yield DocumentsDone(
                    request_id=message.request_id,
                    code="storage.in_use",
                    error="another command has the documents; when it is done: assistant reload",
                )
            case Tick() if self._in_flight.busy:
                yield from self._in_flight.turn()
                yield from self._remarks()
            case Tick() if self._collection is not None:
                yield from self._faults.until_fault("reader", self._collection.step(message.at_s))
                if self.trial is not None:
                    self.trial.step()

    def deadline_s(self) -> float | None:
        """When a reply continues, or a slice of documents is due to be read or encoded."""
        if self._in_flight.busy or (self.trial is not None and self.trial.waits):
            return 0.0
        return None if self._collection is None else self._collection.deadline_s()

    def _remarks(self) -> Iterator[Message]:
        """The reports that follow the replies."""
        if self.answers is not None:
            yield from self.answers.alerts()
        if not self._in_flight.busy:
            yield from self._faults.take_reports()

    def _replies(self, question: Question) -> Steps[None]:
        match question.task:
            case RepeatAnswer():
                yield self._reply(question, self._spoken(question).said or question.fallback)
            case NameSource():
                yield self._reply(question, self._spoken(question).source or question.fallback)
            case NameCalendar(event=event):
                yield self._reply(question, self._unchanged(question, event), done=False)
            case Summarise(name=name, words=words):
                yield from self._summary(question, name, words)
            case WordFacts(facts=facts):
                text = yield from self._worded(question, facts)
                yield self._reply(question, text or question.fallback)
            case OpenQuestion() as task:
                yield (yield from self._answered(question, task))
            case task:
                yield (yield from self._scheduled(question, task))

    def _unchanged(self, question: Question, event: str) -> str:
        """Why an event is not changed: its document is only read, or there is no such event."""
        name = self.answers.document_of(event) if self.answers is not None else ""
        return f"That is in {name}, which I only read." if name else question.fallback

    def _worded(self, question: Question, facts: Sequence[Fact]) -> Steps[str]:
        if self.answers is None:
            return ""
        return (yield from self.answers.wording(facts, question.text, question.intent or ""))

    def _summary(self, question: Question, name: str, words: int | None) -> Steps[None]:
        if self.answers is None:
            yield self._reply(question, question.fallback, done=False)
            return
        try:
            summary = yield from self.answers.summarising(name, words)
        except AnswerError as error:
            there = yield from self._hub.summarising(question, name, words)
            if there is not None:
                yield self._said(question, there)
            else:
                yield self._reply(question, error.message, done=False)
            return
        self._spoken(question).source = _named("document", summary.title, summary.place)
        *others, last = [said.text for said in summary.sentences] or [""]
        for text in others:
            yield self._reply(question, text, more=True)
        yield self._reply(question, last, done=bool(last))

    def _scheduled(self, question: Question, task: CalendarTask) -> Steps[SpokenReply]:
        if self.answers is None:
            return self._reply(question, question.fallback, done=False)
        answer = yield from self.answers.scheduled(question.text, task, question.at_s)
        return self._said(question, answer)

    def _answered(self, question: Question, task: OpenQuestion) -> Steps[SpokenReply]:
        if not question.fallback and states(question.text):
            return self._reply(question, ACKNOWLEDGED)
        topic = self._spoken_of(question)
        asked = asks(question.text) or (topic.passage > 0 and goes_on(question.text))
        declined = NOTHING_FOUND if asked else _declined(question.text, task.nearest)
        declined = question.fallback or declined
        if task.follows and (self.answers is None or not topic.passage):
            return self._reply(question, declined)
        nobody = self.answers is None and not self._hub.asked
        if nobody or not (question.fallback or asked or names(question.text)):
            return self._reply(question, declined, done=False)
        answer = yield from self._asked(question, task, topic)
        if task.follows and answer.tier is AnswerTier.DECLINED:
            return self._reply(question, declined)
        if answer.tier is AnswerTier.DECLINED:
            if asked and answer.text != NOTHING_FOUND:
                declined = answer.text
            there = yield from self._hub.answering(question)
            answer = there or answer
        return self._said(question, answer, declined)

    def _asked(self, question: Question, task: OpenQuestion, topic: Topic) -> Steps[Answer]:
        if self.answers is None:
            return Answer(text=NOTHING_FOUND, tier=AnswerTier.DECLINED)
        asked = (question.text, task, question.at_s, topic)
        if self.trial is None:
            return (yield from self.answers.answering(*asked))
        usual = partial(self.answers.answering, *asked)
        new = partial(self.trial.rival.answers.answering, *asked)
        return (yield from self.trial.answering(question, usual, new))

    def _spoken_of(self, question: Question) -> Topic:
        """What the last answer was about, while it is fresh."""
        last = self._spoken(question)
        return last.topic if question.at_s - last.answered_s < CONVERSATION_S else NOTHING

    def _spoken(self, question: Question) -> Spoken:
        """What was last answered in the room of a question."""
        return self._in_flight.spoken[question.area]

    def _said(self, question: Question, answer: Answer, declined: str = "") -> SpokenReply:
        """The reply that says `answer`, or `declined` where there is none; its source is kept."""
        found = answer.tier is not AnswerTier.DECLINED
        spoken = self._spoken(question)
        spoken.source = _named(answer.kind, answer.title, answer.place) if found else ""
        spoken.topic = _topic(question.text, answer) if found else NOTHING
        spoken.answered_s = question.at_s
        text = answer.text if found or not declined else declined
        reply = self._reply(question, text, done=found)
        return msgspec.structs.replace(reply, found=_rests_on(answer))

    def _reply(
        self, question: Question, text: str, *, done: bool = True, more: bool = False
    ) -> SpokenReply:
        self._spoken(question).said = text
        return SpokenReply(
            utterance_id=question.utterance_id,
            text=text,
            intent=question.intent,
            done=done,
            acted=question.acted,
            more=more,
            area=question.area,
            peer=question.peer,
        )


def _declined(text: str, nearest: str) -> str:
    """The reply to what no skill claims and no document is asked for."""
    known = "I can't do that yet." if nearest or commands(text) else "I didn't understand that."
    return f'{known} You could say "{nearest}".' if nearest else known


def _rests_on(answer: Answer) -> Found:
    return Found(
        tier=answer.tier.value,
        sentence=answer.sentence,
        title=answer.title,
        place=answer.place,
        source=str(answer.source or ""),
        certainty=round(answer.certainty, 4),
    )


def _topic(question: str, answer: Answer) -> Topic:
    """What an answer to `question` was about."""
    return Topic(
        passage=answer.passage,
        sentence=answer.sentence,
        question=question,
        event=answer.place if answer.kind == "event" else "",
        moment=answer.moment,
    )


def _named(kind: str, title: str, place: str) -> str:
    """The source of an answer, as a person would say it."""
    match kind:
        case "contact":
            return "From your contacts."
        case "event":
            return "From your calendar."
        case "note":
            title = f"your note {title}"
    where = f", {place.replace(' > ', ', ')}" if place else ""
    return f"From {title}{where}."
