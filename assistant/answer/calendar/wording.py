"""Events as they are spoken: in order, each day named once, no more than one can remember."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import date, datetime, timedelta
from itertools import groupby
from typing import NamedTuple

from assistant.core.calendar.series import Occurrence
from assistant.core.messages import Period
from assistant.english.dates import MONTHS, WEEKDAYS, weekday_name
from assistant.english.spoken import count, joined, spoken

MOST_SAID = 5
"""Most events that are read out; of the rest only the number is said."""
A_WEEK = timedelta(days=7, hours=1)
FEW_DAYS = 2
"""Days from which an event is away in days, and not in hours."""
LONGEST_NAME = 80
"""Most characters of an event's name."""

_PREPOSITION = re.compile(r"^(?:for|on|in|over|at|during) ", re.IGNORECASE)
_WORD = re.compile(r"[^\W\d_]+")


class ListedEvent(NamedTuple):
    """One event at one of its times; `series` is the same for all times of a series, else 0.

    `more` further times are mentioned with this one.
    """

    name: str
    when: Occurrence
    series: int = 0
    more: int = 0


def agenda(events: Sequence[ListedEvent], period: Period, said: str, now: datetime) -> str:
    """One sentence that lists these events, which are in order; `said` is what `period` was called.

    "Tomorrow: Dentist at 9:30 am and Choir at 7 pm." Where there are too many, each series is
    mentioned at its first time in the period, with the number of further ones.
    """
    if len(events) > MOST_SAID:
        events = _gathered(events)
    shown, rest = events[:MOST_SAID], len(events) - MOST_SAID
    more = [f"{rest} more"] if rest > 0 else []
    if is_one_day(period):
        told = joined([*(_at(event, period.since) for event in shown), *more])
    else:
        told = "; ".join(_days(shown, period, now))
        told += f"; and {more[0]}" if more else ""
    opening = label(period, said, now)
    return f"{opening[:1].upper()}{opening[1:]}: {told}."


def nothing(period: Period, said: str, now: datetime, *, more: bool) -> str:
    """The sentence that there is no event in that period, or no `more`."""
    when = _PREPOSITION.sub("", label(period, said, now))
    return f"Nothing {'more ' if more else ''}is in your calendar for {when}."


def moment(when: Occurrence, now: datetime) -> str:
    """When an event is, as in "It is …": "tomorrow at 7 pm", "on Friday, December 4, all day"."""
    if when.whole_days:
        last = (when.ends - timedelta(seconds=1)).date()
        if last > when.starts.date():
            return f"from {spoken(when.starts.date(), now)} to {spoken(last, now)}"
        return f"{_on(when.starts.date(), now)}, all day"
    return f"{_on(when.starts.date(), now)} at {spoken(when.starts.time(), now)}"


def ahead(when: Occurrence, now: datetime) -> str:
    """How long it is until an event, or since it, as in "That is …": "in two hours"."""
    days = (when.starts.date() - now.date()).days
    if when.whole_days or abs(days) >= FEW_DAYS:
        if days == 0:
            return "today"
        return f"in {count(days, 'day')}" if days > 0 else f"{count(-days, 'day')} ago"
    left = when.starts - now.replace(second=0, microsecond=0)
    if not left:
        return "now"
    length = spoken(abs(left), now)
    return f"in {length}" if left > timedelta(0) else f"{length} ago"


def label(period: Period, said: str, now: datetime) -> str:
    """What a period is called: "tomorrow", "on Friday, December 4", "next week"."""
    whole = period.since.time() == period.until.time()
    if is_one_day(period) and (whole or not said):
        return _on(period.since.date(), now)
    named = _WORD.sub(_capitalised, said).removeprefix("for ")
    return f"on {named}" if named.split(" ")[0].casefold() in WEEKDAYS else named


def _capitalised(found: re.Match[str]) -> str:
    word = found[0]
    return word.capitalize() if word.casefold() in (*MONTHS, *WEEKDAYS) else word


def is_one_day(period: Period) -> bool:
    """Whether the period lies within a day, or a day and the night after it."""
    return period.until - period.since <= timedelta(hours=25)


def _gathered(events: Sequence[ListedEvent]) -> list[ListedEvent]:
    """The same events with each series once, at its first time."""
    times = Counter(event.series for event in events)
    told: list[ListedEvent] = []
    for event in events:
        if not event.series:
            told.append(event)
        elif times[event.series]:
            told.append(event._replace(more=times.pop(event.series) - 1))
    return told


def _on(day: date, now: datetime) -> str:
    words = spoken(day, now)
    if 1 < (day - now.date()).days < 7:
        words = weekday_name(day)
    return f"on {words}" if words[:1].isupper() else words


def _days(events: Sequence[ListedEvent], period: Period, now: datetime) -> Iterator[str]:
    def day(event: ListedEvent) -> date:
        return max(event.when.starts, period.since).date()

    for on, some in groupby(events, day):
        since = datetime.combine(on, datetime.min.time(), tzinfo=period.since.tzinfo)
        near = (on - now.date()).days < 2  # "tomorrow" instead of the day's name
        named = (
            _on(on, now)
            if near or period.until - period.since > A_WEEK
            else f"on {weekday_name(on)}"
        )
        last = sorted(some, key=lambda event: event.more > 0)  # nothing follows "more times"
        yield f"{named} {joined([_at(event, since) for event in last])}"


def _at(event: ListedEvent, since: datetime) -> str:
    """An event of the day that starts at `since`, or an event that began before it."""
    name, when = event.name[:LONGEST_NAME].rstrip(" ."), event.when
    more = f", then {count(event.more, 'more time')}" if event.more else ""
    if when.whole_days:
        return f"{name} all day{more}"
    if when.starts.date() < since.date():
        return f"{name} until {spoken(when.ends.time(), since)}{more}"
    return f"{name} at {spoken(when.starts.time(), since)}{more}"
