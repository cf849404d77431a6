"""Months, days of the week and dates."""

from __future__ import annotations

from datetime import date, timedelta

import pytest

from assistant.english.dates import (
    ENTRY_DAY,
    MONTH_NUMBERS,
    WEEKDAY_NUMBERS,
    first_day,
    full_date,
    month_and_day,
    under_month,
    weekday_name,
    with_days,
    within_value,
)


@pytest.mark.parametrize("days", range(0, 365, 5))
def test_names_are_those_of_the_calendar(days: int) -> None:
    day = date(2027, 1, 1) + timedelta(days=days)
    assert f"{weekday_name(day)}, {full_date(day)}" == f"{day:%A}, {day:%B} {day.day}, 2027"
    assert full_date(day).startswith(month_and_day(day))
    assert MONTH_NUMBERS[f"{day:%b}".lower()] == MONTH_NUMBERS[f"{day:%B}".lower()] == day.month
    assert WEEKDAY_NUMBERS[f"{day:%a}".lower()] == day.weekday()


@pytest.mark.parametrize(
    ("text", "inside"),
    [
        ("on Tuesday, March 2, 2027, at noon", "2027"),
        ("on 3 May 1911", "May"),
        ("an hour and 30 minutes later", "30"),
        ("is between 9 am and 11:30", "and"),
        ("he lives at 4 Quay Lane, Porthwen", "Porthwen"),
    ],
)
def test_what_is_one_value_has_an_inside(text: str, inside: str) -> None:
    assert within_value(text, text.index(inside))
    assert not within_value(text, 0)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Shut the tap today!", "Shut the tap on Monday, March 1!"),
        ("Tomorrow it is open.", "On Tuesday, March 2 it is open."),
        ("Fetched yesterday", "Fetched on Sunday, February 28"),
        ("in two days", "in two days"),
    ],
)
def test_days_are_told_without_the_day_of_writing(text: str, told: str) -> None:
    assert with_days(text, date(2027, 3, 1)) == told


@pytest.mark.parametrize(
    ("line", "day"),
    [
        ("18 Oct Leeks in", "18 Oct"),
        ("6 Sept – plums", "6 Sept"),
        ("Monday, May 3: frost", "Monday, May 3"),
        ("2027-03-01 frost", "2027-03-01"),
        ("3 marrows for Ann", ""),
        ("May is dry", ""),
        ("12 eggs", ""),
    ],
)
def test_an_entry_begins_with_its_day(line: str, day: str) -> None:
    found = ENTRY_DAY.match(line)
    assert (found.group() if found else "") == day


@pytest.mark.parametrize(
    ("row", "heading", "told"),
    [
        ("Wed 3: Brown bin.", "March 2027", "Wed 3 March 2027: Brown bin."),
        ("3: Brown bin.", "March", "3 March: Brown bin."),
        ("3 eggs", "March", "3 eggs"),
        ("Wed 3 May: Brown bin.", "March", "Wed 3 May: Brown bin."),
        ("Wed 3: Brown bin.", "March of the bins", "Wed 3: Brown bin."),
    ],
)
def test_a_row_stands_under_its_month(row: str, heading: str, told: str) -> None:
    assert under_month(row, heading) == told


@pytest.mark.parametrize(
    ("entry", "day"),
    [
        ("Wed 3 March 2027: Brown bin.", date(2027, 3, 3)),
        ("2 January: Brown bin.", date(2027, 1, 2)),
        ("31 Dec Frost.", date(2026, 12, 31)),
        ("31 April 2027: never.", None),
        ("Brown bin on 3 March", None),
    ],
)
def test_an_entry_is_of_the_year_that_is_near(entry: str, day: date | None) -> None:
    assert first_day(entry, date(2026, 12, 30)) == day
