"""One event of the calendar's text: when it takes place, and the same event at another time."""

from __future__ import annotations

from collections.abc import Iterator, Set
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Any, NamedTuple

from icalendar import Event
from icalendar.prop import vRecur

from assistant.core.calendar.recurrence import dates, each, repeated
from assistant.core.calendar.series import Effort, Occurrence, Series, occurrences
from assistant.core.calendar.zones import forget_zones
from assistant.core.errors import SkillError
from assistant.skill.plans import CalendarEvent
from skills.capabilities.calendar.text import blocks_of, with_properties

MOST_KEPT = 8_000_000
"""Most characters of the events that are kept in memory as they were read, two files' worth; of
small ones each takes some 1,400 bytes."""
MOST_BLOCKS = 500
"""Most VEVENTs of one event: a series, and its times that were moved."""
TIMES = ("DTSTART", "DTEND", "DURATION")
SERIES = ("RRULE", "RDATE", "EXDATE")
STAMPS = ("DTSTAMP", "LAST-MODIFIED", "SEQUENCE")
_DAY = timedelta(days=1)
_DAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")


class _Block(NamedTuple):
    """One VEVENT as it was read: a series, one time of it that was moved, or an event for once."""

    text: str
    title: str
    first: Occurrence
    series: Series | None
    rule: str
    replaces: date | None
    """The time of the series in whose place it is; None for none."""
    cancelled: bool


def times_of(
    uid: str, text: str, since: datetime, until: datetime, effort: Effort | None = None
) -> Iterator[CalendarEvent]:
    """The times of an event that overlap a period, in the period's zone.

    Raises `RuleError` for a rule that gives no days, or that tries too many, by itself or with the
    others of the same `effort`.
    """
    zone = since.tzinfo or UTC
    blocks = KEPT.read(text, zone)
    rule = next((block.rule for block in blocks if block.rule), "")
    for block in blocks:
        if block.cancelled:
            continue
        if block.series is not None:
            found = occurrences(block.series, since, until, zone, effort)
        else:
            begins, ends, _ = block.first
            fits = begins < until and (ends > since or begins >= since)
            found = iter((block.first,) if fits else ())
        for one in found:
            yield CalendarEvent(
                id=uid,
                title=block.title,
                starts=one.starts,
                ends=one.ends,
                whole_days=one.whole_days,
                rule=rule,
            )


def written(uid: str, event: CalendarEvent, now: datetime) -> str:
    """The text of a new event."""
    made = Event()
    made.add("uid", uid)
    made.add("summary", event.title)
    made.add("dtstart", _value(event.starts, event.whole_days))
    made.add("dtend", _value(event.ends, event.whole_days))
    if event.rule:
        made.add("rrule", vRecur.from_ical(event.rule))
    made.add("dtstamp", now.astimezone(UTC))
    return str(made.to_ical(sorted=False), "utf-8")


def moved(
    text: str, event: CalendarEvent, starts: datetime, ends: datetime, every: bool, now: datetime
) -> str:
    """The text of an event that takes place at another time, once or at `every` time."""
    blocks = KEPT.read(text, event.starts.tzinfo or UTC)
    series = next((one for one in blocks if one.series is not None), None)
    alone = next((b for b in blocks if b.series is None and b.first.starts == event.starts), None)
    values = {
        "dtstart": _value(starts, event.whole_days),
        "dtend": _value(ends, event.whole_days),
    }
    if alone is not None and (series is None or not every):
        return text.replace(alone.text, _changed(alone.text, TIMES, values, now))
    if series is None:
        raise SkillError("calendar.unknown", "That is no more.")
    if not every:
        own = values | {"recurrence-id": _like(series.text, event.starts)}
        return text + _changed(series.text, (*TIMES, *SERIES), own, now)
    by = starts.replace(tzinfo=None) - event.starts.replace(tzinfo=None)
    changed = {block.text: _shifted(block, by, ends - starts, now) for block in blocks}
    return "".join(changed[block.text] for block in blocks)


def without(text: str, event: CalendarEvent, every: bool, now: datetime) -> str:
    """The text of an event without one of its times; "" where it has no others."""
    blocks = KEPT.read(text, event.starts.tzinfo or UTC)
    series = next((one for one in blocks if one.series is not None), None)
    if every or series is None:
        return ""
    alone = next((b for b in blocks if b.replaces and b.first.starts == event.starts), None)
    out = alone.replaces if alone is not None else _like(series.text, event.starts)
    known = dates(_parsed(series.text), "EXDATE")
    changed = _changed(series.text, ("EXDATE",), {"exdate": [*known, out]}, now)
    kept = (block for block in blocks if block not in (series, alone))
    return "".join([changed, *(block.text for block in kept)])


class _Kept:
    """Events as they were read; all are forgotten where they come to be too long."""

    def __init__(self) -> None:
        self._read: dict[tuple[str, tzinfo], tuple[_Block, ...]] = {}
        self.chars = 0

    def read(self, text: str, zone: tzinfo) -> tuple[_Block, ...]:
        """The VEVENTs of an event; one that cannot be read is left out.

        Raises ValueError for too many, as each is compared with the others.
        """
        found = self._read.get((text, zone))
        if found is None:
            found = _blocks(text, zone)
            if self.chars + len(text) > MOST_KEPT:
                self._read.clear()
                self.chars = 0
            self._read[text, zone] = found
            self.chars += len(text)
        return found

    def forget_others(self, texts: Set[str]) -> None:
        """Forget all events but these."""
        self._read = {key: found for key, found in self._read.items() if key[0] in texts}
        self.chars = sum(len(text) for text, _ in self._read)


KEPT = _Kept()


def _blocks(text: str, zone: tzinfo) -> tuple[_Block, ...]:
    blocks = blocks_of(text)
    if len(blocks) > MOST_BLOCKS:
        raise ValueError(f"it has more than {MOST_BLOCKS} times of its own")
    found = [(block, _parsed(block)) for block in blocks]
    out = [one for _, event in found if (one := _one(event, "RECURRENCE-ID")) is not None]
    return tuple(filter(None, (_block(block, event, out, zone) for block, event in found)))


def _parsed(block: str) -> Event:
    forget_zones()
    try:
        found = Event.from_ical(block)
    except ValueError:
        return Event()
    return found if isinstance(found, Event) else Event()


def _block(block: str, event: Event, out: list[date], zone: tzinfo) -> _Block | None:
    start, replaces = _one(event, "DTSTART"), _one(event, "RECURRENCE-ID")
    if start is None:
        return None
    first = _first(event, start, zone)
    series = None
    if replaces is None:
        series = repeated(event, start, (first.ends - first.starts).total_seconds(), out)
    rules = [str(one.to_ical(), "ascii") for one in each(event, "RRULE")]
    return _Block(
        text=block,
        title=" ".join(str(event.get("SUMMARY", "")).split()),
        first=first,
        series=series,
        rule=rules[0] if series and rules else "",
        replaces=replaces,
        cancelled=str(event.get("STATUS", "")).upper() == "CANCELLED",
    )


def _first(event: Event, start: date, zone: tzinfo) -> Occurrence:
    """The first time of an event in the zone of the home."""
    end, lasts = _one(event, "DTEND"), _one(event, "DURATION", timedelta)
    if not isinstance(start, datetime):
        days = end - start if end is not None and not isinstance(end, datetime) else lasts or _DAY
        begins = datetime.combine(start, time(), tzinfo=zone)
        return Occurrence(begins, begins + max(days, _DAY), True)
    begins = _local(start, zone)
    if isinstance(end, datetime):
        return Occurrence(begins, max(begins, _local(end, zone)))
    return Occurrence(begins, begins + (lasts or timedelta(0)))


def _local(moment: datetime, zone: tzinfo) -> datetime:
    # A time without a zone is meant wherever one is (RFC 5545, 3.3.5, form 1).
    return moment.astimezone(zone) if moment.tzinfo else moment.replace(tzinfo=zone)


def _one(event: Event, name: str, kind: type = date) -> Any:
    found = [getattr(value, "dt", None) for value in each(event, name)]
    return next((value for value in found if isinstance(value, kind)), None)


def _value(moment: datetime, whole_days: bool) -> date:
    """A moment as the file has it: in its zone where that has a name, else wherever one is."""
    if whole_days:
        return moment.date()
    zone = moment.tzinfo
    if zone is UTC or getattr(zone, "key", None) is not None:
        return moment
    return moment.replace(tzinfo=None)


def _like(series: str, moment: datetime) -> date:
    """A moment in the form of the first time of a series."""
    start = _one(_parsed(series), "DTSTART")
    if not isinstance(start, datetime):
        return moment.date()
    return moment.astimezone(start.tzinfo) if start.tzinfo else moment.replace(tzinfo=None)


def _changed(block: str, names: tuple[str, ...], values: dict[str, Any], now: datetime) -> str:
    """A VEVENT with these values in place of the properties of these names, and marked as new."""
    event = _parsed(block)
    number = event.get("SEQUENCE", 0)
    made = Event()
    stamps: dict[str, Any] = {"dtstamp": now.astimezone(UTC), "last-modified": now.astimezone(UTC)}
    stamps["sequence"] = int(number) + 1 if isinstance(number, int) else 1
    for name, value in (values | stamps).items():
        made.add(name, value)
    lines = str(made.to_ical(sorted=False), "utf-8").split("\r\n")[1:-2]
    return with_properties(block, (*names, *STAMPS), "".join(f"{line}\r\n" for line in lines))


def _shifted(block: _Block, by: timedelta, lasts: timedelta, now: datetime) -> str:
    """A VEVENT of a series of which every time is moved `by` so much."""
    if block.replaces is not None:
        return _changed(block.text, ("RECURRENCE-ID",), {"recurrence-id": block.replaces + by}, now)
    event = _parsed(block.text)
    start = _one(event, "DTSTART") + by
    values: dict[str, Any] = {"dtstart": start, "dtend": start + lasts}
    for name in ("EXDATE", "RDATE"):
        if days := dates(event, name):
            values[name] = [day + by for day in days]
    if rule := next(iter(each(event, "RRULE")), None):
        values["rrule"] = _shifted_rule(rule, by, start)
    return _changed(block.text, (*TIMES, *SERIES), values, now)


def _ends(rule: vRecur) -> list[date]:
    return [end for end in rule["UNTIL"] if isinstance(end, date)]


def _shifted_rule(rule: vRecur, by: timedelta, start: date) -> vRecur:
    """The rule of a series that is moved; raises `SkillError` where its days would be others."""
    found = vRecur(rule)
    if "UNTIL" in found:
        found["UNTIL"] = [end + by for end in _ends(found)]
    on = [str(day) for day in found.get("BYDAY", ())]
    frequency = str(found.get("FREQ", [""])[0]).upper()
    if start.weekday() == (start - by).weekday() and by < _DAY:
        return found
    if frequency != "WEEKLY" or len(on) > 1:
        raise SkillError("calendar.rule", "I can only change the time of day of all of them.")
    if on:
        found["BYDAY"] = [_DAYS[start.weekday()]]
    return found
