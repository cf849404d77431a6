"""The time of a day in which nothing is in the calendar."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, time, timedelta
from itertools import pairwise

from assistant.answer.answer import composed_answer
from assistant.answer.answerer import Answer
from assistant.answer.calendar.timetable import TimedEvent, Timetable
from assistant.answer.calendar.wording import is_one_day, label
from assistant.core.messages import Period
from assistant.english.spoken import joined, spoken

WAKING = time(8), time(22)
"""The part of a day that is told of, where a whole day is asked for."""
SHORTEST = timedelta(minutes=30)
"""The shortest time between two events that is told."""


class FreeTime:
    """Finds the time between the events of `timetable`; those of whole days take no hours."""

    def __init__(self, timetable: Timetable) -> None:
        self._timetable = timetable

    def within(self, period: Period, said: str = "") -> Answer:
        """When nothing is in the calendar in a period of a day at most."""
        period, now = self._timetable.here(period), self._timetable.present()
        if not is_one_day(period):
            return composed_answer("I can only tell that of one day at a time.", ())
        every = self._timetable.between(period.since, period.until)
        since, until = _waking(period)
        since = max(since, min(now, until))
        busy = [one for one in every if not one.when.whole_days and one.when.ends > since]
        opening = label(period, said, now)
        opening = f"{opening[:1].upper()}{opening[1:]}"
        stored = [one.stored for one in every]
        if not busy:
            return composed_answer(f"{opening} you are free.{_all_day(every)}", stored)
        free = list(_between(since, until, busy))
        told = joined([_told(one, (since, until), now) for one in free])
        words = f"you are free {told}" if free else "you are not free"
        return composed_answer(f"{opening} {words}.{_all_day(every)}", stored)


def _waking(period: Period) -> tuple[datetime, datetime]:
    """The period, or of a whole day the hours in which people are up."""
    if period.until - period.since < timedelta(hours=20):
        return period.since, period.until
    day = period.since.replace(minute=0, second=0, microsecond=0)
    begin, end = (day.replace(hour=edge.hour) for edge in WAKING)
    return max(begin, period.since), end


def _between(
    since: datetime, until: datetime, busy: Sequence[TimedEvent]
) -> Iterator[tuple[datetime, datetime]]:
    """The gaps between events, in order."""
    spans = sorted((one.when.starts, one.when.ends) for one in busy)
    edges = [(since, since), *spans, (until, until)]
    reached = since
    for before, after in pairwise(edges):
        reached = max(reached, before[1])
        if min(after[0], until) - reached >= SHORTEST:
            yield reached, min(after[0], until)


def _told(free: tuple[datetime, datetime], whole: tuple[datetime, datetime], now: datetime) -> str:
    begins, ends = (spoken(moment.time(), now) for moment in free)
    if free[0] == whole[0]:
        return f"until {ends}"
    return f"from {begins} on" if free[1] == whole[1] else f"from {begins} to {ends}"


def _all_day(every: Sequence[TimedEvent]) -> str:
    """What takes whole days, as a sentence of its own."""
    names = [one.stored.passage.place.rstrip(" .") for one in every if one.when.whole_days]
    return f" All day: {joined(names)}." if names else ""
