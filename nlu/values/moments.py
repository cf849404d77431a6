"""A date with a time of day: "tomorrow at 6 30", "friday evening", "in 10 minutes"."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta

from nlu.values.clocks import Times, coming, part_of_day, times
from nlu.values.dates import days
from nlu.values.durations import DAY_S, duration, unit_s

Moments = list[tuple[datetime, float]]
"""Moments with the likelihood of each, the best first."""

_PART = re.compile(
    r"\b(?:(?P<day>(?:day after )?tomorrow|today|yesterday|\w+day) (?P<joined>morning|afternoon"
    r"|evening|night)|(?P<tonight>tonight|this night)|(?P<link>in|this|at) "
    r"(?P<loose>morning|afternoon|evening|night))(?: at)?\b"
)
_SMALL_HOURS_MIN = 6 * 60
_BEFORE_BREAKFAST = time(5, 59)
"""Time from which hours of a later day are read: 1 to 5 are in the afternoon, after 6 to 12."""


def moment(text: str, now: datetime) -> datetime | None:
    """The moment of a phrase, one that exists in the zone of `now`; None for no moment."""
    return next((found for found, _ in moments(text, now)), None)


def moments(text: str, now: datetime) -> Moments:
    """Every moment that a phrase can mean, the best first and the others by likelihood.

    A wall time that a clock change skips is moved on by the change, as in RFC 5545 and PEP 495. One
    that comes twice is the first of the two; the second is another reading.
    """
    if text in ("now", "right now"):
        return [(now, 1.0)]
    if (ahead := _ahead(text, now)) is not None:
        return [(ahead, 1.0)]
    for on, at, is_night in _splits(text):
        found = _on_a_day(on, at, is_night, now) if on else _next(at, is_night, now)
        if found:
            return _instants(found)
    return []


def _ahead(text: str, now: datetime) -> datetime | None:
    """ "in 10 minutes", "an hour from now"; whole days keep the time of day."""
    length = text.removeprefix("in ").removesuffix(" from now").removesuffix(" from right now")
    seconds = duration(length) if length != text else None
    if seconds is None:
        return None
    try:
        if all(unit_s(word) in (0, *_WHOLE_DAYS) for word in length.split()):
            found = days(f"in {length}", now)
            if found and found[0][0] != now.date():
                return _exists(datetime.combine(found[0][0], now.timetz()))
        return (now.astimezone(UTC) + timedelta(seconds=seconds)).astimezone(now.tzinfo)
    except OverflowError:
        return None


_WHOLE_DAYS = (DAY_S, 7 * DAY_S, 14 * DAY_S, 30 * DAY_S, 365 * DAY_S)


def _splits(text: str) -> Iterator[tuple[str, str, bool]]:
    """Every way to divide a phrase into a day and a time of day, and whether it means the night."""
    rest, on, ending = text, "", ""
    is_night = False
    if found := _PART.search(text):
        part = found["joined"] or found["loose"] or "night"
        is_night = part == "night" and not found["link"]
        on = found["day"] or ("today" if found["tonight"] or found["link"] == "this" else "")
        ending = "at night" if part == "night" else f"in {part}"
        rest = f"{text[: found.start()]}{on} {text[found.end() :]}".strip()
    words = [w for w in rest.split() if w != "t"] if rest[:4].isdecimal() else rest.split()
    for left, right in _cuts(words):
        known = part_of_day(right)  # "tonight at 7 pm" needs no more
        yield left, right if known else f"{right} {ending}".strip(), is_night
    if ending:
        yield " ".join(words).removesuffix(" at"), ending, is_night


def _cuts(words: list[str]) -> Iterator[tuple[str, str]]:
    yield "", " ".join(words).removeprefix("at ")
    for cut in range(1, len(words)):
        left, right = " ".join(words[:cut]), " ".join(words[cut:])
        yield left.removesuffix(" at"), right.removeprefix("at ")
        yield right, left.removeprefix("at ")


def _next(at: str, is_night: bool, now: datetime) -> Moments:
    found = times(at, now)
    if is_night:
        return [(_tonight(now.date(), at_time, now), weight) for at_time, weight in found]
    return [(coming(at_time, now), weight) for at_time, weight in found]


def _on_a_day(on: str, at: str, is_night: bool, now: datetime) -> Moments:
    found: Moments = []
    for when, likely in days(on, now):
        for at_time, weight in _times_on(when, at, now):
            moment = datetime.combine(when, at_time)
            if is_night:
                moment = _tonight(when, at_time, now)
            found.append((moment, likely * weight))
            if at_time == time(0, tzinfo=now.tzinfo) and at.startswith("midnight"):
                found.append((moment + timedelta(days=1), likely * weight * 0.9))
    return found


def _tonight(when: date, at_time: time, now: datetime) -> datetime:
    """A time in the night that begins on a day: "tonight at 2" is tomorrow's."""
    is_small = at_time.hour * 60 + at_time.minute < _SMALL_HOURS_MIN
    return datetime.combine(when, at_time, tzinfo=now.tzinfo) + timedelta(days=is_small)


def _times_on(when: date, at: str, now: datetime) -> Times:
    """The times of a phrase on a day; for today the coming ones, or else the later past one."""
    if when != now.date():
        return times(at, datetime.combine(when, _BEFORE_BREAKFAST, tzinfo=now.tzinfo))
    found = times(at, now)
    is_past = [datetime.combine(when, at_time) <= now for at_time, _ in found]
    if found and all(is_past):
        return [max(found)]
    return [one for one, past in zip(found, is_past, strict=True) if not past]


def _instants(found: Moments) -> Moments:
    """Moments that exist, each once; the best stays first."""
    known: dict[datetime, tuple[datetime, float]] = {}
    for moment, weight in found:
        twin = moment.replace(fold=1)
        is_twice = (moment.utcoffset() or timedelta()) > (twin.utcoffset() or timedelta())
        odds = ((moment, 0.7), (twin, 0.3)) if is_twice else ((moment, 1.0),)
        for one, share in odds:
            known.setdefault(one.astimezone(UTC), (_exists(one), weight * share))
    best, *others = known.values()
    return [best, *sorted(others, key=lambda one: -one[1])]


def _exists(moment: datetime) -> datetime:
    return moment.astimezone(UTC).astimezone(moment.tzinfo)
