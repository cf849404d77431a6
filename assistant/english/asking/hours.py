"""Hours of the day, as questions and documents name them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from assistant.english.numbers import FIGURES

DAY = 24 * 60
"""Minutes of a day."""
PARTS = {
    "morning": (4 * 60, 12 * 60),
    "breakfast": (5 * 60, 11 * 60),
    "noon": (11 * 60 + 30, 12 * 60 + 30),
    "midday": (11 * 60, 13 * 60 + 30),
    "lunchtime": (11 * 60, 14 * 60 + 30),
    "afternoon": (12 * 60, 18 * 60),
    "evening": (17 * 60, 22 * 60 + 30),
    "tonight": (17 * 60, DAY),
    "bedtime": (18 * 60, DAY),
    "night": (18 * 60, DAY),
}
"""Part of the day → the minutes of the day from which and up to which it lasts."""

NOW = re.compile(r"\b(?:now|at the moment|at present|currently)\b", re.IGNORECASE)
"""The present in a question."""
_HOURS = "|".join(
    [r"\d{1,2}", *(word for word, value in FIGURES.items() if value.isdigit() and int(value) <= 12)]
)
_PART = re.compile(rf"\b(?:in the |at |this )(?P<part>{'|'.join(PARTS)})\b|\b(?P<alone>tonight)\b")
_ASKED = re.compile(
    rf"\bat (?:(?P<half>half past|quarter past|quarter to) )?(?P<hour>{_HOURS})"
    r"(?:[:.](?P<minute>[0-5]\d))? ?(?P<clock>o['’ ]?clock|[ap]\.?m\b)?"
)
_TOLD = re.compile(
    r"(?<![\d.,£$€:])(?P<hour>\d{1,2})(?::(?P<minute>[0-5]\d))? ?(?P<half>[ap]\.?m\b)?"
)
_TO = re.compile(r" ?(?:to|till|until|[–-]) ?")
_AFTER_HOUR = re.compile(
    r"[ ?.!,]*(?:$|(?:in the|this|tonight|today|tomorrow|on) )|[ ?.!,]*(?:tonight|today|tomorrow)"
)
_SHIFT = {"half past": 30, "quarter past": 15, "quarter to": -15}

Span = tuple[int, int]
"""Minutes of the day from which and up to which something lasts, both included."""


def asked_hours(question: str) -> list[Span]:
    """The hours that a question names: "at eight" may be two, of the morning and the evening."""
    said = question.casefold()
    spans = []
    for found in _ASKED.finditer(said):
        if not (found["clock"] or found["minute"] or found["half"]) and not _ends(said, found):
            continue
        hour = int(FIGURES.get(found["hour"], found["hour"]))
        minute = int(found["minute"] or 0) + _SHIFT.get(found["half"] or "", 0)
        half = (found["clock"] or "")[:1]
        spans += [(at, at) for at in _minutes(hour, minute, half if half in "ap" else "")]
    parts = (found["part"] or found["alone"] for found in _PART.finditer(said))
    return spans or [PARTS[part] for part in parts]


def told_hours(text: str) -> list[Span]:
    """The hours of the day in a text: "8:00", "9 am to 5 pm"; a bare number is none."""
    told: list[Span] = []
    said, ends = text.casefold(), -1
    for found in _TOLD.finditer(said):
        if not (found["minute"] or found["half"]):
            continue
        hour, minute = int(found["hour"]), int(found["minute"] or 0)
        for at in list(_minutes(hour, minute, (found["half"] or "")[:1]))[:1]:
            if told and ends >= 0 and _TO.fullmatch(said, ends, found.start()):
                first = told.pop()[0]
                told.append((first, at if at >= first else at + DAY))
            else:
                told.append((at, at))
        ends = found.end()
    return told


def without_hours(question: str) -> str:
    """A question without the hours that it names."""
    return _PART.sub(" ", _ASKED.sub(" ", question.casefold()))


def _ends(said: str, found: re.Match[str]) -> bool:
    """Whether nothing follows that the number may count: "at 8", not "at 8 degrees"."""
    return _AFTER_HOUR.match(said, found.end()) is not None


def _minutes(hour: int, minute: int, half: str) -> Iterator[int]:
    """The minutes of the day that a time on the clock may mean, that of the morning first."""
    if hour > 24:
        return
    if half in ("a", "p"):
        yield ((hour % 12) + 12 * (half == "p")) * 60 + minute
        return
    yield hour * 60 + minute
    if not half and 0 < hour < 12:
        yield (hour + 12) * 60 + minute
