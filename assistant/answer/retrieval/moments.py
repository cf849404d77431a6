"""The days and hours that a question names, and whether a text is about them.

"Today" and "now" are resolved, so that the row of a day, or the line of an hour, is found by them.
"""

from __future__ import annotations

from datetime import date, timedelta
from typing import NamedTuple

from assistant.answer.knowledge.query import Filter
from assistant.english.asking.hours import Span, asked_hours, told_hours
from assistant.english.dates import days_in, weekdays_in

MOST_DAYS = 8
"""Most days of a period that is compared day by day."""
BEFORE_NOW, AFTER_NOW = 60, 60
"""Minutes before and after the present in which something is due now."""


class Moments(NamedTuple):
    """The days that a question names, and the spans of minutes of a day; () for any."""

    days: tuple[date, ...] = ()
    hours: tuple[Span, ...] = ()
    today: date | None = None
    """The day of the question."""

    def __bool__(self) -> bool:
        return bool(self.days or self.hours)

    @property
    def on_the_clock(self) -> bool:
        """Whether an hour is named, and no part of the day: "at seven"."""
        return any(first == last for first, last in self.hours)

    def dates(self, text: str) -> bool:
        """Whether a text names one of the days by its date."""
        told = days_in(text) if self.days else set()
        return any((day.month, day.day) in told for day in self.days)

    def fit(self, text: str) -> bool | None:
        """Whether a text is about such a time; False for another time, None for no time."""
        verdicts = [self._fit_day(text), self._fit_hour(text)]
        if False in verdicts:
            return False
        return True if True in verdicts else None

    def _fit_day(self, text: str) -> bool | None:
        if not self.days:
            return None
        if days_in(text):
            return self.dates(text)
        named = weekdays_in(text)
        return True if any(day.weekday() in named for day in self.days) else None

    def _fit_hour(self, text: str) -> bool | None:
        told = told_hours(text)
        if not self.hours or not told:
            return None
        if any(first <= to and at <= last for at, to in told for first, last in self.hours):
            return True
        lasting = any(at < to for at, to in told)
        return None if lasting else False  # when it is open tells also that it is closed


ANY_TIME = Moments()


def moments(question: str, within: Filter | None) -> Moments:
    """The moments that `question` names, whose period and present are in the filter."""
    days: tuple[date, ...] = ()
    hours = asked_hours(question)
    if within is not None and within.since is not None and within.until is not None:
        count = (within.until - within.since) // timedelta(days=1) or 1
        if count <= MOST_DAYS:
            days = tuple(within.since.date() + timedelta(days=on) for on in range(count))
    if within is not None and within.now is not None:
        at = within.now.hour * 60 + within.now.minute
        hours = hours or [(at - BEFORE_NOW, at + AFTER_NOW)]
        days = days or (within.now.date(),)
    return Moments(days, tuple(hours), within.today if within is not None else None)
