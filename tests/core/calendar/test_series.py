"""Calendars in, the times at which their events take place out."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.answer.ingest.formats import calendar
from assistant.answer.knowledge.passages import Section
from assistant.core.calendar.series import (
    LEAST_TRIED,
    MOST_TRIED,
    MOST_TRIED_IN_ALL,
    Effort,
    Occurrence,
    RuleError,
    Series,
    occurrences,
    once,
    require_days,
)
from tests.support.effort import cpu_s

BERLIN, NEW_YORK = ZoneInfo("Europe/Berlin"), ZoneInfo("America/New_York")


def test_a_zone_that_is_unknown_writes_nothing_to_the_journal() -> None:
    """Its name is the text of others; Python also keeps each text that it warned with."""
    read = "from skills.capabilities.calendar.text import Timezone\nfrom icalendar import Event\n"
    event = "BEGIN:VEVENT\\nDTSTART;TZID=/secret/Europe/Berlin:20260101T090000\\nEND:VEVENT\\n"
    told = f"Event.from_ical('{event}')\n"
    ran = [
        subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
        for code in (
            read + told,
            read.replace("skills.capabilities.calendar.text", "icalendar") + told,
        )
    ]
    assert [("secret" in one.stderr) for one in ran] == [False, True]


@pytest.fixture(autouse=True)
def berlin(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def read(*events: str) -> list[Section]:
    lines = "".join(f"BEGIN:VEVENT\nSUMMARY:It\n{event}\nEND:VEVENT\n" for event in events)
    text = f"BEGIN:VCALENDAR\n{lines}END:VCALENDAR\n"
    return list(calendar.parse("home.ics", text.encode()).sections)


def taking_place(event: str, since: str, until: str, *others: str) -> list[str]:
    """The starts from `since` up to `until`, in Berlin."""
    section, *_ = read(event, *others)
    assert section.series is not None
    return [f"{o.starts:%m-%d %H:%M}" for o in _between(section.series, since, until)]


def _between(
    series: Series, since: str, until: str, effort: Effort | None = None
) -> Iterator[Occurrence]:
    first, last = (datetime.fromisoformat(day).replace(tzinfo=BERLIN) for day in (since, until))
    return occurrences(series, first, last, BERLIN, effort)


WEEKLY = "DTSTART;TZID=Europe/Berlin:20260106T190000\nDTEND;TZID=Europe/Berlin:20260106T203000\n"


@pytest.mark.parametrize(
    ("event", "since", "until", "starts"),
    [
        (f"{WEEKLY}RRULE:FREQ=WEEKLY", "2026-11-20", "2026-12-02", ["11-24 19:00", "12-01 19:00"]),
        # Nine o'clock stays nine o'clock when the clocks change, on 25 October.
        (f"{WEEKLY}RRULE:FREQ=WEEKLY", "2026-10-20", "2026-10-28", ["10-20 19:00", "10-27 19:00"]),
        (
            "DTSTART:20260106T180000Z\nRRULE:FREQ=WEEKLY",
            "2026-10-20",
            "2026-10-28",
            ["10-20 20:00", "10-27 19:00"],
        ),
        (
            "DTSTART;TZID=America/New_York:20261020T090000\nRRULE:FREQ=WEEKLY",
            "2026-10-20",
            "2026-11-05",
            ["10-20 15:00", "10-27 14:00", "11-03 15:00"],
        ),
        # Half past two is skipped on 29 March 2026, and said as it then is.
        (
            "DTSTART;TZID=Europe/Berlin:20260301T023000\nRRULE:FREQ=WEEKLY",
            "2026-03-28",
            "2026-04-06",
            ["03-29 03:30", "04-05 02:30"],
        ),
        (f"{WEEKLY}RRULE:FREQ=WEEKLY;INTERVAL=2", "2026-11-17", "2026-12-02", ["11-24 19:00"]),
        (f"{WEEKLY}RRULE:FREQ=WEEKLY;COUNT=3", "2026-01-15", "2026-02-15", ["01-20 19:00"]),
        (
            f"{WEEKLY}RRULE:FREQ=WEEKLY;UNTIL=20260120T180000Z",
            "2026-01-10",
            "2026-02-15",
            ["01-13 19:00", "01-20 19:00"],
        ),
        (
            f"{WEEKLY}RRULE:FREQ=WEEKLY;UNTIL=20260120",
            "2026-01-10",
            "2026-02-15",
            ["01-13 19:00", "01-20 19:00"],
        ),
        (
            f"{WEEKLY}RRULE:FREQ=WEEKLY\nEXDATE;TZID=Europe/Berlin:20261124T190000",
            "2026-11-20",
            "2026-12-02",
            ["12-01 19:00"],
        ),
        (
            f"{WEEKLY}RRULE:FREQ=WEEKLY\nEXDATE:20261124T180000Z,20261201T180000Z",
            "2026-11-20",
            "2026-12-09",
            ["12-08 19:00"],
        ),
        (
            f"{WEEKLY}RRULE:FREQ=WEEKLY\nEXDATE;VALUE=DATE:20261124",
            "2026-11-20",
            "2026-12-02",
            ["12-01 19:00"],
        ),
        (
            f"{WEEKLY}RDATE;TZID=Europe/Berlin:20260110T110000",
            "2026-01-01",
            "2026-02-01",
            ["01-06 19:00", "01-10 11:00"],
        ),
        (
            "DTSTART;VALUE=DATE:20000229\nRRULE:FREQ=YEARLY",
            "2026-01-01",
            "2033-01-01",
            ["02-29 00:00", "02-29 00:00"],
        ),
        (
            "DTSTART:20260113T190000\nRRULE:FREQ=MONTHLY;BYDAY=2TU",
            "2026-11-01",
            "2027-01-01",
            ["11-10 19:00", "12-08 19:00"],
        ),
        ("DTSTART:20160113T070000\nRRULE:FREQ=DAILY", "2026-11-21", "2026-11-22", ["11-21 07:00"]),
        (
            "DTSTART:20200229T070000\nRRULE:FREQ=DAILY;BYMONTH=2;BYMONTHDAY=29;BYDAY=SU",
            "2026-01-01",
            "2061-01-01",
            ["02-29 07:00", "02-29 07:00"],
        ),
    ],
)
def test_a_series_takes_place_by_its_rules(
    event: str, since: str, until: str, starts: list[str]
) -> None:
    assert taking_place(event, since, until) == starts


def test_an_occurrence_that_was_moved_takes_place_once() -> None:
    moved = "UID:1\nRECURRENCE-ID;TZID=Europe/Berlin:20261124T190000\nDTSTART:20261125T190000"
    event = f"UID:1\n{WEEKLY}RRULE:FREQ=WEEKLY"
    assert taking_place(event, "2026-11-20", "2026-12-02", moved) == ["12-01 19:00"]
    assert read(event, moved)[1].series is None
    assert taking_place(event, "2026-11-20", "2026-11-25") == ["11-24 19:00"]


def test_one_that_has_begun_touches_the_time() -> None:
    (section,) = read("DTSTART;VALUE=DATE:20260105\nDTEND;VALUE=DATE:20260110\nRRULE:FREQ=WEEKLY")
    assert section.series is not None
    (found,) = _between(section.series, "2026-11-20", "2026-11-21")
    assert (str(found.starts.date()), str(found.ends.date())) == ("2026-11-16", "2026-11-21")
    assert found.whole_days
    assert not list(_between(section.series, "2026-11-21", "2026-11-23"))


def test_a_series_keeps_its_length() -> None:
    (section,) = read(f"{WEEKLY}RRULE:FREQ=WEEKLY")
    assert section.series is not None
    (found,) = _between(section.series, "2026-11-20", "2026-11-26")
    assert found.ends - found.starts == timedelta(minutes=90)


@pytest.mark.parametrize(
    "rule",
    [
        "RRULE:FREQ=HOURLY",
        "RRULE:FREQ=DAILY;BYHOUR=8,20",
        "RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30",
        # Easter is on a 24 March of a leap year in 5280, and again in 5652.
        "RRULE:FREQ=YEARLY;BYEASTER=-24;BYMONTH=2;BYMONTHDAY=29",
        "RRULE:FREQ=YEARLY;BYEASTER=-24;BYMONTH=2;BYMONTHDAY=29;UNTIL=20300101",
        "\n".join(["RRULE:FREQ=YEARLY"] * 5),
        "RRULE:FREQ=NOW",
        "RRULE:FREQ=DAILY;BYDAY=XX",
    ],
)
def test_a_rule_that_is_not_followed_leaves_the_first_time(rule: str) -> None:
    (section,) = read(f"{WEEKLY}{rule}")
    assert section.series is None
    assert (section.starts, section.ends) == (
        "2026-01-06T19:00:00+01:00",
        "2026-01-06T20:30:00+01:00",
    )


@pytest.mark.parametrize(
    "rule",
    [
        "FREQ=DAILY;COUNT=999999",
        "FREQ=YEARLY;BYDAY=MO,TU,WE,TH,FR,SA,SU",
        "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=29;BYDAY=SU;UNTIL=20260101T000000",
        "FREQ=DAILY;INTERVAL=999999999",
    ],
)
def test_no_rule_costs_much_at_a_question(rule: str) -> None:
    (section,) = read(f"DTSTART:10000101T070000\nRRULE:{rule}")
    assert section.series is not None
    series = section.series
    assert cpu_s(lambda: list(_between(series, "2026-11-20", "2026-12-02"))) < 0.5


def test_what_is_cancelled_takes_place_at_no_time() -> None:
    (section,) = read(f"{WEEKLY}RRULE:FREQ=WEEKLY\nSTATUS:CANCELLED")
    assert (section.series, section.starts, section.ends) == (None, "", "")


def test_the_last_day_of_a_series_is_known() -> None:
    long = "DTSTART;VALUE=DATE:20260105\nDTEND;VALUE=DATE:20260110\n"
    assert read(f"{long}RRULE:FREQ=WEEKLY;COUNT=2")[0].ends == "2026-01-16"
    assert read(f"{WEEKLY}RDATE;VALUE=DATE:20260110")[0].ends == "2026-01-10"
    night = "DTSTART:20260106T230000\nDURATION:PT2H\nRRULE:FREQ=DAILY;COUNT=2"
    assert read(night)[0].ends == "2026-01-08"


def test_one_day_and_several_are_whole() -> None:
    day = once("2026-11-21", "2026-11-22", BERLIN)
    assert day is not None
    assert (day.whole_days, str(day.ends)) == (True, "2026-11-23 00:00:00+01:00")
    for none in ("soon", "0001-01-01", "9999-12-31"):
        assert once(none, "", NEW_YORK if none[0] == "9" else BERLIN) is None


@pytest.mark.parametrize(
    "odd",
    [
        "DTSTART:00010101T070000",
        "DTSTART:99991231T235959",
        "DTSTART:20260101T070000\nDURATION:P9999999D",
    ],
)
def test_an_event_at_the_edge_of_time_costs_no_other(odd: str) -> None:
    assert [s.starts for s in read(odd, "DTSTART;VALUE=DATE:20260101")][-1] == "2026-01-01"


ENDLESS = [
    "FREQ=DAILY;BYSETPOS=366;BYDAY=MO",
    "FREQ=DAILY;BYMONTHDAY=31;BYMONTH=2;BYSETPOS=2,3,4",
    "FREQ=DAILY;BYMONTHDAY=31;BYMONTH=2;UNTIL=20270101T000000",
    "FREQ=WEEKLY;BYWEEKNO=60;COUNT=3",
    "FREQ=MONTHLY;BYMONTHDAY=31;BYMONTH=2",
    "FREQ=YEARLY;BYDAY=MO;BYSETPOS=-366",
    "FREQ=DAILY;INTERVAL=0;BYDAY=MO",
    "FREQ=DAILY;BYDAY=MO;BYSETPOS=" + ",".join(map(str, range(2, 900))),
    "FREQ=MONTHLY;BYDAY=60MO",
    "FREQ=HOURLY;BYMONTHDAY=31;BYMONTH=2",
    "FREQ=SECONDLY;BYMONTHDAY=31;BYMONTH=2",
]


@pytest.mark.parametrize("rule", ENDLESS)
def test_the_search_of_a_rule_without_days_is_bounded(rule: str) -> None:
    effort = Effort()
    with pytest.raises(RuleError):
        require_days(Series(start="2026-01-06T19:00:00", rules=(rule,)), effort)
    with pytest.raises(RuleError):
        list(
            _between(Series(start="2026-01-06T19:00:00", rules=(rule,)), "2026-02-01", "2026-03-01")
        )
    assert MOST_TRIED_IN_ALL - effort.left <= MOST_TRIED + 366 * 500


def test_many_rules_without_days_leave_good_ones_their_days() -> None:
    effort = Effort()
    bad = Series(start="2026-01-06T19:00:00", rules=(ENDLESS[0],))
    for _ in range(1000):
        with pytest.raises(RuleError):
            require_days(bad, effort)
    assert MOST_TRIED_IN_ALL - effort.left < MOST_TRIED_IN_ALL + 1001 * (LEAST_TRIED + 2)
    for rule in ("FREQ=DAILY", "FREQ=WEEKLY;INTERVAL=2", "FREQ=MONTHLY;BYDAY=-1FR", "FREQ=YEARLY"):
        require_days(Series(start="2026-01-06T19:00:00", rules=(rule,)), effort)


def test_many_rules_that_give_many_days_before_the_question_are_bounded_together() -> None:
    """Control: hundreds of honest series of earlier years leave a later one its days."""
    effort = Effort()
    ended = Series(start="1990-01-01T09:00:00", rules=("FREQ=DAILY;COUNT=9999",))
    for _ in range(20):
        list(_between(ended, "2026-02-01", "2026-03-01", effort))
    with pytest.raises(RuleError, match="too many days"):
        list(_between(ended, "2026-02-01", "2026-03-01", effort))
    effort = Effort()
    course = Series(start="2020-09-07T16:00:00", rules=("FREQ=WEEKLY;COUNT=40",))
    for _ in range(1000):
        assert not list(_between(course, "2026-02-01", "2026-03-01", effort))
    later = Series(start="2025-09-01T16:00:00", rules=("FREQ=WEEKLY;COUNT=40",))
    assert len(list(_between(later, "2026-02-01", "2026-03-01", effort))) == 4


def test_rules_that_give_a_day_in_time_again_and_again_are_bounded_together() -> None:
    effort = Effort()
    rule = "FREQ=DAILY;BYYEARDAY=1;BYSETPOS=-1;COUNT=99999999"
    series = Series(start="1600-02-29", rules=(rule,) * 4)
    since, until = (datetime(year, 1, 1, tzinfo=BERLIN) for year in (2028, 2029))
    with pytest.raises(RuleError):
        list(occurrences(series, since, until, BERLIN, effort))
    assert MOST_TRIED_IN_ALL - effort.left <= MOST_TRIED_IN_ALL + 5 * LEAST_TRIED


def test_a_birthday_of_long_ago_is_found_without_its_years() -> None:
    effort = Effort()
    series = Series(start="1604-02-29", rules=("FREQ=YEARLY",), lasts_s=86_400)
    since, until = (datetime(year, 1, 1, tzinfo=BERLIN) for year in (2028, 2029))
    (found,) = occurrences(series, since, until, BERLIN, effort)
    assert str(found.starts.date()) == "2028-02-29"
    assert MOST_TRIED_IN_ALL - effort.left < 20 * 366


@given(
    st.datetimes(datetime(2020, 1, 1), datetime(2040, 1, 1)),
    st.sampled_from(["DAILY", "WEEKLY", "MONTHLY", "YEARLY"]),
    st.integers(1, 9),
    st.sampled_from(["2012-03-03T12:00:00", "2012-02-29T12:00:00", "2012-01-31T12:00:00"]),
    st.sampled_from(["BYDAY=MO,WE,SA", "WKST=MO"]),
)
def test_what_is_skipped_ahead_is_what_counting_finds(
    since: datetime, often: str, interval: int, start: str, limits: str
) -> None:
    rule = f"FREQ={often};INTERVAL={interval};{limits}"
    # A second rule that is not steady, and gives nothing in these years, has all be counted.
    counted = Series(start=start, rules=(rule, "FREQ=YEARLY;COUNT=1"))
    until = since + timedelta(days=80)
    window = (since.replace(tzinfo=BERLIN), until.replace(tzinfo=BERLIN), BERLIN)
    skipped = list(occurrences(Series(start=start, rules=(rule,)), *window))
    assert skipped == list(occurrences(counted, *window))
