"""Recurrence rules (RFC 5545, 3.3.10) in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from itertools import islice
from typing import Any

import msgspec

from assistant.core.calendar.series import RuleError, days_of
from assistant.english.dates import WEEKDAYS, full_date, month_and_day, month_name, weekday_name
from assistant.english.numbers import ORDINALS, ordinal
from assistant.english.spoken import count, joined

MOST_COUNTED = 5000
"""Most repetitions that are tried to find the last one."""

_UNITS = {
    "SECONDLY": "second",
    "MINUTELY": "minute",
    "HOURLY": "hour",
    "DAILY": "day",
    "WEEKLY": "week",
    "MONTHLY": "month",
    "YEARLY": "year",
}
_DAYS = {name[:2].upper(): name.capitalize() for name in WEEKDAYS}
_ORDINALS = {-1: "last"} | dict(enumerate(ORDINALS[:5], start=1))


class Rule(msgspec.Struct, frozen=True, kw_only=True):
    """How an event repeats; `until` is its last moment, None without one."""

    unit: str
    interval: int = 1
    days: tuple[str, ...] = ()
    month_days: tuple[int, ...] = ()
    months: tuple[int, ...] = ()
    times: int = 0
    until: date | None = None
    text: str = ""

    def words(self, start: date) -> str:
        """The rule in words: "every Tuesday", "every two months on the 15th"."""
        often = f"every {self.unit}" if self.interval == 1 else f"every {self._apart()}"
        named = [_named(day) for day in self.days]
        if self.unit == "week":
            weekdays = joined(named or [weekday_name(start)])
            if self.days == ("MO", "TU", "WE", "TH", "FR"):
                weekdays = "weekday"
            return f"every {weekdays}" if self.interval == 1 else f"{often} on {weekdays}"
        if named:
            within = joined([month_name(month) for month in self.months])
            return f"{often} on {joined(named)}{f' in {within}' if within else ''}"
        if self.unit == "month":
            return f"{often} on the {joined([_th(d) for d in self.month_days or (start.day,)])}"
        return f"{often} on {month_and_day(start)}" if self.unit == "year" else often

    def span(self, start: date) -> str:
        """ "from January 6, 2026 until June 30, 2026", "ten times from January 6, 2026"."""
        if self.until is not None:
            return f"from {full_date(start)} until {full_date(self.until)}"
        if self.times:
            return f"{count(self.times, 'time')} from {full_date(start)}"
        return f"from {full_date(start)} on"

    def last(self, start: date) -> date | None:
        """The date of the last time; None when it goes on for ever."""
        if self.until is not None or not self.times:
            return self.until
        plain = datetime.combine(start, datetime.min.time())
        try:
            days = [moment.date() for moment in islice(days_of(self.text, plain), MOST_COUNTED)]
        except RuleError:  # a rule that only icalendar understands, or that gives no days
            return None
        if len(days) == MOST_COUNTED:  # it may go on
            return None
        return days[-1] if days else start

    def _apart(self) -> str:
        return count(self.interval, self.unit)


def rule(found: Mapping[str, Sequence[Any]]) -> Rule | None:
    """The rule of an RRULE property; None for one that is not understood."""
    unit = _UNITS.get(str(_one(found, "FREQ")).upper())
    if unit is None:
        return None
    until, interval = _one(found, "UNTIL"), _one(found, "INTERVAL")
    if isinstance(until, datetime):
        until = until.astimezone().date()
    return Rule(
        unit=unit,
        interval=max(1, int(interval or 1)),
        days=tuple(map(str, found.get("BYDAY", ()))),
        month_days=tuple(map(int, found.get("BYMONTHDAY", ()))),
        months=tuple(int(m) for m in found.get("BYMONTH", ()) if 1 <= int(m) <= 12),
        times=int(_one(found, "COUNT") or 0),
        until=until,
        text=found.to_ical().decode() if hasattr(found, "to_ical") else "",
    )


def _one(found: Mapping[str, Sequence[Any]], name: str) -> Any:
    value = found.get(name)
    return value[0] if isinstance(value, list) and value else value


def _named(day: str) -> str:
    """A BYDAY value: "MO" is Monday, "2TU" the second Tuesday, "-1FR" the last Friday."""
    number, name = day[:-2], _DAYS.get(day[-2:].upper(), day)
    if not number:
        return name
    return f"the {_ORDINALS.get(int(number), _th(int(number)))} {name}"


def _th(number: int) -> str:
    if number < 0:
        return "last day" if number == -1 else f"{_th(-number)} last day"
    return ordinal(number)
