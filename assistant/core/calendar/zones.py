"""The time zones that a calendar of others names or defines, at a cost that is bounded.

icalendar looks each name up as that of a file, then as that of a package in a package, once for
every part of the name; it keeps what a calendar defines for all that are read later, and what a
definition's rules give is counted from their first year on each time that a clock is read.
"""

from __future__ import annotations

import errno
import os
import re
from datetime import date, tzinfo
from typing import Any

from icalendar import Timezone
from icalendar.prop import vRecur
from icalendar.timezone import tzp
from icalendar.timezone.zoneinfo import ZONEINFO

LONGEST_NAME = 255
"""Most characters of a zone's name, as of a file's."""
MOST_YEARS = 8_000
"""Most years through which the rules of one calendar's zones go, from their starts on; two rules
since 1601 are 850."""
UNTIL_YEAR = 2_100
_PARTS = {
    "FREQ": re.compile("YEARLY"),
    "UNTIL": re.compile(r"\w+"),
    "COUNT": re.compile(r"\d+"),
    "INTERVAL": re.compile(r"[1-9]\d?"),
    "WKST": re.compile("[A-Z]{2}"),
    "BYMONTH": re.compile(r"\d+"),
    "BYDAY": re.compile(r"(-?[1-5])?[A-Z]{2}"),
    "BYMONTHDAY": re.compile(r"([1-9]|1\d|2[0-8])(,[1-3]?\d){0,6}"),
    "BYHOUR": re.compile(r"\d+"),
    "BYMINUTE": re.compile(r"\d+"),
    "BYSECOND": re.compile(r"\d+"),
}
"""Parts of a rule that gives a few days in each year; the Sunday after the 8th is written with
seven days of the month."""


def forget_zones() -> None:
    """Forget the zones of the calendars that were read, so that none counts for the next one."""
    tzp.use(_Zones())


class _Zones(ZONEINFO):
    """The zones of this machine, and those that one calendar defines."""

    def __init__(self) -> None:
        self._years_left = MOST_YEARS

    def timezone(self, name: str) -> tzinfo | None:
        """The zone of this name, None for an unknown one; raises `OSError` for a name too long."""
        if len(name) > LONGEST_NAME:
            raise OSError(errno.ENAMETOOLONG, os.strerror(errno.ENAMETOOLONG))
        return super().timezone(name) if self.knows_timezone_id(name) else None

    def create_timezone(self, tz: Timezone) -> Any:  # type: ignore[override]
        """The zone that a calendar defines, None for one whose rules cost too much to follow."""
        for part in tz.walk():
            rules, start = part.get("RRULE", []), getattr(part.get("DTSTART"), "dt", None)
            for rule in rules if isinstance(rules, list) else [rules]:
                if not isinstance(start, date) or not _is_yearly(rule):
                    return None
                self._years_left -= max(0, UNTIL_YEAR - start.year)
        if self._years_left < 0:
            return None
        return super().create_timezone(tz)


def _is_yearly(rule: Any) -> bool:
    if not isinstance(rule, vRecur):
        return False
    told = (part.partition("=") for part in str(rule.to_ical(), "utf-8", "replace").split(";"))
    parts = {name.upper(): value for name, _, value in told}
    fits = all(n in _PARTS and _PARTS[n].fullmatch(value) for n, value in parts.items())
    numbered = "BYMONTHDAY" in parts and any(c.isdigit() for c in parts.get("BYDAY", ""))
    return fits and "FREQ" in parts and not numbered
