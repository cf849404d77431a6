"""The times of an event: once, over days, or again and again by its rules (RFC 5545, 3.8.5)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta, tzinfo
from itertools import chain, islice, pairwise
from typing import NamedTuple
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import msgspec
from dateutil.rrule import rrulebase, rruleset, rrulestr

from assistant.core.messages import Period

MOST = 10_000
"""Most times of one event that are tried for one question."""
MOST_RULES = 4
"""Most rules of one event, which should have one (RFC 5545, 3.8.5.3)."""
MOST_TRIED = 15_000
"""Most days that a rule may try in vain before its next one, some 20 ms of work. They are 41 years
of a daily rule: 29 February falls on a given day of the week up to 40 years later."""
TRIED_OUT = 20
"""Days of a rule whose distances are checked."""

_STEADY = re.compile(r"FREQ=(DAILY|WEEKLY)(?!.*COUNT=)", re.IGNORECASE)
_INTERVAL = re.compile(r"INTERVAL=(\d+)", re.IGNORECASE)
_DAY = len("2026-01-01")


class Series(msgspec.Struct, frozen=True, kw_only=True):
    """How an event repeats, in wall times, so that nine o'clock stays nine when clocks change.

    Times are in ISO 8601 without an offset; where they are days, each occurrence lasts whole days.
    """

    start: str
    """The first time or day."""
    zone: str = ""
    """IANA name of the zone; "" for the local one."""
    rules: tuple[str, ...] = ()
    """Rules (RRULE) that give further times."""
    also: tuple[str, ...] = ()
    """Further times."""
    left_out: tuple[str, ...] = ()
    """Times that do not take place, although a rule gives them."""
    lasts_s: float = 0.0
    """Length of each occurrence in seconds; whole days where the times are days."""


class Occurrence(NamedTuple):
    """One time at which an event takes place, in the zone of the person who asks."""

    starts: datetime
    ends: datetime
    whole_days: bool = False


def takes_place(series: Series) -> bool:
    """Whether each rule is valid and gives days often enough to be searched during a question.

    Takes seconds for a rule that never gives one.
    """
    start = datetime.fromisoformat(series.start)
    try:
        return len(series.rules) <= MOST_RULES and all(_goes_on(r, start) for r in series.rules)
    except (ValueError, TypeError, OverflowError):
        return False


def occurrences(
    series: Series, since: datetime, until: datetime, zone: tzinfo
) -> Iterator[Occurrence]:
    """The occurrences that overlap the time from `since` up to `until`, in order.

    `zone` is that of the answer and of times without one.
    """
    lasts = timedelta(seconds=series.lasts_s)
    first = _wall(since, series, zone) - lasts - timedelta(days=1)
    last = _wall(until, series, zone)
    begin = first if _steady(series) else None
    for wall in islice(_rules(series, begin), MOST):
        if wall >= last:
            return
        if wall < first:
            continue
        found = _occurrence(wall, lasts, series, zone)
        if found.starts < until and (found.ends > since or found.starts >= since):
            yield found


def once(starts: str, ends: str, zone: tzinfo) -> Occurrence | None:
    """The one occurrence of an event with these ends, in ISO 8601; None if they are no dates."""
    try:
        first = datetime.fromisoformat(starts)
        last = datetime.fromisoformat(ends) if ends else first
        if len(starts) == _DAY:
            return Occurrence(_local(first, zone), _local(last + timedelta(days=1), zone), True)
        if len(ends) == _DAY:  # of a series whose rule is not supported
            return None
        return Occurrence(_local(first, zone), _local(max(first, last), zone))
    except (ValueError, OverflowError):  # the latter at the edge of the years that there are
        return None


def here(period: Period, zone: tzinfo) -> Period:
    """The period in the time of `zone`."""
    return Period(since=period.since.astimezone(zone), until=period.until.astimezone(zone))


def _occurrence(wall: datetime, lasts: timedelta, series: Series, zone: tzinfo) -> Occurrence:
    if len(series.start) == _DAY:
        return Occurrence(_local(wall, zone), _local(wall + lasts, zone), True)
    starts = _local(wall, _zone(series) or zone).astimezone(UTC)
    return Occurrence(starts.astimezone(zone), (starts + lasts).astimezone(zone))


def _wall(moment: datetime, series: Series, zone: tzinfo) -> datetime:
    """What a clock in the zone of the series shows at `moment`."""
    where = zone if len(series.start) == _DAY else _zone(series) or zone
    return moment.astimezone(where).replace(tzinfo=None)


def _local(wall: datetime, zone: tzinfo) -> datetime:
    if wall.tzinfo is not None:
        return wall.astimezone(zone)
    # Through UTC, so that a time skipped by a clock change is moved on by it (PEP 495).
    return wall.replace(tzinfo=zone).astimezone(UTC).astimezone(zone)


def _zone(series: Series) -> tzinfo | None:
    try:
        return ZoneInfo(series.zone) if series.zone else None
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None


def _steady(series: Series) -> bool:
    return all(_STEADY.search(rule) for rule in series.rules)


def _rules(series: Series, begin: datetime | None) -> rrulebase:
    """The wall times of a series; for steady rules only those from about `begin` on."""
    start = datetime.fromisoformat(series.start)
    found = rruleset()
    if begin is None or start >= begin:
        found.rdate(start)
    for rule in series.rules:
        found.rrule(rrulestr(rule, dtstart=_later(start, rule, begin)))
    for day in series.also:
        found.rdate(datetime.fromisoformat(day))
    for day in series.left_out:
        found.exdate(datetime.fromisoformat(day))
    return found


def _goes_on(rule: str, start: datetime) -> bool:
    """Whether the rule, if it had no end, would never try too many days in vain.

    Its search ends only at the next day that it gives, however long ago its own end was.
    """
    parts = [part for part in rule.split(";") if not part.startswith(("COUNT=", "UNTIL="))]
    given = chain([start], rrulestr(";".join(parts), dtstart=start), [datetime.max])
    most = MOST_TRIED * _interval(rule)
    return all((b - a).days <= most for a, b in pairwise(islice(given, TRIED_OUT)))


def _later(start: datetime, rule: str, begin: datetime | None) -> datetime:
    """A start later by whole intervals, so that few days before `begin` are tried."""
    if begin is None or begin <= start:
        return start
    steady, days = _STEADY.search(rule), _interval(rule)
    if steady is not None and steady[1].upper() == "WEEKLY":
        days *= 7
    skipped = (begin - start).days // days - 1
    return start + timedelta(days=days * max(0, skipped))


def _interval(rule: str) -> int:
    found = _INTERVAL.search(rule)
    return int(found[1]) if found else 1


def wall_text(moment: date) -> str:
    """The wall time or day in the form of a `Series`."""
    return moment.replace(tzinfo=None).isoformat() if isinstance(moment, datetime) else str(moment)
