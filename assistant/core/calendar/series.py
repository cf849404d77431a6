"""The times of an event: once, over days, or again and again by its rules (RFC 5545, 3.8.5)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, timedelta, tzinfo
from itertools import islice
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
MOST_TRIED_IN_ALL = 200_000
"""Most days that the rules of one question try together."""
LEAST_TRIED = 1_200
"""Days that each rule may try however much the others tried: a rule of every year gives two."""
LEAST_GIVEN = 40
"""Times that each rule gives however much the others tried; one with a `COUNT` gives all before the
time that is asked for."""
CHEAPER = 8
"""How much less a step counts that gives a day than one in vain: a calendar of many years has
thousands of them."""
LONGEST_RULE = 500
"""Most characters of a rule; each of its values is work on every day that it tries."""
_DAYS = {"WEEKLY": 7, "MONTHLY": 31, "YEARLY": 366}
"""Days that a rule tries in one step; others try one."""
_INTERVAL = re.compile(r"\d{1,9}")
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


class RuleError(ValueError):
    """A rule is none, or gives no day within the bounds of a search."""


class Effort:
    """The days that the rules of one question may still try, together."""

    def __init__(self) -> None:
        self.left = MOST_TRIED_IN_ALL


def require_days(series: Series, effort: Effort) -> None:
    """Raise `RuleError` where a rule is invalid, or gives no day soon enough to be searched for.

    An end of its own does not count: the search ends only at the next day that a rule gives.
    """
    start = datetime.fromisoformat(series.start)
    for rule in series.rules:
        parts = _parts(rule)
        parts.pop("COUNT", None)
        parts.pop("UNTIL", None)
        next(islice(days_of(_text(parts), start, effort), 1, None), None)


def days_of(rule: str, start: datetime, effort: Effort | None = None) -> Iterator[datetime]:
    """The times that a rule gives from `start` on.

    Raises `RuleError` for what is no rule, and after too many days that it tried in vain: dateutil
    searches up to the year 9999.
    """
    try:
        parts = _parts(rule)
        if len(rule) > LONGEST_RULE:
            raise RuleError("its rule is too long")
        interval = _interval(parts)
        if interval * _days(parts) > (datetime.max - start.replace(tzinfo=None)).days:
            yield start
            return
        effort = effort or Effort()
        step = _Step(interval, parts, effort)
        for given, day in enumerate(rrulestr(rule, dtstart=start).replace(interval=step)):
            if effort.left < 0 and given > LEAST_GIVEN:
                raise RuleError("its rule, with those of others, gives too many days")
            if step.tried <= step.days:
                effort.left += step.tried - step.tried // CHEAPER - 1
            step.tried = 0
            yield day
    except RuleError:
        raise
    except (ValueError, TypeError, LookupError, ArithmeticError) as error:
        raise RuleError("its rule is none") from error


def occurrences(
    series: Series,
    since: datetime,
    until: datetime,
    zone: tzinfo,
    effort: Effort | None = None,
) -> Iterator[Occurrence]:
    """The occurrences that overlap the time from `since` up to `until`, in order.

    `zone` is that of the answer and of times without one. Raises `RuleError` where a rule tries too
    many days in vain, by itself or with the others of the same `effort`.
    """
    lasts = timedelta(seconds=series.lasts_s)
    first = _wall(since, series, zone) - lasts - timedelta(days=1)
    last = _wall(until, series, zone)
    begin = first if _steady(series) else None
    for wall in islice(_rules(series, begin, effort or Effort()), MOST):
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


class _Step(int):
    """The interval of a rule, which counts the days that it tries, as dateutil adds it each step.

    It raises `RuleError` after too many of them since `tried` was 0, and after too many in all once
    the rules of its effort have tried theirs.
    """

    tried: int
    days: int
    """Days that one step counts as."""
    _beyond: int
    _effort: Effort

    def __new__(cls, interval: int, parts: Mapping[str, str], effort: Effort) -> _Step:
        made = super().__new__(cls, interval)
        days = _days(parts)
        made.tried, made._beyond, made._effort = 0, 0, effort
        # Each position is looked for among the days, and a step passes by every month.
        positions = parts.get("BYSETPOS", "").count(",") + 1 if "BYSETPOS" in parts else 0
        made.days = days * (1 + positions)
        if days < _DAYS["MONTHLY"]:
            made.days += days * interval // _DAYS["MONTHLY"]
        return made

    def __radd__(self, other: int) -> int:
        self._count()
        return other + int(self)

    def __mul__(self, other: int) -> int:
        self._count()
        return int(self) * other

    def _count(self) -> None:
        self.tried += self.days
        self._effort.left -= self.days
        if self._effort.left < 0:
            self._beyond += self.days
        if self.tried > MOST_TRIED or self._beyond > LEAST_TRIED:
            raise RuleError("its rule gives no days, or too seldom")


def _steady(series: Series) -> bool:
    return not any("COUNT" in _parts(rule) for rule in series.rules)


def _rules(series: Series, begin: datetime | None, effort: Effort) -> rrulebase:
    """The wall times of a series; for steady rules only those from about `begin` on."""
    start = datetime.fromisoformat(series.start)
    found = rruleset()
    if begin is None or start >= begin:
        found.rdate(start)
    for rule in series.rules:
        found.rrule(days_of(rule, _later(start, _parts(rule), begin), effort))
    for day in series.also:
        found.rdate(datetime.fromisoformat(day))
    for day in series.left_out:
        found.exdate(datetime.fromisoformat(day))
    return found


def _later(start: datetime, parts: Mapping[str, str], begin: datetime | None) -> datetime:
    """A start later by whole intervals, so that few days before `begin` are tried."""
    if begin is None or begin <= start:
        return start
    days, interval = _days(parts), _interval(parts)
    if days < _DAYS["MONTHLY"]:
        skipped = (begin - start).days // (days * interval) - 1
        return start + timedelta(days=days * interval * max(0, skipped))
    months = interval * (12 if days == _DAYS["YEARLY"] else 1)
    skipped = (12 * (begin.year - start.year) + begin.month - start.month) // months - 1
    while skipped > 0:
        years, month = divmod(start.month - 1 + skipped * months, 12)
        try:
            return start.replace(year=start.year + years, month=month + 1)
        except ValueError:  # a month without that day
            skipped -= 1
    return start


def _parts(rule: str) -> dict[str, str]:
    """The parts of a rule by their names."""
    split = (part.partition("=") for part in rule.upper().split(";"))
    return {name: value for name, _, value in split}


def _text(parts: Mapping[str, str]) -> str:
    return ";".join(f"{name}={value}" for name, value in parts.items())


def _days(parts: Mapping[str, str]) -> int:
    """The days that a rule tries in one step."""
    return _DAYS.get(parts.get("FREQ", ""), 1)


def _interval(parts: Mapping[str, str]) -> int:
    """The steps from one to the next; raises `RuleError` for none."""
    text = parts.get("INTERVAL", "1")
    if not _INTERVAL.fullmatch(text) or not int(text):
        raise RuleError("its rule has no interval")
    return int(text)


def wall_text(moment: date) -> str:
    """The wall time or day in the form of a `Series`."""
    return moment.replace(tzinfo=None).isoformat() if isinstance(moment, datetime) else str(moment)
