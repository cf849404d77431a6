"""Months, days of the week, and the dates that are made of them."""

from __future__ import annotations

import re
from calendar import monthrange
from datetime import date, timedelta

from assistant.english.lists import word_list

MONTHS = word_list(
    "january february march april may june july august september october november december"
)
WEEKDAYS = word_list("monday tuesday wednesday thursday friday saturday sunday")

MONTH_NUMBERS = {name: number for number, name in enumerate(MONTHS, start=1)} | {"sept": 9}
MONTH_NUMBERS |= {name[:3]: number for name, number in MONTH_NUMBERS.items()}
"""Month or its abbreviation → 1 to 12."""
WEEKDAY_NUMBERS = {name: number for number, name in enumerate(WEEKDAYS)}
WEEKDAY_NUMBERS |= {name[:3]: number for name, number in WEEKDAY_NUMBERS.items()}
WEEKDAY_NUMBERS |= {"tues": 1, "thur": 3, "thurs": 3}
"""Day of the week or its abbreviation → 0 to 6."""

_MONTH, _DAY = "|".join(MONTHS), r"\d{1,2}(?:st|nd|rd|th)?"
_ANY_MONTH = rf"(?:{_MONTH}|sept|{'|'.join(name[:3] for name in MONTHS)})\b\.?"
_ANY_WEEKDAY = rf"(?:{'|'.join((*WEEKDAYS, *(name[:3] for name in WEEKDAYS)))})\b\.?"
ENTRY_DAY = re.compile(
    rf"(?:{_ANY_WEEKDAY},? )?(?:the )?"
    rf"(?:{_DAY} (?:of )?{_ANY_MONTH}|{_ANY_MONTH} {_DAY}|\d{{4}}-\d\d-\d\d"
    r"|\d{1,2}[./]\d{1,2}[./](?:\d{4}|\d\d))"
    r"(?:,? (?:19|20)\d\d)?(?=[\s,:;.–—-])",
    re.IGNORECASE,
)
"""The day with which an entry of a diary or a log begins."""
_LASTING = r"(?:week|day|hour|minute|second)s?\b"
_VALUE = re.compile(
    rf"\b(?:(?:(?:{'|'.join(WEEKDAYS)}),? )?"
    rf"(?:(?:{_MONTH}) {_DAY}|{_DAY} (?:{_MONTH}))(?:,? \d{{4}})?"
    rf"|{_LASTING}(?:, \w+ {_LASTING})* and \w+ {_LASTING}"
    rf"|{_LASTING} and an? (?:half|quarter)|\w+ and an? (?:half|quarter) {_LASTING})\b",
    re.IGNORECASE,
)
_FIGURE = r"[£$€]?\d[\d.,:]*(?: ?(?:am|pm|[a-z°%]{1,9}(?= (?:and|to|until)\b)))?"
_INTERVAL = re.compile(
    rf"\b(?:between|from) (?:the )?{_FIGURE} (?:and|to|until|till) (?:the )?{_FIGURE}(?: [a-z]+\b)?"
    rf"|{_FIGURE} (?:and|to|until|or) {_FIGURE}(?: [a-z]+\b)?",
    re.IGNORECASE,
)
_NAME = r"(?:\d+[a-z]? )?[A-Z][\w'’]*(?: [A-Z0-9][\w'’]*)*"
_ADDRESS = re.compile(rf"\b{_NAME}(?:, {_NAME})+")

_AHEAD = {"today": 0, "tonight": 0, "tomorrow": 1, "yesterday": -1}
CALENDAR_DAY = re.compile(
    rf"\b(?P<day>{_DAY})(?: of)? (?P<month>{_ANY_MONTH})"
    rf"|\b(?P<first>{_ANY_MONTH}) (?P<then>{_DAY})\b"
    r"|\b\d{4}-(?P<number>\d\d)-(?P<last>\d\d)\b",
    re.IGNORECASE,
)
"""A day of a month, whatever its year: "10 December", "Dec 10th", "2026-12-10"."""
_NAMED_DAY = "|".join(
    form(name) for name in (*WEEKDAYS, *WEEKDAY_NUMBERS) for form in (str.capitalize, str.upper)
)
WEEKDAY_SPAN = re.compile(
    rf"\b(?P<first>{_NAMED_DAY})[sS]?\b\.?"
    rf"(?:(?: (?:to|until) |[–-])(?P<last>{_NAMED_DAY})[sS]?\b)?"
)
"""A day of the week, or the days from one to another."""

_MONTH_ALONE = re.compile(rf"(?P<month>{_ANY_MONTH})(?: (?P<year>(?:19|20)\d\d))?", re.IGNORECASE)
_DAY_OF_MONTH = re.compile(
    rf"(?:{_ANY_WEEKDAY},? (?:the )?{_DAY}(?=[\s,:;.–—-])|{_DAY}(?=: ))", re.IGNORECASE
)
SERIES_SPAN = re.compile(
    rf", (?:\w+ times? )?from (?:{_MONTH}) \d{{1,2}}, \d{{4}}(?: (?:on|until .*))?\.?$",
    re.IGNORECASE,
)
"""The end of a sentence about a repeating event: from when to when it repeats."""
RELATIVE_DAY = re.compile(rf"\b(?:{'|'.join(_AHEAD)})\b", re.IGNORECASE)
"""A day that only the day of writing tells."""


def with_days(text: str, written: date) -> str:
    """`text` with the days in place of "today" and "tomorrow", as it was `written` on a day."""

    def told(found: re.Match[str]) -> str:
        word = found[0].casefold()
        day = written + timedelta(days=_AHEAD[word])
        on = "on the night of" if word == "tonight" else "on"
        on = on.capitalize() if found[0][0].isupper() else on
        return f"{on} {weekday_name(day)}, {month_and_day(day)}"

    return RELATIVE_DAY.sub(told, text)


def days_in(text: str) -> set[tuple[int, int]]:
    """The days of the year that a text names, as months and days."""
    found = set()
    for day in CALENDAR_DAY.finditer(text):
        month = day["month"] or day["first"]
        number = int(day["number"]) if day["number"] else MONTH_NUMBERS[month.lower().rstrip(".")]
        digits = re.match(r"\d+", day["day"] or day["then"] or day["last"])
        found.add((number, int(digits[0]) if digits else 0))
    return found


def under_month(text: str, heading: str) -> str:
    """A row that begins with a day, with the month that stands above it: "Wed 3 March: …"."""
    month, day = _MONTH_ALONE.fullmatch(heading), _DAY_OF_MONTH.match(text)
    if month is None or day is None or CALENDAR_DAY.search(text):
        return text
    return f"{day.group()} {heading}{text[day.end() :]}"


def first_day(text: str, today: date) -> date | None:
    """The day with which an entry begins; one without a year is of the year nearest to `today`."""
    found = ENTRY_DAY.match(text)
    told = days_in(found.group()) if found else set()
    if found is None or len(told) != 1:
        return None
    ((month, day),) = told
    named = re.search(r"\b(?:19|20)\d\d\b", found.group())
    years = [int(named.group())] if named else [today.year + on for on in (-1, 0, 1)]
    days = [date(year, month, day) for year in years if _exists(year, month, day)]
    return min(days, key=lambda one: abs(one - today), default=None)


def _exists(year: int, month: int, day: int) -> bool:
    return 1 <= day <= monthrange(year, month)[1]


def weekdays_in(text: str) -> set[int]:
    """The days of the week that a text names, 0 for Monday; "Monday to Thursday" names four."""
    found: set[int] = set()
    for span in WEEKDAY_SPAN.finditer(CALENDAR_DAY.sub("", text)):
        first, last = (
            WEEKDAY_NUMBERS[(name or span["first"]).lower()]
            for name in (span["first"], span["last"])
        )
        found |= {(first + on) % 7 for on in range((last - first) % 7 + 1)}
    return found


def within_value(text: str, place: int) -> bool:
    """Whether a character stands in a date, a duration, an interval or an address, after its first.

    Such as "Tuesday, March 2, 2027", "hour and 30 minutes", "between 9 am and 11:30" and
    "4 Quay Lane, Porthwen".
    """
    patterns = (_VALUE, _INTERVAL, _ADDRESS)
    found = (value for pattern in patterns for value in pattern.finditer(text))
    return any(value.start() < place < value.end() for value in found)


def month_name(number: int) -> str:
    """ "January" for 1."""
    return MONTHS[number - 1].capitalize()


def weekday_name(day: date) -> str:
    """ "Monday", …"""
    return WEEKDAYS[day.weekday()].capitalize()


def month_and_day(day: date) -> str:
    """ "March 2"."""
    return f"{month_name(day.month)} {day.day}"


def full_date(day: date) -> str:
    """ "March 2, 2027"."""
    return f"{month_and_day(day)}, {day.year}"
