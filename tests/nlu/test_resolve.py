"""Canonical words in, typed values out."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nlu import resolve
from nlu.normalize import canonical
from nlu.numbers import spell
from nlu.slots import WEEKDAYS

BERLIN = ZoneInfo("Europe/Berlin")
NOWS = st.datetimes(datetime(2020, 1, 1), datetime(2060, 1, 1)).map(lambda d: d.replace(tzinfo=UTC))


@pytest.mark.parametrize(
    ("words", "seconds"),
    [
        ("five minutes", 300),
        ("an hour", 3600),
        ("an hour and a half", 5400),
        ("one and a half hours", 5400),
        ("90 secs", 90),
        ("one hour twenty", 4800),
        ("one hour and twenty", 4800),
        ("one minute thirty", 90),
        ("half an hour", 1800),
        ("half a minute", 30),
        ("a quarter of an hour", 900),
        ("three quarters of an hour", 2700),
        ("an hour and a quarter", 4500),
        ("two and a half minutes", 150),
        ("2.5 seconds", 2.5),
        ("a couple of hours", 7200),
        ("one hour twenty minutes and five seconds", 4805),
        ("one hour and half a minute", 3630),
        ("two days", 172800),
        ("a week", 604800),
        ("1 hr", 3600),
        ("zero minutes", None),
        ("five", None),
        ("minutes", None),
        ("five minutes twenty hours five", None),
        ("five bananas", None),
        ("five minutes and", None),
        ("", None),
        ("a hundred thousand weeks", None),
    ],
)
def test_durations(words: str, seconds: float | None) -> None:
    assert resolve.duration(canonical(words).text) == seconds


@given(st.integers(0, 99), st.integers(0, 59), st.integers(1, 59))
def test_every_duration_in_words(hours: int, minutes: int, seconds: int) -> None:
    words = f"{spell(hours)} hours {spell(minutes)} minutes and {spell(seconds)} seconds"
    total = hours * 3600 + minutes * 60 + seconds
    assert resolve.duration(canonical(words).text) == total


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("six", "06:00:00+01:00"),
        ("seven", "07:00:00+01:00"),
        ("eight", "20:00:00+01:00"),
        ("six pm", "18:00:00+01:00"),
        ("six in the morning", "06:00:00+01:00"),
        ("nine at night", "21:00:00+01:00"),
        ("two at night", "02:00:00+01:00"),
        ("twelve am", "00:00:00+01:00"),
        ("twelve pm", "12:00:00+01:00"),
        ("noon", "12:00:00+01:00"),
        ("midnight", "00:00:00+01:00"),
        ("half past six", "06:30:00+01:00"),
        ("half eight", "20:30:00+01:00"),
        ("quarter to eight", "19:45:00+01:00"),
        ("a quarter past seven", "19:15:00+01:00"),
        ("twenty to eight", "19:40:00+01:00"),
        ("five minutes past nine", "21:05:00+01:00"),
        ("seven oh five", "19:05:00+01:00"),
        ("seven o'clock", "07:00:00+01:00"),
        ("18:45", "18:45:00+01:00"),
        ("0:15", "00:15:00+01:00"),
        ("25:10", None),
        ("six seventy", None),
        ("six apples", None),
        ("13 past 6 pm", "18:13:00+01:00"),
    ],
)
def test_times_of_day(now: datetime, words: str, found: str | None) -> None:
    assert resolve.value(canonical(words).text, "time", now) == found


def test_a_time_has_the_offset_of_its_day() -> None:
    eve_of_summer_time = datetime(2026, 3, 28, 23, 0, tzinfo=BERLIN)
    assert resolve.value("6 am", "time", eve_of_summer_time) == "06:00:00+02:00"


@given(NOWS, st.integers(1, 12), st.integers(0, 59))
def test_a_time_without_its_half_of_the_day_comes_next(
    now: datetime, hour: int, minute: int
) -> None:
    found = resolve.moment(f"{hour} {minute:02}", now)
    assert found is not None
    assert timedelta(0) < found - now <= timedelta(hours=12)
    assert (found.hour % 12, found.minute) == (hour % 12, minute)


@given(NOWS, st.sampled_from([0, 1]), st.integers(1, 12), st.integers(0, 59))
def test_a_time_with_its_half_is_taken_by_its_word(
    now: datetime, half: int, hour: int, minute: int
) -> None:
    found = resolve.clock(f"{hour} {minute:02} {('am', 'pm')[half]}", now)
    assert found == time(hour % 12 + 12 * half, minute, tzinfo=UTC)


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("today", "2026-11-20"),
        ("tomorrow", "2026-11-21"),
        ("the day after tomorrow", "2026-11-22"),
        ("saturday", "2026-11-21"),
        ("on Friday", "2026-11-27"),
        ("this friday", "2026-11-20"),
        ("next monday", "2026-11-23"),
        ("next friday", "2026-11-27"),
        ("in two weeks", "2026-12-04"),
        ("in a day", "2026-11-21"),
        ("the third of may", "2027-05-03"),
        ("3rd of May", "2027-05-03"),
        ("december twenty fifth", "2026-12-25"),
        ("the thirty first of december", "2026-12-31"),
        ("november 20", "2026-11-20"),
        ("29 february", "2028-02-29"),
        ("thirtieth of february", None),
        ("the first", None),
        ("someday", None),
    ],
)
def test_dates(now: datetime, words: str, found: str | None) -> None:
    assert resolve.value(canonical(words).text, "date", now) == found


@given(NOWS, st.integers(0, 6))
def test_a_weekday_is_within_a_week(now: datetime, weekday: int) -> None:
    name = WEEKDAYS[weekday]
    found = resolve.day(name, now)
    assert found is not None
    assert found.weekday() == weekday
    assert 1 <= (found - now.date()).days <= 7


@given(NOWS, st.dates(date(2024, 1, 1), date(2024, 12, 31)))
def test_a_day_of_a_month_is_the_next(now: datetime, day: date) -> None:
    found = resolve.day(f"{day.day} of {day:%B}".lower(), now)
    assert found is not None
    assert (found.month, found.day) == (day.month, day.day)
    assert found >= now.date()


@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("in ten minutes", "2026-11-20T19:10:00+01:00"),
        ("at eight", "2026-11-20T20:00:00+01:00"),
        ("six", "2026-11-21T06:00:00+01:00"),
        ("tomorrow at six thirty", "2026-11-21T06:30:00+01:00"),
        ("tomorrow at three", "2026-11-21T15:00:00+01:00"),
        ("at half past seven on monday", "2026-11-23T07:30:00+01:00"),
        ("tomorrow morning at nine", "2026-11-21T09:00:00+01:00"),
        ("friday evening at six", "2026-11-27T18:00:00+01:00"),
        ("today at ten pm", "2026-11-20T22:00:00+01:00"),
        ("the third of may at noon", "2027-05-03T12:00:00+02:00"),
        ("tomorrow", None),
        ("at the station", None),
    ],
)
def test_moments(now: datetime, words: str, found: str | None) -> None:
    assert resolve.value(canonical(words).text, "datetime", now) == found


def test_an_hour_from_now_is_an_hour_also_when_clocks_change() -> None:
    before = datetime(2026, 10, 25, 2, 30, tzinfo=BERLIN)
    after = resolve.moment("in 1 hour", before)
    assert after is not None
    assert after.astimezone(UTC) - before.astimezone(UTC) == timedelta(hours=1)


@pytest.mark.parametrize(
    ("words", "kind", "found"),
    [
        ("minus five", "integer", -5),
        ("fifty percent", "integer", 50),
        ("half", "integer", 50),
        ("maximum", "integer", 100),
        ("two point five", "integer", None),
        ("two point five", "number", 2.5),
        ("minus two", "number", -2),
        ("two and a half", "number", 2.5),
        ("half", "number", 0.5),
        ("seven", "number", 7),
        ("lots", "number", None),
        ("kitchen", "area", None),
    ],
)
def test_numbers(now: datetime, words: str, kind: str, found: float | None) -> None:
    assert resolve.value(canonical(words).text, kind, now) == found


@given(st.text(), st.sampled_from(["duration", "time", "date", "datetime", "integer", "number"]))
def test_any_text_has_a_value_or_none(text: str, kind: str) -> None:
    resolve.value(canonical(text).text, kind, datetime(2026, 1, 1, tzinfo=UTC))
