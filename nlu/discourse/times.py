"""Reads what a text says when something is to be done.

    at, in      "at sunset", "tomorrow morning", "in ten minutes"
    for, until  "for half an hour", "until ten"
    every       "every weekday at seven"
    both        "at seven for an hour", "from seven to nine"

What only names an event ("when I get home") is told from what is no time at all.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from functools import lru_cache

import msgspec

from assistant.core.messages import Period, SunEvent, When
from assistant.core.parts import WhenKind
from assistant.english.commands import modifiers
from assistant.english.commands.words import AUXILIARIES, SUBJECTS
from assistant.english.negation import CONDITION
from assistant.skill import Recurrence
from nlu.text.canonical import Canonical, canonical
from nlu.values import resolve

_REMEMBERED = 256
_TIME_OF_DAY = len("2026-11-23")
"""Where the time begins in an ISO 8601 text."""
_FEWEST_OF_CLAUSE = 2
"""Words that are too few for a clause behind "after" or "until"."""


def together(one: When, other: When, now: datetime) -> When | None:
    """A beginning and how long it then holds, in either order, as one; None for anything else.

    What "until nine" means is told from the beginning on.
    """
    begin, last = (one, other) if other.lasts else (other, one)
    if not (begin.begins and last.lasts) or begin.lasting is not None:
        return None
    if last.kind == "until":
        last = when(canonical(last.said), _start(begin, now)) or last
    return msgspec.structs.replace(begin, lasting=last)


def retimed(before: When | None, said: When, now: datetime) -> When:
    """What is said of when, in place of as much of what was said before: "no, at eight"."""
    if before is None or said.lasting is not None:
        return said
    begin = msgspec.structs.replace(before, lasting=None)
    last = before.lasting or before
    return together(begin, said, now) or together(last, said, now) or said


def _start(begin: When, now: datetime) -> datetime:
    """When something begins, as far as a text alone tells it; else now."""
    if begin.sun is not None:
        return now
    if begin.kind == "in":
        return now + timedelta(seconds=float(begin.value or 0))
    if begin.kind == "every":
        first = Recurrence.read(str(begin.value)).start
    else:
        text = str(begin.value)
        first = Period.read(text).since if "/" in text else datetime.fromisoformat(text)
    return first if isinstance(first, datetime) and first.tzinfo else now


def when(said: Canonical, now: datetime) -> When | None:
    """What a text says when something is to be done, as a whole; None where it says none."""
    text, words = said.text, tuple(token.text for token in said.tokens)
    if not words or words in modifiers.NO_TIMES:
        return None
    if words in modifiers.TODAY:
        return _later_today(said, now)
    ends = words[-1] in modifiers.TIME_ENDINGS or words[-1] in modifiers.SUN
    counted = words[0].isdecimal() and ends
    asks = words[0] == "when" and words[1:2] and words[1] in modifiers.ASKED_WITH
    if asks or not (counted or words[0] in modifiers.TIME_BEGINNINGS):
        return None
    spoken = said.spoken(0, len(text))
    both = _from_to(words, spoken, now)
    if both is not None or (words[0] in modifiers.RANGES and words[1:2] and words[1].isdecimal()):
        return both  # "from 19 to 21" is no time of 19 to 9
    if words in modifiers.LATER:
        return When(kind="later", said=spoken)
    if words in modifiers.GRADUALLY:
        return When(kind="over", said=spoken)
    if words[0] in modifiers.WHEN and (event := modifiers.SUN_CLAUSES.get(words[1:])):
        kind: WhenKind = "until" if words[0] in modifiers.UNTIL else "at"
        return When(kind=kind, said=spoken, sun=SunEvent(event=event))
    if found := _first_value(words, now):
        kind, value, sun = found
        return When(kind=kind, said=spoken, value=value, sun=sun)
    conditional = len(words) > 2 and (CONDITION.match(text) or words[:2] == ("every", "time"))
    if conditional or _is_clause_of_time(words):
        return When(kind="event", said=spoken)
    return None


def _from_to(words: tuple[str, ...], spoken: str, now: datetime) -> When | None:
    """A beginning and an end by the clock: "from 7 to 9 tomorrow"; None for anything else."""
    since = next((at for at, word in enumerate(words) if word in modifiers.RANGES), len(words))
    links = modifiers.RANGES[words[since]] if since < len(words) else frozenset()
    for at in (at for at, word in enumerate(words) if word in links and at > since):
        begin, end = words[since + 1 : at], words[at + 1 :]
        for kind, (first, last) in _beginnings(words[:since], begin, end, now):
            lasting = When(kind="until", said="", value=last)
            return When(kind=kind, said=spoken, value=first, lasting=lasting)
    return None


def _beginnings(
    days: tuple[str, ...], begin: tuple[str, ...], end: tuple[str, ...], now: datetime
) -> Iterator[tuple[WhenKind, tuple[str, str]]]:
    """The likeliest first: a recurrence, or one time where no days stand before it."""
    for one in _recurring(days, begin, end, now):
        yield "every", one
    for one in _ranges(begin, end, now) if not days else ():
        yield "at", one


def _recurring(
    days: tuple[str, ...], begin: tuple[str, ...], end: tuple[str, ...], now: datetime
) -> Iterator[tuple[str, str]]:
    """A recurrence from a beginning on, and its first end; `days` stand before or behind both."""
    parted = [(days, end)] if days else [(end[at:], end[:at]) for at in range(1, len(end))]
    for every, until in parted:
        if modifiers.RECURRING.isdisjoint(every):
            continue
        value = resolve.value(" ".join((*every, "at", *begin)), "recurrence", now)
        start = Recurrence.read(str(value)).start if value else None
        if isinstance(start, datetime) and (last := _clock("until", until, start)):
            yield str(value), last


def _ranges(
    begin: tuple[str, ...], end: tuple[str, ...], now: datetime
) -> Iterator[tuple[str, str]]:
    """The times of a beginning and an end, first with the day that the end tells for both.

    "From ten to six in the morning" begins in the evening: what is told for both must leave the
    end at its time of day.
    """
    alone = _clock("until", end, now)
    for at in range(1, len(end)) if alone else ():
        if end[at] not in modifiers.DAY_BEGINNINGS:
            continue
        if first := _clock("at", (*begin, *end[at:]), now):
            last = _clock("until", end[:at], datetime.fromisoformat(first))
            if last and alone and last[_TIME_OF_DAY:] == alone[_TIME_OF_DAY:]:
                yield first, last
    first = _clock("at", begin, now)
    last = _clock("until", end, datetime.fromisoformat(first)) if first else None
    if first and last:
        yield first, last


def _clock(link: str, words: tuple[str, ...], now: datetime) -> str | None:
    """The date and time that words behind "at" or "until" tell; None for a day or part of one."""
    found = _first_value((link, *words), now) if words else None
    value = found[1] if found is not None and found[0] == link else None
    return value if isinstance(value, str) and "T" in value and "/" not in value else None


def _later_today(said: Canonical, now: datetime) -> When | None:
    """A part of this day that is still to come; None for one that delays nothing."""
    value = resolve.value(said.text, "period", now)
    if not value or Period.read(str(value)).since <= now:
        return None
    return When(kind="at", said=said.spoken(0, len(said.text)), value=value)


def _is_clause_of_time(words: tuple[str, ...]) -> bool:
    """Whether words tell a time by what then happens: "after the kids are in bed"."""
    if words[0] not in modifiers.BEFORE_CLAUSES or len(words) <= _FEWEST_OF_CLAUSE:
        return False
    return words[1] in SUBJECTS or not AUXILIARIES.isdisjoint(words[2:5])


_Value = tuple[WhenKind, str | float | None, SunEvent | None]


@lru_cache(maxsize=_REMEMBERED)
def _first_value(words: tuple[str, ...], now: datetime) -> _Value | None:
    if (sun := _by_the_sun(words, now)) is not None:
        return sun
    return next(((kind, value, None) for kind, value in _values(words, now)), None)


def _by_the_sun(words: tuple[str, ...], now: datetime) -> _Value | None:
    """A time that the sun tells, with its day: "10 minutes before sunset every day"."""
    at = next((at for at, word in enumerate(words) if word in modifiers.SUN), 0)
    if not at:
        return None
    event, link = modifiers.SUN[words[at]], words[at - 1]
    begin, offset_s = (at - 1 if link in modifiers.AT_TIME else at), 0.0
    for start in range(at - 1) if link in modifiers.BEFORE_OR_AFTER else ():
        if seconds := resolve.duration(" ".join(words[start : at - 1])):
            begin, offset_s = start, seconds if link == "after" else -seconds
            break
    sun = SunEvent(event=event, offset_s=offset_s)
    day = " ".join((*words[:begin], *words[at + 1 :]))
    if not day:
        return "until" if link in modifiers.UNTIL else "at", None, sun
    if value := resolve.value("every day" if day == "every" else day, "recurrence", now):
        return "every", str(value), sun
    value = resolve.value(day, "date", now)
    return ("at", str(value), sun) if value else None


def _values(words: tuple[str, ...], now: datetime) -> Iterator[tuple[WhenKind, str | float | None]]:
    text, first, rest = " ".join(words), words[0], " ".join(words[1:])
    if first == "at" and rest.isdecimal() and int(rest) in modifiers.NO_HOURS:
        return
    seconds = resolve.duration(rest)
    if first in modifiers.FOR and seconds is not None:
        yield "for", seconds
    if first in modifiers.OVER and seconds is not None:
        yield "over", seconds
    if first == "in" and rest.isdecimal():
        seconds = resolve.duration(f"{rest} minutes")
    if first == "in" and seconds is not None:
        yield "in", seconds
    for ending in (" from now", " later"):
        if text.endswith(ending) and (after := resolve.duration(text.removesuffix(ending))):
            yield "in", after
    if value := resolve.value(text, "recurrence", now):
        yield "every", str(value)
    if first in modifiers.AT_TIME and rest:
        kind: WhenKind = "until" if first in modifiers.UNTIL else "at"
        for sort in ("datetime", "time", "date"):
            if value := resolve.value(rest, sort, now):
                yield kind, str(value)
        if len(words) < 6 and words[-1] in modifiers.EVENTS:
            yield "event", None
    for sort in ("datetime", "date", "period"):
        bare = words[0].isdecimal() or resolve.duration(text) is not None
        if not bare and (value := resolve.value(text, sort, now)):
            yield "at", str(value)
