"""The time zones that a calendar names and defines cost little, and count for it alone."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from icalendar import Calendar

from assistant.core.calendar.zones import MOST_YEARS, forget_zones
from tests.support.effort import cpu_s

SUMMER = "FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3"
PARTS = (
    "BEGIN:STANDARD\r\nDTSTART:{year}1025T030000\r\nTZOFFSETFROM:+0700\r\nTZOFFSETTO:+0600\r\n"
    "RRULE:{rule}\r\nEND:STANDARD\r\n"
)


def zone(name: str, rule: str, year: int = 1996) -> str:
    part = PARTS.format(rule=rule, year=year)
    return f"BEGIN:VTIMEZONE\r\nTZID:{name}\r\n{part}END:VTIMEZONE\r\n"


def starts_of(*zones: str, named: str = "Ours", times: int = 1) -> list[Any]:
    event = f"BEGIN:VEVENT\r\nDTSTART;TZID={named}:20261130T100000\r\nEND:VEVENT\r\n"
    text = f"BEGIN:VCALENDAR\r\n{''.join(zones)}{event * times}END:VCALENDAR\r\n"
    forget_zones()
    return [one["DTSTART"].dt for one in Calendar.from_ical(text).walk("VEVENT")]


@pytest.mark.parametrize(
    "rule",
    [
        SUMMER,
        "FREQ=YEARLY;UNTIL=20300101T000000Z;BYDAY=SU;BYMONTHDAY=8,9,10,11,12,13,14;BYMONTH=3",
        "FREQ=YEARLY;INTERVAL=1;BYMINUTE=0;BYHOUR=2;BYDAY=1SU;BYMONTH=10",
    ],
)
def test_a_zone_that_a_calendar_defines_is_that_of_its_events(rule: str) -> None:
    (start,) = starts_of(zone("Ours", rule))
    assert start.astimezone(UTC) == datetime(2026, 11, 30, 4, tzinfo=UTC)


@pytest.mark.parametrize(
    "rule",
    [
        "FREQ=SECONDLY",
        "FREQ=DAILY",
        "FREQ=YEARLY;INTERVAL=0",
        "FREQ=YEARLY;BYDAY=MO,TU,WE,TH,FR,SA,SU;BYMONTH=1",
        "FREQ=YEARLY;BYMONTHDAY=31;BYMONTH=2",
        "FREQ=YEARLY;BYDAY=2SU;BYMONTHDAY=1",
        "FREQ=YEARLY;BYSETPOS=1;BYDAY=SU",
    ],
)
def test_a_zone_of_other_rules_is_that_of_the_machine(rule: str) -> None:
    (start,) = starts_of(zone("Ours", rule))
    assert start == datetime(2026, 11, 30, 10)


def test_zones_beyond_a_bound_are_that_of_the_machine() -> None:
    many = [zone(f"Ours{number}", SUMMER, 1601) for number in range(MOST_YEARS // 499 + 1)]
    (first,), (last,) = (starts_of(*many, named=name) for name in ("Ours0", f"Ours{len(many) - 1}"))
    assert first.tzinfo is not None
    assert last.tzinfo is None


def test_a_zone_counts_for_its_own_calendar_alone() -> None:
    assert starts_of(zone("Ours", SUMMER))[0].tzinfo is not None
    assert starts_of()[0].tzinfo is None


def test_a_name_of_many_parts_is_looked_up_in_no_time() -> None:
    starts_of(named="Europe/Berlin")
    short = cpu_s(lambda: starts_of(named="/a", times=200))
    assert cpu_s(lambda: starts_of(named="/a" * 120, times=200)) < 20 * short


def test_a_name_that_no_file_can_have_is_refused() -> None:
    with pytest.raises(OSError, match="too long"):
        starts_of(named="a/" * 2_000)
