"""Questions about one event: whether it is on, when, and when after that.

The event is the one whose name holds all that the question names. Each answer is built from stored
events alone, at the moment of the question; none is kept.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

import msgspec

from assistant.answer.answer import composed_answer
from assistant.answer.answerer import Answer
from assistant.answer.calendar.event_follow_ups import EventFollowUps
from assistant.answer.calendar.events import with_notes
from assistant.answer.calendar.timetable import TimedEvent, Timetable
from assistant.answer.calendar.wording import moment
from assistant.answer.knowledge.passages import Passage
from assistant.answer.retrieval.mentions import holds
from assistant.answer.topic import Topic
from assistant.core.messages import Period
from assistant.english.asking.events import (
    AFTER_THAT,
    SORTS,
    TAKES_PLACE,
    VISITING,
    WHO_COMES,
    WITH_OTHERS,
    naming_event,
)
from assistant.english.asking.hours import Span, asked_hours, without_hours
from assistant.english.asking.mentions import WHETHER
from assistant.english.dates import full_date, weekday_name
from assistant.english.questions import ASKS_WHEN, stands_for
from assistant.english.spoken import joined
from assistant.english.words import words

MOST_TOLD = 3
"""Most events of a period that are told."""

Wanted = Callable[[Passage], bool]


class EventQuestions:
    """Answers questions about the events of `timetable`."""

    def __init__(self, timetable: Timetable) -> None:
        self._timetable = timetable
        self._follow_ups = EventFollowUps(timetable)

    def answer(self, question: str, period: Period | None, topic: Topic) -> Answer | None:
        """The answer; None for a question of another form, or about no event that is stored."""
        asked = question.casefold()
        before = self._timetable.event(topic.passage)
        if before is not None and AFTER_THAT.search(asked):
            return self._after(before.place, topic.moment)
        if before is not None and (further := self._follow_ups.answer(question, before, topic)):
            return further
        if WHO_COMES.match(asked) and (coming := self._coming(question, period)):
            return coming
        whether = WHETHER.match(asked) is not None
        dated = period is not None and ASKS_WHEN.match(asked)
        if not dated and not (whether and (period or TAKES_PLACE.search(asked))):
            return None
        wanted = _wanted(question, before)
        if wanted is None:
            return None
        if period is None:
            return self._next(wanted, "Yes, " if whether else "")
        return self._within(wanted, self._timetable.here(period), whether)

    def _next(self, wanted: Wanted, opening: str) -> Answer | None:
        now = self._timetable.present()
        found = self._timetable.upcoming(wanted, now)
        return found and _told(f"{opening}{_when(found, now)}.", [found])

    def _within(self, wanted: Wanted, period: Period, whether: bool) -> Answer | None:
        """The events of the period, or that there is none then, and when there is."""
        now = self._timetable.present()
        every = self._timetable.between(period.since, period.until)
        found = [one for one in every if wanted(one.stored.passage)]
        if found:
            told = joined([_when(one, now) for one in found[:MOST_TOLD]])
            return _told(f"Yes, {told}." if whether else f"{told}.", found)
        coming = self._timetable.upcoming(wanted, now)
        if coming is None:
            return None
        opening = "No" if whether else "Not then"
        out = _left_out(coming.stored.passage, period)
        if out is not None:
            opening += f", it does not take place on {weekday_name(out)}, {full_date(out)}"
        return _told(f"{opening}. {_when(coming, now)}.", [coming])

    def _coming(self, question: str, period: Period | None) -> Answer | None:
        """The events at the hours that a question for visitors names, or to which others come.

        None where it names anything else, or neither a day nor an hour.
        """
        now, hours = self._timetable.present(), asked_hours(question)
        named = naming_event(words(without_hours(question)))
        if not VISITING.issuperset(named) or not (period or hours):
            return None
        day = now.replace(hour=0, minute=0, second=0, microsecond=0)
        asked = self._timetable.here(period or Period(since=day, until=day + timedelta(days=1)))
        every = self._timetable.between(asked.since, asked.until)
        at_hour = [one for one in every if _begins(one, hours)] if hours else every
        exact = any(first == last for first, last in hours)
        found = [one for one in at_hour if one.when.ends > now and (exact or _is_for_others(one))]
        if not 0 < len(found) <= MOST_TOLD:
            return None
        return _told(" ".join(text for one in found for text in with_notes(one, now)), found)

    def _after(self, name: str, told: datetime | None) -> Answer | None:
        now = self._timetable.present()

        def same(passage: Passage) -> bool:
            return passage.place == name

        first = self._timetable.upcoming(same, now)
        begins = told or (first and first.when.starts)
        if begins is None:
            return None
        found = self._timetable.upcoming(same, begins + timedelta(seconds=1), begun=False)
        if found is None:
            return first and _told("Your calendar has none after that.", [first])
        return _told(f"The one after that is {moment(found.when, now)}.", [found])


def _wanted(question: str, before: Passage | None) -> Wanted | None:
    """Tells the events that a question names; None where it names nothing."""
    named = naming_event(words(question))
    if not named:
        if before is None or not stands_for(question):
            return None
        return lambda passage: passage.place == before.place
    telling = [word for word in named if word not in SORTS] or named

    def wanted(passage: Passage) -> bool:
        name = frozenset(words(" ".join((passage.place, *passage.people))))
        return all(holds(name, word) for word in telling)

    return wanted


def _begins(found: TimedEvent, hours: Sequence[Span]) -> bool:
    """Whether an event begins within any of these minutes of the day."""
    at = found.when.starts.hour * 60 + found.when.starts.minute
    timed = not found.when.whole_days
    return timed and any(first <= at <= last for first, last in hours)


def _is_for_others(found: TimedEvent) -> bool:
    """Whether the name of an event says that others come."""
    passage = found.stored.passage
    return WITH_OTHERS.search(passage.place.casefold()) is not None


def _when(found: TimedEvent, now: datetime) -> str:
    verb = "is" if found.when.ends > now or found.when.ends == found.when.starts else "was"
    return f"{found.stored.passage.place.rstrip(' .')} {verb} {moment(found.when, now)}"


def _left_out(passage: Passage, period: Period) -> datetime | None:
    """The first time in the period that a series leaves out."""
    out = passage.series.left_out if passage.series is not None else ()
    zone = period.since.tzinfo
    times = [datetime.fromisoformat(day).replace(tzinfo=zone) for day in out]
    return next((at for at in sorted(times) if period.since <= at < period.until), None)


def _told(text: str, found: Sequence[TimedEvent]) -> Answer:
    answer = composed_answer(text, [one.stored for one in found])
    return msgspec.structs.replace(answer, moment=found[-1].when.starts)
