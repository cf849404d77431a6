"""Questions about days: which part of what is stored answers them."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from assistant.answer.answerer import NOTHING_FOUND, Answer
from assistant.answer.calendar.events import Events
from assistant.answer.calendar.notes import Notes
from assistant.answer.knowledge.knowledge import Knowledge
from assistant.core.messages import Period, Question

PLANS, NEXT, NOTES = "CalendarPlans", "CalendarNext", "DocumentNotes"
SCHEDULED = frozenset((PLANS, NEXT, NOTES))
"""Intents whose facts say what is asked: "period", as ISO 8601, and what it was "said" to be;
"person"; "topic"."""


class Calendar:
    """What `knowledge` holds about days; `now` gives the aware present."""

    def __init__(self, knowledge: Knowledge, now: Callable[[], datetime]) -> None:
        self._schedule, self._diary = Events(knowledge, now), Notes(knowledge, now)

    def asked(self, question: Question) -> tuple[Answer | None, Period | None]:
        """The answer to one of the `SCHEDULED`; else None, and the time to look through."""
        facts = {fact.name: fact.value for fact in question.facts}
        said, period = facts.get("said", ""), None
        if "period" in facts:
            period = Period.read(facts["period"])
        if period is None:
            made = self._schedule.next(facts.get("person", ""))
        elif question.intent == NOTES:
            made = self._diary.notes(period, said, facts.get("topic", ""))
        else:
            made = self._schedule.plans(period, said)
        # Without a calendar the documents may tell all the same.
        return (None if made.text == NOTHING_FOUND else made), period

    def dated(self, question: str, made: Answer) -> Answer:
        """An answer of the documents, put right for the day on which it is asked when."""
        return self._schedule.dated(question, made)
