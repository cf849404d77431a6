"""The recurrence of an event (RFC 5545, 3.8.5) as a `Series`: rules, further days, exceptions."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, date, datetime, time
from typing import Any

from icalendar import Component
from icalendar.prop import vBroken, vRecur

from assistant.answer.knowledge.series import Series, takes_place, wall_text

_DAYS_AT_MOST = ("SECONDLY", "MINUTELY", "HOURLY")
_WITHIN_A_DAY = ("BYHOUR", "BYMINUTE", "BYSECOND")
MOST_DATES = 2_000
"""Days of one event that are named one by one."""


def repeated(event: Component, start: date, lasts_s: float, moved: Sequence[date]) -> Series | None:
    """How `event`, which first begins at `start`, repeats; None where it does not, or no rule can.

    `moved` are the occurrences that another event of the calendar stands for. What repeats more
    often than once a day is not followed.
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
    return None if None in told or not takes_place(series) else series


def dates(event: Component, name: str) -> list[date]:
    """The days or times of an EXDATE or RDATE property, however often it stands there."""
    several = [one.dt for value in each(event, name) for one in getattr(value, "dts", ())]
    return [one[0] if isinstance(one, tuple) else one for one in several if _is_date(one)]


def _is_date(value: Any) -> bool:
    return isinstance(value[0] if isinstance(value, tuple) else value, date)


def each(event: Component, name: str) -> list[Any]:
    """The values of a property that can be read, however often it stands there."""
    value = event.get(name, [])
    values = value if isinstance(value, list) else [value]
    return [value for value in values if not isinstance(value, vBroken)]


def _rule(found: vRecur, start: date) -> str | None:
    """The rule with its end as a wall time; None for one that is not followed."""
    frequency = str(next(iter(found.get("FREQ", ())), "")).upper()
    if not frequency or frequency in _DAYS_AT_MOST:
        return None
    if any(len(found.get(part, ())) > 1 for part in _WITHIN_A_DAY):
        return None
    rule = vRecur(found)
    if ends := [end for end in found.get("UNTIL", ()) if isinstance(end, date)]:
        # A day as the end of a series with times is meant as the whole of it.
        last = ends[0] if isinstance(ends[0], datetime) else datetime.combine(ends[0], time.max)
        rule["UNTIL"] = [_wall(last.replace(microsecond=0), start, keep=True)]
    return str(rule.to_ical(), "ascii")


def _zone(start: date) -> str:
    """The IANA name of the zone that `start` is in; "" for none, or one of the calendar's own."""
    zone = getattr(start, "tzinfo", None)
    return "UTC" if zone is UTC else str(getattr(zone, "key", "") or "")


def _wall(moment: date, start: date, keep: bool = False) -> date:
    """`moment` as `start` is: a day, or a wall time in its zone; `keep` a time beside a day."""
    if not isinstance(start, datetime):
        day = moment.date() if isinstance(moment, datetime) else moment
        return datetime.combine(day, time.max).replace(microsecond=0) if keep else day
    if not isinstance(moment, datetime):
        return datetime.combine(moment, start.time())
    if moment.tzinfo is None:
        return moment
    # A zone of the calendar's own is taken for the one where this is read.
    where = start.tzinfo if _zone(start) else None
    return moment.astimezone(where).replace(tzinfo=None)
