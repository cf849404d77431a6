"""The recurrence of an event (RFC 5545, 3.8.5) as a `Series`: rules, further days, exceptions."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from datetime import UTC, date, datetime, time
from typing import Any

from icalendar import Calendar, Component
from icalendar.prop import vBroken, vRecur

from assistant.core.calendar.series import MOST_RULES, Effort, Series, require_days, wall_text
from assistant.core.calendar.zones import forget_zones

# It warns of each zone that it does not know, with its name: the text of others in the journal, and
# kept by Python for good.
warnings.filterwarnings("ignore", module="icalendar")

_DAYS_AT_MOST = ("SECONDLY", "MINUTELY", "HOURLY")
_WITHIN_A_DAY = ("BYHOUR", "BYMINUTE", "BYSECOND")
FAULTS = (ValueError, ArithmeticError, LookupError, TypeError, AttributeError, OSError)
"""What an event may raise that is none, though it looks like one; `OSError` for the name of a time
zone, which is looked up as that of a file."""
MOST_DATES = 2_000
"""Most days of one event that are listed one by one."""


def repeated(event: Component, start: date, lasts_s: float, moved: Sequence[date]) -> Series | None:
    """How `event`, first at `start`, repeats; None where it does not, or no rule is supported.

    `moved` are the occurrences that another event of the calendar replaces. Events that repeat more
    often than once a day are not supported, nor those with more than `MOST_RULES`.
    """
    rules, also = each(event, "RRULE"), dates(event, "RDATE")
    if not (rules or also):
        return None
    zone, first = _zone(start), _wall(start, start)
    told = [_rule(rule, start) for rule in rules]
    left_out = [*dates(event, "EXDATE"), *moved]
    series = Series(
        start=wall_text(first),
        zone=zone,
        rules=tuple(rule for rule in told if rule is not None),
        also=tuple(wall_text(_wall(day, start)) for day in also[:MOST_DATES]),
        left_out=tuple(wall_text(_wall(day, start)) for day in left_out[:MOST_DATES]),
        lasts_s=lasts_s,
    )
    return None if None in told or len(told) > MOST_RULES else series


def require_followed(text: str, effort: Effort) -> None:
    """Raise `RuleError` where the rule of an event in a calendar's text gives no days.

    Raises ValueError and the like for what is no calendar.
    """
    forget_zones()
    for event in Calendar.from_ical(text).walk("VEVENT"):
        start = next((value.dt for value in each(event, "DTSTART")), None)
        series = repeated(event, start, 0.0, ()) if isinstance(start, date) else None
        if series is not None:
            require_days(series, effort)


def dates(event: Component, name: str) -> list[date]:
    """The days or times of an EXDATE or RDATE property, however often it occurs."""
    several = [one.dt for value in each(event, name) for one in getattr(value, "dts", ())]
    return [one[0] if isinstance(one, tuple) else one for one in several if _is_date(one)]


def _is_date(value: Any) -> bool:
    return isinstance(value[0] if isinstance(value, tuple) else value, date)


def each(event: Component, name: str) -> list[Any]:
    """The readable values of a property, however often it occurs."""
    value = event.get(name, [])
    values = value if isinstance(value, list) else [value]
    return [value for value in values if not isinstance(value, vBroken)]


def _rule(found: vRecur, start: date) -> str | None:
    """The rule with its end as a wall time; None for a rule that is not supported."""
    frequency = str(next(iter(found.get("FREQ", ())), "")).upper()
    if not frequency or frequency in _DAYS_AT_MOST:
        return None
    if any(len(found.get(part, ())) > 1 for part in _WITHIN_A_DAY):
        return None
    rule = vRecur(found)
    if ends := [end for end in found.get("UNTIL", ()) if isinstance(end, date)]:
        # If the end of a series with times is a day, the whole day is meant.
        last = ends[0] if isinstance(ends[0], datetime) else datetime.combine(ends[0], time.max)
        rule["UNTIL"] = [_wall(last.replace(microsecond=0), start, keep=True)]
    return str(rule.to_ical(), "ascii")


def _zone(start: date) -> str:
    """The IANA name of the zone of `start`; "" for none, or for one that the calendar defines."""
    zone = getattr(start, "tzinfo", None)
    return "UTC" if zone is UTC else str(getattr(zone, "key", "") or "")


def _wall(moment: date, start: date, keep: bool = False) -> date:
    """`moment` in the form of `start`: a day, or a wall time in its zone; `keep` a time beside a
    day."""
    if not isinstance(start, datetime):
        day = moment.date() if isinstance(moment, datetime) else moment
        return datetime.combine(day, time.max).replace(microsecond=0) if keep else day
    if not isinstance(moment, datetime):
        return datetime.combine(moment, start.time())
    if moment.tzinfo is None:
        return moment
    # A zone that the calendar defines is taken for the local one.
    where = start.tzinfo if _zone(start) else None
    return moment.astimezone(where).replace(tzinfo=None)
