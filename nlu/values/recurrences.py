"""Recurrences in the form of RFC 5545: "every weekday at 7", "every other monday"."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

from assistant.english.numbers import ORDINALS
from assistant.english.stems import singular
from nlu.values import holidays
from nlu.values.clocks import PARTS, times
from nlu.values.durations import HOUR_S, MINUTE_S, duration
from nlu.values.months import day_of_month, next_in_year, read_month_and_day, shifted
from nlu.values.weekdays import weekday

_CODES = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")
_UNITS = {"day": "DAILY", "week": "WEEKLY", "month": "MONTHLY", "year": "YEARLY"}
_ADVERBS = {"daily": "day", "weekly": "week", "monthly": "month", "yearly": "year"}
_ADVERBS |= {"annually": "year", "everyday": "day", "nightly": "day"}
_ADVERB = re.compile(rf"(?:once )?(?P<adverb>{'|'.join(_ADVERBS)})\b")
_GROUPS = {
    **dict.fromkeys(("weekday", "workday", "work day", "schoolday", "school day"), range(5)),
    "weekend": range(5, 7),
}
_EVERY = r"(?:every|each)(?: single)?"
_ORDINAL = rf"{'|'.join(ORDINALS[:5])}|[1-5](?:st|nd|rd|th)|last"
_WHOLE = re.compile(
    rf"(?:{_EVERY}|once (?:a|every)) (?:(?P<count>\d+|other|second|third|fourth|fortnight) ?)?"
    r"(?P<unit>(?:day|week|month|year)s?)?(?: on (?P<on>.+))?"
)
_NTH = re.compile(rf"(?:on |{_EVERY} )?(?P<nth>{_ORDINAL}) (?P<day>\w+) of (?:{_EVERY} |a )?month")
_OF_MONTH = re.compile(rf"(?:on )?(?P<day>.+) of (?:{_EVERY} |a )month")
_LIST = re.compile(rf"(?:on )?(?P<every>{_EVERY} )?(?:(?P<nth>other|second|third) )?(?P<days>.+)")
_SPAN = re.compile(rf"(?:{_EVERY} |from )?(?P<first>\w+) (?:to|through|till|until) (?P<last>\w+)")
_PART = re.compile(r"\b(?P<part>morning|afternoon|evening|night)s?\b(?: at)?")
_REFERENCE = time(5, 59)
_MOST_DAYS = 400

Found = list[tuple[str, float]]
"""Values with the likelihood of each, the best first."""


@dataclass(frozen=True)
class _Rule:
    """A rule's parts as RFC 5545 names them, and whether it falls on a day.

    `step` is the interval of a rule that counts from now.
    """

    parts: str
    falls_on: Callable[[date], bool] = lambda _: True
    step: tuple[int, str] | None = None
    first: date | None = None


def recurrences(text: str, now: datetime) -> Found:
    """RFC 5545 text, `DTSTART…` and `RRULE:…` on two lines, of every reading of a phrase.

    The start is the first occurrence after `now`: a date when no time was said, UTC ("…Z") in a
    zone without a name. A time without its half of the day is read as in `moments`.
    """
    if found := _intraday(text, now):
        return found
    before_breakfast = datetime.combine(now.date(), _REFERENCE, tzinfo=now.tzinfo)
    for repeats, at in _splits(text):
        rule = _rule(repeats, now.date())
        if rule and not at:
            return [(_ical(rule, None, now), 1.0)]
        if rule and (clocks := times(at, before_breakfast)):
            return [(_ical(rule, clock, now), likely) for clock, likely in clocks]
    return []


def _intraday(text: str, now: datetime) -> Found:
    """ "every 2 hours", "hourly", "every half hour"."""
    found = re.fullmatch(rf"{_EVERY} (.+)", text)
    length = "1 hour" if text == "hourly" else found[1] if found else ""
    length = re.sub(r"^other (\w+)$", r"2 \1s", length)
    if re.fullmatch(r"hour|minute|second", length):
        length = f"1 {length}"
    seconds = duration(length)
    if seconds is None or seconds != int(seconds) or not re.search(r"hour|min|sec|hr", length):
        return []
    units = (("HOURLY", HOUR_S), ("MINUTELY", MINUTE_S), ("SECONDLY", 1))
    name, unit = next((n, u) for n, u in units if seconds % u == 0)
    start = (now.astimezone(UTC) + timedelta(seconds=seconds)).astimezone(now.tzinfo)
    return [(f"{_dtstart(start)}\nRRULE:FREQ={name}{_interval(int(seconds) // unit)}", 1.0)]


def _splits(text: str) -> Iterator[tuple[str, str]]:
    """Every way to divide a phrase into what repeats and a time of day."""
    rest, ending = text, ""
    if (found := _PART.search(text)) and not re.search(r"\b(?:in|at) $", text[: found.start()]):
        ending = "at night" if found["part"] == "night" else f"in {found['part']}"
        before = text[: found.start()].strip()
        is_day = re.fullmatch(rf"{_EVERY}|on|", before) is not None
        rest = f"{before} {'day' if is_day else ''} {text[found.end() :]}"
        rest = rest if before else f"every {rest}"
    words = rest.split()
    for cut in range(len(words), 0, -1):
        left, right = " ".join(words[:cut]), " ".join(words[cut:])
        at = right.removeprefix("at ")
        yield left.removesuffix(" at"), f"{at} {ending}".strip()
        if right:
            yield right, f"{left.removeprefix('at ')} {ending}".strip()
    if ending:
        yield " ".join(words), f"{PARTS[ending.split()[1]]} 00"


def _rule(words: str, today: date) -> _Rule | None:
    readers = (_adverb, _nth, _of_month, _yearly, _whole, _span, _listed)
    return next((rule for read in readers if (rule := read(words, today))), None)


def _adverb(words: str, today: date) -> _Rule | None:
    found = _ADVERB.match(words)
    if found is None:
        return None
    return _whole(f"every {_ADVERBS[found['adverb']]}{words[found.end() :]}", today)


def _whole(words: str, today: date) -> _Rule | None:
    """ "every 2 weeks", "every month on first", "once a year on 3 of may"."""
    found = _WHOLE.fullmatch(words)
    if found is None or not (found["unit"] or found["count"] == "fortnight"):
        return None
    unit = singular(found["unit"] or "week")
    counts = {None: 1, "other": 2, "second": 2, "third": 3, "fourth": 4, "fortnight": 2}
    count = counts[found["count"]] if found["count"] in counts else int(found["count"])
    if not 0 < count < 1000:
        return None
    if found["on"]:
        return _whole_on(unit, count, found["on"], today)
    return _Rule(f"FREQ={_UNITS[unit]}{_interval(count)}", step=(count, unit))


def _whole_on(unit: str, count: int, on: str, today: date) -> _Rule | None:
    if unit == "week":
        numbers = _weekdays(on, plural=False)
        return _weekly(numbers, count) if numbers else None
    if unit == "month" and count == 1:
        return _nth(f"{on} of month", today) or _of_month(f"{on} of every month", today)
    return _yearly(f"every {on}", today) if unit == "year" and count == 1 else None


def _nth(words: str, _: date) -> _Rule | None:
    """ "first monday of every month", "last day of month"."""
    found = _NTH.fullmatch(words)
    if found is None:
        return None
    nth = -1 if found["nth"] == "last" else day_of_month(found["nth"])
    if found["day"] == "day":
        return _monthly(nth)
    number = weekday(found["day"])
    if number is None:
        return None
    return _Rule(
        f"FREQ=MONTHLY;BYDAY={nth}{_CODES[number]}",
        lambda d: d.weekday() == number and nth in _places(d),
    )


def _places(d: date) -> tuple[int, int]:
    """A day's place among the same weekdays of its month, from the start and from the end."""
    is_last = (d + timedelta(days=7)).month != d.month
    return (d.day - 1) // 7 + 1, -1 if is_last else 0


def _of_month(words: str, _: date) -> _Rule | None:
    found = _OF_MONTH.fullmatch(words)
    number = day_of_month(found["day"]) if found else 0
    return _monthly(number) if 0 < number <= 31 else None


def _monthly(number: int) -> _Rule:
    return _Rule(
        f"FREQ=MONTHLY;BYMONTHDAY={number}",
        lambda d: d.day == number if number > 0 else (d + timedelta(days=1)).day == 1,
    )


def _yearly(words: str, today: date) -> _Rule | None:
    """ "every 3 of may", "every christmas"."""
    found = re.fullmatch(rf"{_EVERY} (?:year on )?(.+?)|(.+) {_EVERY} year", words)
    name = (found[1] or found[2]).removeprefix("on ") if found else ""
    said = read_month_and_day(name) or holidays.FIXED.get(holidays.plain(name))
    first = next_in_year(*said, today + timedelta(days=1)) if said else None
    if said is None or first is None:
        return None
    return _Rule(f"FREQ=YEARLY;BYMONTH={said[0]};BYMONTHDAY={said[1]}", first=first)


def _span(words: str, _: date) -> _Rule | None:
    """ "monday to friday"."""
    found = _SPAN.fullmatch(words)
    first, last = (weekday(found["first"]), weekday(found["last"])) if found else (None, None)
    if first is None or last is None or first == last:
        return None
    return _weekly([(first + n) % 7 for n in range((last - first) % 7 + 1)])


def _listed(words: str, _: date) -> _Rule | None:
    """ "every monday and thursday", "weekdays", "every other tuesday"; not "monday" by itself."""
    found = _LIST.fullmatch(words)
    if found is None:
        return None
    numbers = _weekdays(found["days"], plural=not found["every"])
    intervals = {None: 1, "other": 2, "second": 2, "third": 3}
    return _weekly(numbers, intervals[found["nth"]]) if numbers else None


def _weekdays(words: str, plural: bool) -> list[int]:
    """The days of the week in a list of them, all in the plural if `plural`."""
    numbers: list[int] = []
    joined = re.sub(r"\b(work|school) day", r"\1day", words)
    for name in re.sub(r" and (?:every |each |on )?", " ", joined).split():
        one = singular(name)
        if plural and one == name:
            return []
        number = weekday(one)
        if number is None and one not in _GROUPS:
            return []
        numbers += _GROUPS[one] if number is None else [number]
    return sorted(set(numbers))


def _weekly(numbers: list[int], interval: int = 1) -> _Rule:
    codes = ",".join(_CODES[n] for n in sorted(numbers))
    return _Rule(
        f"FREQ=WEEKLY{_interval(interval)};BYDAY={codes}", lambda d: d.weekday() in numbers
    )


def _interval(count: int) -> str:
    return f";INTERVAL={count}" if count > 1 else ""


def _ical(rule: _Rule, at: time | None, now: datetime) -> str:
    start = _start(rule, at, now)
    if at is None:
        return f"DTSTART;VALUE=DATE:{start:%Y%m%d}\nRRULE:{rule.parts}"
    return f"{_dtstart(datetime.combine(start, at, tzinfo=now.tzinfo))}\nRRULE:{rule.parts}"


def _start(rule: _Rule, at: time | None, now: datetime) -> date:
    """The first day that the rule falls on and whose time of day is still to come."""
    today = now.date()
    if rule.step and (at is None or rule.step[1] != "day"):
        return shifted(today, *rule.step)
    start = rule.first or today
    for ahead in range(_MOST_DAYS):
        when = start + timedelta(days=ahead)
        is_coming = when > today if at is None else datetime.combine(when, at) > now
        if is_coming and (rule.first or rule.falls_on(when)):
            return when
    return start


def _dtstart(start: datetime) -> str:
    zone = start.tzinfo
    if isinstance(zone, ZoneInfo) and zone.key not in (None, "UTC"):  # a system's has no name
        return f"DTSTART;TZID={zone.key}:{start:%Y%m%dT%H%M%S}"
    return f"DTSTART:{start.astimezone(UTC):%Y%m%dT%H%M%SZ}"
