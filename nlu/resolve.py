"""Canonical words to typed values: a duration in seconds, a time or a date in ISO 8601, a number.

Every function takes the whole phrase and gives None when it is none of its kind. Where people
leave out which half of the day they mean, a time is the next one to come.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, time, timedelta, timezone

from assistant.core.messages import SlotValue
from nlu.slots import MONTHS, ORDINALS, WEEKDAYS

_SECONDS = {
    "second": 1,
    "sec": 1,
    "minute": 60,
    "min": 60,
    "hour": 3600,
    "hr": 3600,
    "day": 86400,
    "week": 604800,
}
_NEXT_SMALLER = {86400: 3600, 3600: 60, 60: 1}
_LONGEST_DURATION_S = 100 * 365 * 86400

_HALF = r"half of a|half a|a half|1 half|half"
_QUARTERS = r"(?:(?:a |1 )?quarter|3 quarters)(?: of a)?"
_AMOUNT = re.compile(
    rf"(?:and )?(?:(?P<count>\d+)(?: point (?P<decimals>\d+)|(?P<plus> and (?:a |1 )?half))?"
    rf"|(?P<part>{_HALF}|{_QUARTERS})|(?P<couple>a couple(?: of)?)|a) "
    rf"(?P<unit>{'|'.join(_SECONDS)})s?\b"
    rf"(?: and (?P<more>(?:a |1 )?half|(?:a |1 )?quarter|3 quarters)\b(?! a\b| of\b| \w+s?\b))?"
)
_BARE = re.compile(r"(?:and )?(\d+)")
_CLOCK = re.compile(
    r"(?P<hour>\d{1,2})(?: o'clock)?|(?P<hour24>\d{1,2}) (?P<minute>\d{1,2})"
    r"|(?P<offset>\d{1,2}|(?:a )?quarter|half)(?: minutes?)? (?P<side>past|after|to|before|till|of)"
    r" (?P<base>\d{1,2})|half (?P<half>\d{1,2})|(?P<named>noon|midday|midnight)"
)
_DAY_PART = re.compile(
    r" ?\b(?P<part>am|pm|(?:in |this )(?:morning|afternoon|evening)|at night|tonight)$"
)


def value(text: str, kind: str, now: datetime) -> SlotValue:
    """Read a phrase as a value of `kind`, as `messages.Slot` holds it; None when it is none.

    `now` is aware; times are in its zone. Kinds whose values are names have none here.
    """
    reader = _READERS.get(kind)
    return reader(text, now) if reader else None


def duration(text: str) -> int | float | None:
    """Seconds of "1 hour and 20 minutes", "half a hour", "2 and a half minutes", "1 hour 20".

    The units come in falling order.
    """
    total, at, unit = 0.0, 0, 2 * _SECONDS["week"]
    while at < len(text):
        if (amount := _AMOUNT.match(text, at)) and _SECONDS[amount["unit"]] < unit:
            unit = _SECONDS[amount["unit"]]
            total += (_count(amount) + _part(amount["more"])) * unit
        elif (amount := _BARE.fullmatch(text, at)) and unit in _NEXT_SMALLER:
            total += int(amount[1]) * _NEXT_SMALLER[unit]
        else:
            return None
        at = amount.end() + 1
        if total > _LONGEST_DURATION_S:
            return None
    total = round(total, 3)
    return (int(total) if total == int(total) else total) if text and total > 0 else None


def number(text: str) -> int | float | None:
    """A number with an optional "minus", "point" or "and a half"."""
    found = re.fullmatch(r"(minus )?(\d+)(?: point (\d+)| and (?:a |1 )?(half))?", text)
    if found is None:
        return 0.5 if text in ("half", "a half") else None
    size = float(f"{found[2]}.{found[3] or 0}") + (0.5 if found[4] else 0)
    size = -size if found[1] else size
    return int(size) if size == int(size) else size


def integer(text: str) -> int | None:
    """A whole number, or a share of a hundred: "25", "25 percent", "half", "maximum"."""
    shares = {"half": 50, "a half": 50, "quarter": 25, "a quarter": 25, "3 quarters": 75}
    shares |= {"full": 100, "maximum": 100, "minimum": 0}
    found = re.fullmatch(r"(minus )?(\d+)(?: percent)?", text)
    if found is None:
        return shares.get(text)
    return -int(found[2]) if found[1] else int(found[2])


def clock(text: str, after: datetime) -> time | None:
    """The time of day that "half past 6 in morning" or the next one that "6" means `after`."""
    part = _DAY_PART.search(text)
    found = _CLOCK.fullmatch(text[: part.start()] if part else text)
    if found is None:
        return None
    minutes = _minutes(found)
    if minutes is None:
        return None
    hour_said = next((found[g] for g in ("hour", "hour24", "base", "half") if found[g]), "")
    fixed = found["named"] or hour_said in ("0", "00") or minutes >= 13 * 60
    if not fixed or (part and minutes < 13 * 60 and not found["named"]):
        minutes = _in_half(minutes, part["part"] if part else "", after)
    return time(minutes // 60 % 24, minutes % 60, tzinfo=after.tzinfo)


def day(text: str, now: datetime) -> date | None:
    """The date of "tomorrow", "next friday", "3 of may", "in 2 weeks"; the next one to come."""
    today = now.date()
    words = text.removeprefix("on ")
    named = {"today": 0, "tonight": 0, "tomorrow": 1, "yesterday": -1, "day after tomorrow": 2}
    if words in named:
        return today + timedelta(days=named[words])
    if words.startswith("in "):
        seconds = duration(words[3:])
        return None if seconds is None else today + timedelta(days=round(seconds / 86400))
    which, _, weekday = words.rpartition(" ")
    if weekday in WEEKDAYS and which in ("", "this", "next"):
        ahead = (WEEKDAYS.index(weekday) - today.weekday()) % 7
        if which == "next":  # the one in the week after this
            ahead = 7 - today.weekday() + WEEKDAYS.index(weekday)
        return today + timedelta(days=ahead or (0 if which == "this" else 7))
    return _month_day(words, today)


def moment(text: str, now: datetime) -> datetime | None:
    """The moment of "tomorrow at 6 30", "at 7 pm on friday", "in 10 minutes", "half past 6".

    On a day to come an hour of 1 to 5 without its half of the day is an afternoon's, 6 to 11 a
    morning's.
    """
    if text.startswith("in ") and (seconds := duration(text[3:])) is not None:
        return (now.astimezone(UTC) + timedelta(seconds=seconds)).astimezone(now.tzinfo)
    words = re.sub(
        r"\b(tomorrow|\w+day) (morning|afternoon|evening|night)\b(?: at)? ?(.*)$",
        lambda m: f"{m[1]} {m[3]} " + ("at night" if m[2] == "night" else f"in {m[2]}"),
        text,
    )
    for on, at in _splits(words.split()):
        if on == "":
            if found := clock(at, now):
                moment_today = datetime.combine(now.date(), found)
                return moment_today + timedelta(days=moment_today <= now)
        elif (when := day(on, now)) is not None:
            reference = now
            if when != now.date():
                reference = datetime.combine(when, time(5, 59), tzinfo=now.tzinfo)
            if found := clock(at, reference):
                return datetime.combine(when, found)
    return None


def _splits(words: list[str]) -> list[tuple[str, str]]:
    """Every way to take a phrase for a day and a time of day, in either order."""
    whole = [("", " ".join(words).removeprefix("at "))]
    for cut in range(1, len(words)):
        left, right = " ".join(words[:cut]), " ".join(words[cut:])
        whole.append((left.removesuffix(" at"), right.removeprefix("at ")))
        whole.append((right, left.removeprefix("at ")))
    return whole


def _count(amount: re.Match[str]) -> float:
    if amount["count"]:
        whole = float(f"{amount['count']}.{amount['decimals'] or 0}")
        return whole + (0.5 if amount["plus"] else 0)
    if amount["couple"]:
        return 2
    return _part(amount["part"]) if amount["part"] else 1


def _part(words: str | None) -> float:
    if not words:
        return 0
    return 0.5 if "half" in words else 0.75 if words.startswith("3") else 0.25


def _minutes(found: re.Match[str]) -> int | None:
    """Minutes from midnight as said, before the half of the day is known."""
    if found["named"]:
        return 0 if found["named"] == "midnight" else 720
    if found["half"]:
        return int(found["half"]) * 60 + 30 if 1 <= int(found["half"]) <= 12 else None
    if found["side"]:
        offset = {"a quarter": 15, "quarter": 15, "half": 30}.get(found["offset"])
        offset = int(found["offset"]) if offset is None else offset
        base = int(found["base"]) * 60
        after = found["side"] in ("past", "after")
        minutes = base + offset if after else (base - offset) % (24 * 60)
        return minutes if offset < 60 and base < 24 * 60 else None
    hour, minute = int(found["hour"] or found["hour24"]), int(found["minute"] or 0)
    return hour * 60 + minute if hour <= 24 and minute < 60 and hour * 60 + minute <= 1440 else None


def _in_half(minutes: int, part: str, after: datetime) -> int:
    """Put a time of a twelve-hour clock into the half of the day that was said or comes next."""
    base = minutes % 720
    if "night" in part:
        return base + 720 if base > 300 else base
    if part == "am" or "morning" in part:
        return base
    if part:
        return base + 720
    now = after.hour * 60 + after.minute + (1 if after.second or after.microsecond else 0)
    return next((m for m in (base, base + 720) if m > now), base)


def _month_day(words: str, today: date) -> date | None:
    spoken = words.replace(" of ", " ").split()
    month = next((m for m in MONTHS if m in (spoken[:1] + spoken[-1:])), None)
    if month is None:
        return None
    spoken.remove(month)
    number_of_day = _ordinal(" ".join(spoken))
    for year in range(today.year, today.year + 9):  # to the next 29 February
        try:
            found = date(year, MONTHS.index(month) + 1, number_of_day)
        except ValueError:
            continue
        if found >= today:
            return found
    return None


def _ordinal(words: str) -> int:
    """The number of "3", "3rd", "third", "20 first", "thirtieth"; 0 for anything else."""
    if found := re.fullmatch(r"(\d{1,2}) ?(?:st|nd|rd|th)?", words):
        return int(found[1])
    tens, _, last = words.rpartition(" ")
    if last == "thirtieth":
        return 30
    ones = ORDINALS.index(last) + 1 if last in ORDINALS else 0
    return ones + int(tens) if ones and tens in ("20", "30") else 0 if tens else ones


def _iso(found: date | time | None) -> str | None:
    return None if found is None else found.isoformat()


_READERS: dict[str, Callable[[str, datetime], SlotValue]] = {
    "duration": lambda text, now: duration(text),
    "number": lambda text, now: number(text),
    "integer": lambda text, now: integer(text),
    "percentage": lambda text, now: integer(text),
    "date": lambda text, now: _iso(day(text, now)),
    "datetime": lambda text, now: _iso(moment(text, now)),
    "time": lambda text, now: _iso(_timed(text, now)),
}


def _timed(text: str, now: datetime) -> time | None:
    """A time of day, with the offset that holds when it next comes."""
    found = clock(text.removeprefix("at "), now)
    if found is None:
        return None
    coming = datetime.combine(now.date(), found)
    coming += timedelta(days=coming <= now)
    offset = coming.utcoffset()
    return found.replace(tzinfo=timezone(offset) if offset is not None else None)
