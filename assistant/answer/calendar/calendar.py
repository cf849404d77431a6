"""Questions about days, and the stored events and notes that answer them."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import datetime

import msgspec

from assistant.answer.answerer import NOTHING_FOUND, Answer, AnswerTier
from assistant.answer.calendar.event_questions import EventQuestions
from assistant.answer.calendar.events import Events
from assistant.answer.calendar.free_time import FreeTime
from assistant.answer.calendar.notes import Notes
from assistant.answer.calendar.timetable import Timetable
from assistant.answer.knowledge.knowledge import Knowledge
from assistant.answer.topic import Topic
from assistant.core.calendar.series import here
from assistant.core.messages import (
    CalendarTask,
    FindFreeTime,
    FindNextEvent,
    ListEvents,
    ListNotes,
    Period,
)

_DENIES = re.compile(r"(No|Not then)[.,] |Your calendar has none")
"""How an answer begins that denies an event."""


class Calendar:
    """What `knowledge` holds about days; `now` gives the present as an aware time."""

    def __init__(self, knowledge: Knowledge, now: Callable[[], datetime]) -> None:
        self._knowledge = knowledge
        self._timetable = timetable = Timetable(knowledge, now)
        self._events, self._notes = Events(knowledge, timetable), Notes(knowledge, now)
        self._free_time = FreeTime(timetable)
        self._event_questions = EventQuestions(timetable)

    def answer(self, task: CalendarTask) -> Answer | None:
        """The answer; None where nothing is stored, though the documents may have one."""
        match task:
            case ListEvents():
                made = self._events.plans(task.period, task.said)
            case FindNextEvent():
                made = self._events.next(task.person)
            case FindFreeTime():
                made = self._free_time.within(task.period, task.said)
            case ListNotes():
                made = self._notes.notes(task.period, task.said, task.topic)
        notes = isinstance(task, ListNotes)
        unread = self._knowledge.unread() if notes else self._timetable.unread()
        if not unread:
            return None if made.text == NOTHING_FOUND else made
        if isinstance(task, FindFreeTime) or not made.passage:
            return Answer(text=unread, tier=AnswerTier.DECLINED)
        return msgspec.structs.replace(made, text=f"{made.text} {unread}")

    def unread(self) -> str:
        """What is to be said of documents that are not read; "" where all are."""
        return self._knowledge.unread()

    def asked(self, question: str, period: Period | None, topic: Topic) -> Answer | None:
        """The answer to a question about one event; None for any other question."""
        made = self._event_questions.answer(question, period, topic)
        unread = self._timetable.unread()
        if made is None or not unread or not _DENIES.match(made.text):
            return made
        return Answer(text=unread, tier=AnswerTier.DECLINED)

    def about(self, question: str, period: Period) -> Answer | None:
        """The events of a period that have all that the question names; None for none."""
        return self._events.about(question, period)

    def document_of(self, event: str) -> str:
        """The file name of the document with the next event of these words; "" for none."""
        return self._events.document_of(event)

    def here(self, period: Period) -> Period:
        """The period in the time zone of the documents; the bus delivers it in UTC."""
        return here(period, self._knowledge.zone)

    def present(self) -> datetime:
        """The present in the zone of the documents, to the minute."""
        return self._timetable.present().replace(second=0, microsecond=0)

    def dated(self, question: str, made: Answer) -> Answer:
        """The answer made from the documents; if it says when an event is, updated for today."""
        return self._events.dated(question, made)
