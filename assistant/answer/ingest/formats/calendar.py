"""Calendars (iCalendar, RFC 5545): each event in words that answer when, where and with whom."""

from __future__ import annotations

import zoneinfo
from collections import defaultdict
from collections.abc import Iterator, Sequence
from datetime import date, datetime, timedelta
from typing import Any

from icalendar import Calendar, Component

from assistant.answer.ingest.formats.html import soup_of
from assistant.answer.ingest.formats.rules import Rule, rule
from assistant.answer.ingest.formats.wording import clean, title_of
from assistant.answer.knowledge.passages import Document, Section
from assistant.core.calendar.recurrence import FAULTS, dates, each, repeated
from assistant.core.calendar.series import Effort, RuleError, Series, require_days, wall_text
from assistant.core.calendar.zones import forget_zones
from assistant.core.errors import AnswerError
from assistant.english.dates import full_date, weekday_name
from assistant.english.spoken import joined, length

NEVER = date.max.isoformat()
"""End of a series that goes on for ever."""

DAY_S = 86_400

LONGEST_DESCRIPTION = 4000
"""Most characters of an event's description."""

_SAMPLE = b"""BEGIN:VCALENDAR
BEGIN:VTIMEZONE
TZID:Europe/Berlin
BEGIN:STANDARD
DTSTART:19961027T030000
TZOFFSETFROM:+0200
TZOFFSETTO:+0100
END:STANDARD
END:VTIMEZONE
BEGIN:VEVENT
DTSTART;TZID=Europe/Berlin:20260303T093000
END:VEVENT
END:VCALENDAR
"""
"""A calendar that defines a zone, so that the names of the known zones are read with it: later they
could not be, and each calendar's own definition, which has no name, would stand for its zone.
"""


def prepare() -> dict[str, zoneinfo.ZoneInfo]:
    """Load every time zone, since a confined process cannot do so later; hold on to the result."""
    zones = {name: zoneinfo.ZoneInfo(name) for name in sorted(zoneinfo.available_timezones())}
    parse("sample", _SAMPLE)
    return zones


def parse(name: str, content: bytes) -> Document:
    """The calendar in `content`, one section an event, its times in this machine's zone.

    Raises `AnswerError` when `content` is no calendar.
    """
    forget_zones()
    try:
        calendars = Calendar.from_ical(content, multiple=True)
    except FAULTS as error:
        raise AnswerError("answer.unreadable", f"{name} is no calendar that can be read") from error
    title = next((clean(str(c["X-WR-CALNAME"])) for c in calendars if "X-WR-CALNAME" in c), "")
    events = [event for calendar in calendars for event in calendar.walk("VEVENT")]
    moved: defaultdict[str, list[date]] = defaultdict(list)
    for event in events:
        moved[str(event.get("UID", ""))] += _moments(event, "RECURRENCE-ID")
    effort = Effort()
    sections = tuple(
        section
        for event in events
        for section in _section(event, moved[str(event.get("UID", ""))], effort)
    )
    return Document(title=title or title_of(name), kind="event", sections=sections)


def _section(event: Component, moved: Sequence[date], effort: Effort) -> Iterator[Section]:
    try:
        yield from _told(event, moved, effort)
    except FAULTS:  # it is none, though it looks like one
        return


def _told(event: Component, moved: Sequence[date], effort: Effort) -> Iterator[Section]:
    start = _moment(event, "DTSTART")
    if start is None:
        return
    what = clean(str(event.get("SUMMARY", ""))) or "An event without a name"
    end = _end(event, start)
    people = tuple(dict.fromkeys(_people(event, "ATTENDEE")))
    lines = [_first(event, what, start, end), *_company(event, people)]
    description = str(event.get("DESCRIPTION", ""))[:LONGEST_DESCRIPTION]
    if "<" in description:
        description = soup_of(description).get_text("\n")
    lines += filter(None, map(clean, description.splitlines()))
    series = None
    if not _moments(event, "RECURRENCE-ID"):
        series = repeated(event, _one(event, "DTSTART").dt, _lasts(start, end), moved)
        try:
            if series is not None:
                require_days(series, effort)
        except RuleError:  # it takes place at its first time
            series = None
    cancelled = _cancelled(event)  # is found by its words, and at no time
    yield Section(
        text="\n".join(lines),
        place=what,
        starts="" if cancelled else start.isoformat(),
        ends="" if cancelled else _last(event, series, start, end),
        series=None if cancelled else series,
        people=people or tuple(dict.fromkeys(_people(event, "ORGANIZER"))),
    )


def _last(event: Component, series: Series | None, start: date, end: date) -> str:
    """The end of the event, or of the last one in a series."""
    repeats = _rule(event)
    if series is None or (series.rules and repeats is None):
        return end.isoformat()
    last = repeats.last(start) if repeats else start
    if last is None:
        return NEVER
    day = max(str(last)[:10], *(day[:10] for day in series.also), "")
    begins = datetime.combine(date.fromisoformat(day), datetime.fromisoformat(series.start).time())
    return str((begins + timedelta(seconds=max(0, series.lasts_s - 1))).date())


def _lasts(start: date, end: date) -> float:
    """How long it lasts in seconds; for whole days, the last one included."""
    days = 0 if isinstance(start, datetime) else DAY_S
    return (end - start).total_seconds() + days


def _cancelled(event: Component) -> bool:
    return str(event.get("STATUS", "")).upper() == "CANCELLED"


def _first(event: Component, what: str, start: date, end: date) -> str:
    repeats = _rule(event)
    first, elsewhere = _own(event, start) if repeats else (start, "")
    when = repeats.words(first) if repeats else _when(start, end)
    if repeats and isinstance(first, datetime):
        when += f" at {first:%H:%M}{elsewhere}{_lasting(start, end)}"
    location = clean(str(event.get("LOCATION", "")))
    where = f" at {location}" if location else ""
    span = f", {repeats.span(start)}" if repeats else ""
    moved = _moment(event, "RECURRENCE-ID")
    if moved is not None and moved != start:
        what += f", moved from {_day(moved)},"
    if _cancelled(event):
        return f"{what} {when}{where} is cancelled."
    return f"{what} is {when}{where}{span}."


def _own(event: Component, start: date) -> tuple[date, str]:
    """The first time of a series as its own clock shows it, with words for where that clock is.

    A clock that shows another time here now may do so for half the year only.
    """
    own = _one(event, "DTSTART").dt
    key = str(getattr(getattr(own, "tzinfo", None), "key", "") or "")
    if not key or wall_text(own) == wall_text(start):
        return start, ""
    return own, f" {key.rpartition('/')[2].replace('_', ' ')} time"


def _when(start: date, end: date) -> str:
    if isinstance(start, datetime) and isinstance(end, datetime):
        if end - start > timedelta(days=1):
            return f"from {_day(start)} at {start:%H:%M} to {_day(end)} at {end:%H:%M}"
        return f"on {_day(start)} at {start:%H:%M}{_lasting(start, end)}"
    if end > start:
        return f"from {_day(start)} to {_day(end)}"
    return f"on {_day(start)}, all day"


def _lasting(start: date, end: date) -> str:
    return f" for {length(end - start)}" if end > start else ""


def _company(event: Component, people: tuple[str, ...]) -> Iterator[str]:
    if people:
        yield f"{joined(people)} {'take' if len(people) > 1 else 'takes'} part."
    for organiser in _people(event, "ORGANIZER"):
        if organiser not in people:
            yield f"{organiser} organises it."
    left_out = [_local(day) for day in dates(event, "EXDATE")][:20]
    if left_out:
        yield f"It does not take place on {joined([_day(day) for day in left_out])}."


def _people(event: Component, role: str) -> Iterator[str]:
    for person in each(event, role):
        mail = str(person).split(":", 1)[-1]
        if found := clean(str(person.params.get("CN", ""))) or clean(mail):
            yield found


def _moments(event: Component, name: str) -> list[date]:
    found = (getattr(value, "dt", None) for value in each(event, name))
    return [value for value in found if isinstance(value, date)]


def _one(event: Component, name: str) -> Any:
    return next(iter(each(event, name)), None)


def _rule(event: Component) -> Rule | None:
    found = _one(event, "RRULE")
    return None if found is None else rule(found)


def _moment(event: Component, name: str) -> date | None:
    value = getattr(_one(event, name), "dt", None)
    return _local(value) if isinstance(value, date) else None


def _local(moment: date) -> date:
    # A time without a zone is meant wherever one is (RFC 5545, 3.3.5, form 1).
    return moment.astimezone() if isinstance(moment, datetime) else moment


def _end(event: Component, start: date) -> date:
    end, lasts = _moment(event, "DTEND"), getattr(_one(event, "DURATION"), "dt", None)
    if end is None and isinstance(lasts, timedelta):
        end = start + lasts
    if end is None or isinstance(end, datetime) != isinstance(start, datetime):
        return start
    # The end of an all-day event is the day after it.
    return max(start, end if isinstance(end, datetime) else end - timedelta(days=1))


def _day(day: date) -> str:
    return f"{weekday_name(day)}, {full_date(day)}"
