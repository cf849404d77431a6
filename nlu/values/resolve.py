"""Reads words as typed values, in the form of `messages.Slot`.

| kind        | value                                | "…"                     |
|-------------|--------------------------------------|-------------------------|
| duration    | seconds                              | 5400                    |
| time        | ISO 8601, with its offset            | 18:30:00+01:00          |
| date        | ISO 8601                             | 2026-05-03              |
| datetime    | ISO 8601, with its offset            | 2026-05-03T18:30:00+02:00 |
| period      | ISO 8601, start and end              | 2026-05-03T00:00:00+02:00/… |
| recurrence  | RFC 5545, start and rule             | DTSTART…⏎RRULE:FREQ=DAILY |
| number      | a number                             | 2.5                     |
| integer     | a whole number                       | 25                      |
| ordinal     | a place from 1, -1 for the last      | 3                       |
| percentage  | a share of a hundred                 | 50                      |
| temperature | degrees and scale                    | 21.5 °C                 |
| colour      | CSS name, hex, or kelvin of a white  | lightblue               |
| currency    | amount and ISO 4217 code             | 5.50 EUR                |
| quantity    | number and unit                      | 2.5 kg                  |
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timezone

from assistant.core.messages import SlotValue
from nlu.text.canonical import canonical
from nlu.values import quantities
from nlu.values.amounts import number
from nlu.values.clocks import coming, times
from nlu.values.colours import colour
from nlu.values.dates import days
from nlu.values.durations import duration
from nlu.values.moments import moments
from nlu.values.periods import periods
from nlu.values.quantities import integer
from nlu.values.recurrences import recurrences
from nlu.values.written import signs_as_words

__all__ = ["Resolution", "ValueReading", "duration", "resolve", "rivals", "value"]

_LONGEST = 120
"""Most characters of a phrase that is read; no value needs more."""
_NEAR_TIE = 0.4
"""Share of the best reading's likelihood from which asking about another reading is worthwhile."""
_MOST_FRAME = 4
_BEFORE = re.compile(
    r"(?:about|around|approximately|roughly|nearly|almost|exactly|precisely|maybe|perhaps|say|like"
    r"|just|only|for|at|by|to|until|till|before|from|starting|on|of) "
)
_AFTER = re.compile(
    r" (?:or so|or thereabouts|approximately|exactly|sharp|please|long|ish|from now on)$"
)
_RANGES = frozenset(("duration", "number", "integer", "percentage", "temperature"))
_RANGE = re.compile(
    r"(?:between (?P<low>.+?) and|(?:from )?(?P<start>.+?) (?:to|till)) (?P<high>.+)"
)

_Readings = list[tuple[SlotValue, float]]


@dataclass(frozen=True)
class ValueReading:
    """One value that words can mean; `likelihood` is from 0 to 1."""

    value: SlotValue
    likelihood: float


@dataclass(frozen=True)
class Resolution:
    """What words mean as a value of `kind`: the readings, the best first; () for no such value.

    `bounds` are the two ends when a range was said ("five to ten minutes"); they are also the
    readings.
    """

    kind: str
    readings: tuple[ValueReading, ...] = ()
    bounds: tuple[SlotValue, SlotValue] | None = None

    @property
    def value(self) -> SlotValue:
        """The best reading's value; None when there is none."""
        return self.readings[0].value if self.readings else None

    @property
    def rivals(self) -> tuple[SlotValue, ...]:
        """The values of rivals nearly as likely as the best, which are worth a question."""
        if not self.readings:
            return ()
        least = self.readings[0].likelihood * _NEAR_TIE
        return tuple(r.value for r in self.readings[1:] if r.likelihood >= least)


def resolve(text: str, kind: str, now: datetime) -> Resolution:
    """Read words, as spoken, written or canonical, as a value of `kind`.

    `now` is aware, and times are in its zone. Words around the value that do not change it
    ("about", "or so") are ignored. Any text is accepted; kinds whose values are names give none.
    """
    reader = _READERS.get(kind)
    if reader is None or len(text) > _LONGEST:
        return Resolution(kind)
    if kind == "colour" and text.strip().startswith("#"):
        return _resolution(kind, reader(text.strip().casefold(), now))
    words = canonical(signs_as_words(text)).text
    for _ in range(_MOST_FRAME):
        if found := reader(words, now):
            return _resolution(kind, found)
        if kind in _RANGES and (between := _range(words, kind, now)):
            return between
        shorter = _AFTER.sub("", _BEFORE.sub("", words, count=1) if _BEFORE.match(words) else words)
        if shorter == words:
            break
        words = shorter
    return Resolution(kind)


def value(text: str, kind: str, now: datetime) -> SlotValue:
    """The best value of canonical words that are a phrase of `kind` as a whole, else None."""
    reader = _READERS.get(kind)
    found = reader(text, now) if reader and len(text) <= _LONGEST else []
    return found[0][0] if found else None


def rivals(text: str, kind: str, now: datetime) -> tuple[SlotValue, ...]:
    """Other values that canonical words may mean, nearly as likely as their best `value`."""
    reader = _READERS.get(kind)
    found = reader(text, now) if reader and len(text) <= _LONGEST else []
    return _resolution(kind, found).rivals


def _resolution(kind: str, found: _Readings) -> Resolution:
    """Readings in their order, each value once; their likelihoods add up to at most 1."""
    total = max(1.0, sum(likelihood for _, likelihood in found))
    known: dict[SlotValue, float] = {}
    for one, likelihood in found:
        known.setdefault(one, likelihood / total)
    return Resolution(kind, tuple(ValueReading(one, likely) for one, likely in known.items()))


def _range(words: str, kind: str, now: datetime) -> Resolution | None:
    """ "5 to 10 minutes", "between 20 and 22": the low end takes its unit from the high one."""
    found = _RANGE.fullmatch(words)
    if found is None:
        return None
    low, high = found["low"] or found["start"], found["high"]
    unit = re.sub(r"^[\d .]*(?:and a half|point \d+)?", "", high)
    top = value(high, kind, now)
    bottom = value(f"{low} {unit}", kind, now) if unit else value(low, kind, now)
    bottom = value(low, kind, now) if bottom is None else bottom
    if top is None or bottom is None:
        return None
    return Resolution(kind, (ValueReading(bottom, 0.5), ValueReading(top, 0.5)), (bottom, top))


def _one(found: SlotValue) -> _Readings:
    return [] if found is None else [(found, 1.0)]


def _times(text: str, now: datetime) -> _Readings:
    """Times of day, each with the offset that holds when it next comes."""
    found = times(text.removeprefix("at "), now)
    if not found:
        ahead = text == "now" or text.startswith("in ") or text.endswith(" from now")
        found = [(m.timetz(), likely) for m, likely in moments(text, now)] if ahead else []
    readings: _Readings = []
    for at, likely in found:
        offset = coming(at, now).utcoffset()
        fixed = at.replace(tzinfo=timezone(offset) if offset is not None else None, fold=0)
        readings.append((fixed.isoformat(timespec="seconds"), likely))
    return readings


def _moments(text: str, now: datetime) -> _Readings:
    return [(m.isoformat(timespec="seconds"), likely) for m, likely in moments(text, now)]


def _money(text: str, now: datetime) -> _Readings:
    found = quantities.money(text)
    return [(price, 1 / len(found)) for price in found]


_READERS: dict[str, Callable[[str, datetime], _Readings]] = {
    "duration": lambda text, now: _one(duration(text)),
    "time": _times,
    "date": lambda text, now: [(d.isoformat(), likely) for d, likely in days(text, now)],
    "datetime": _moments,
    "period": lambda text, now: [(str(p), likely) for p, likely in periods(text, now)],
    "recurrence": lambda text, now: [*recurrences(text, now)],
    "number": lambda text, now: _one(number(text)),
    "integer": lambda text, now: _one(integer(text)),
    "ordinal": lambda text, now: _one(quantities.ordinal(text)),
    "percentage": lambda text, now: _one(quantities.percentage(text)),
    "temperature": lambda text, now: _one(quantities.temperature(text)),
    "colour": lambda text, now: _one(colour(text)),
    "currency": _money,
    "quantity": lambda text, now: _one(quantities.quantity(text)),
}
