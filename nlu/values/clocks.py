"""Times of day: "half past 6", "6 30 in evening", "quarter to", "2000 hours"."""

from __future__ import annotations

import re
from datetime import datetime, time, timedelta, tzinfo

HALF_DAY_MIN, DAY_MIN = 720, 1440
PARTS = {"morning": 8, "afternoon": 13, "evening": 18, "night": 20}
"""The hour that a part of the day stands for when no other is said."""

Times = list[tuple[time, float]]
"""Times of day with the likelihood of each, the best first."""

_HOUR = r"\d{1,2}(?: o'clock)?"
_CLOCK = re.compile(
    r"(?:(?P<named>noon|midday|midnight)|12 (?P<twelve>noon|midday|midnight)"
    r"|(?P<hour>\d{1,2})(?: o'clock)?(?: hours)?"
    r"|(?P<hour24>\d{1,2})(?:(?: point)? (?P<point>\d{2})| (?P<minute>\d{1,2}))"
    r"(?: (?P<second>\d{2}))?(?: hours)?"
    r"|(?P<zero>oh )?(?P<joined>\d{3,4})(?P<hours> hours)?"
    r"|(?P<offset>\d{1,2}|(?:a )?quarter|half)(?: minutes?)? (?P<side>past|after|to|before|till|of)"
    rf"(?: (?P<base>{_HOUR}|noon|midday|midnight))?"
    r"|half (?P<half>\d{1,2}))(?: sharp| exactly)?"
)
_DAY_PART = re.compile(
    r" ?\b(?P<part>(?:in )?(?:am|pm)|a|p|(?:in |this )(?:morning|afternoon|evening)|at night"
    r"|tonight)$"
)
_NAMED_MIN = {"midnight": 0, "noon": HALF_DAY_MIN, "midday": HALF_DAY_MIN}
_AWAKE_FROM, _AWAKE_UNTIL = 6 * 60, 23 * 60
_ODDS_OF_NEXT, _ODDS_AT_NIGHT, _ODDS_AT_DAWN = 3.0, 0.2, 0.7


def clock(text: str, after: datetime) -> time | None:
    """The time of day that "half past 6 in morning" or the next one that "6" means `after`."""
    return next((found for found, _ in times(text, after)), None)


def times(text: str, after: datetime) -> Times:
    """Every time of day that a phrase can mean; if its half of the day is not said, the next first.

    The other half is the likelier a rival the less the next one is a time when people are awake.
    """
    part = _DAY_PART.search(text)
    found = _CLOCK.fullmatch(text[: part.start()] if part else text)
    if found is None:
        return [(time(PARTS[n], tzinfo=after.tzinfo), 0.5) for n in _lone_part(text)]
    minutes = _minutes(found, after)
    if minutes is None:
        return []
    second = int(found["second"] or 0)
    halves = [(minutes, 1.0)]
    if not _fixed(found, minutes) or (part and minutes < 13 * 60 and not _name(found)):
        halves = _halves(minutes, part["part"] if part else "", after)
    return [(_time(m, second, after.tzinfo), likelihood) for m, likelihood in halves]


def part_of_day(text: str) -> str:
    """The part of the day that a phrase ends in: "evening" of "6 this evening"; "" for none."""
    found = _DAY_PART.search(text)
    return found["part"].rpartition(" ")[2].replace("tonight", "night") if found else ""


def _lone_part(text: str) -> list[str]:
    found = re.fullmatch(r"(?:in |this |at )?(morning|afternoon|evening|night)|tonight", text)
    return [found[1] or "night"] if found else []


def _time(minutes: int, second: int, zone: tzinfo | None) -> time:
    return time(minutes // 60 % 24, minutes % 60, second, tzinfo=zone)


def _name(found: re.Match[str]) -> str:
    """The name of the hour in the phrase, "" for an hour in figures."""
    base = found["base"] if found["base"] in _NAMED_MIN else None
    return found["named"] or found["twelve"] or base or ""


def _fixed(found: re.Match[str], minutes: int) -> bool:
    """Whether the half of the day is known from the figures alone."""
    if found["joined"]:
        is_24h = bool(found["zero"] or found["hours"]) or found["joined"][0] == "0"
        return is_24h or minutes >= 13 * 60
    if found["side"] and not found["base"]:
        return True
    said = next((found[g] for g in ("hour", "hour24", "base", "half") if found[g]), "")
    return bool(_name(found)) or said[:1] == "0" or minutes >= 13 * 60


def _minutes(found: re.Match[str], now: datetime) -> int | None:
    """Minutes from midnight as said, whichever half of the day is meant."""
    if found["side"]:
        return _beside(found, now)
    if name := _name(found):
        return _NAMED_MIN[name]
    if found["half"]:
        return int(found["half"]) * 60 + 30 if 1 <= int(found["half"]) <= 12 else None
    if found["joined"]:
        hour, minute = divmod(int(found["joined"]), 100)
    else:
        hour = int(found["hour"] or found["hour24"])
        minute = int(found["minute"] or found["point"] or 0)
    fits = hour <= 24 and minute < 60 and int(found["second"] or 0) < 60
    return hour * 60 + minute if fits and hour * 60 + minute <= DAY_MIN else None


def _beside(found: re.Match[str], now: datetime) -> int | None:
    """ "quarter to 8", "10 past", "half past noon"; without an hour, the next such minute."""
    offset = {"a quarter": 15, "quarter": 15, "half": 30}.get(found["offset"])
    offset = int(found["offset"]) if offset is None else offset
    offset = offset if found["side"] in ("past", "after") else -offset
    if abs(offset) >= 60:
        return None
    if found["base"] is None:
        next_min = now.hour * 60 + now.minute + 1
        return (next_min + (offset - next_min) % 60) % DAY_MIN
    base = _NAMED_MIN.get(found["base"])
    base = int(found["base"].split()[0]) * 60 if base is None else base
    return (base + offset) % DAY_MIN if base < DAY_MIN else None


def _halves(minutes: int, part: str, after: datetime) -> list[tuple[int, float]]:
    """A time of a twelve-hour clock in the half of the day that was said, else in both."""
    base = minutes % HALF_DAY_MIN
    if "night" in part:
        return [(base + HALF_DAY_MIN if base > 300 else base, 1.0)]
    if part.removeprefix("in ") in ("am", "a", "morning") or part == "this morning":
        return [(base, 1.0)]
    if part:
        return [(base + HALF_DAY_MIN, 1.0)]
    now = after.hour * 60 + after.minute
    first = next((m for m in (base, base + HALF_DAY_MIN) if m > now), base)
    other = (first + HALF_DAY_MIN) % DAY_MIN
    odds = _ODDS_OF_NEXT * _odds(first)
    likelihood = max(0.5, odds / (odds + _odds(other)))
    return [(first, likelihood), (other, 1 - likelihood)]


def _odds(minutes: int) -> float:
    """How likely people are to do something at a time of day."""
    if _AWAKE_FROM < minutes < _AWAKE_UNTIL:
        return 1.0
    return _ODDS_AT_DAWN if minutes in (_AWAKE_FROM, _AWAKE_UNTIL) else _ODDS_AT_NIGHT


def coming(found: time, now: datetime) -> datetime:
    """The next moment at a time of day."""
    moment = datetime.combine(now.date(), found, tzinfo=now.tzinfo)
    return moment + timedelta(days=moment <= now)
