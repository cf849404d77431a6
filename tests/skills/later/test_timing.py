"""When a plan is due: clocks that change, zones, the sun, and what recurs."""

from __future__ import annotations

from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest

from assistant.core.errors import SkillError
from assistant.core.messages import SunEvent, When
from assistant.skill.plans import needs_time
from skills.later.plan import AtTime
from skills.later.sun import Position
from skills.later.timing import Timing
from skills.later.wording import in_words

ZURICH, TOKYO = ZoneInfo("Europe/Zurich"), ZoneInfo("Asia/Tokyo")
HOME = Position(47.4, 8.5)
LONGYEARBYEN = Position(78.2, 15.6)


class Wall:
    """A clock on the wall that a test sets."""

    def __init__(self, now: datetime, where: Position | None = HOME) -> None:
        self.now = now
        self.timing = Timing(lambda: self.now, "boot", where)
        self.timing.countdown.at_s = 1000.0


def at(value: str, kind: str = "at", **more: object) -> When:
    return When(kind=kind, said="", value=value, **more)  # type: ignore[arg-type]


def every(rule: str, start: str = "DTSTART;VALUE=DATE:20260301", **more: object) -> When:
    return at(f"{start}\nRRULE:{rule}", "every", **more)


def local(due: object) -> str:
    assert isinstance(due, AtTime)
    return due.local.isoformat(" ", "minutes")


def test_a_time_that_a_clock_change_skips_is_moved_on_by_it() -> None:
    wall = Wall(datetime(2026, 3, 28, 12, tzinfo=ZURICH))
    due = wall.timing.first(every("FREQ=DAILY"), time(2, 30))
    assert local(due) == "2026-03-29 02:30"
    assert wall.timing.moment(due) == datetime(2026, 3, 29, 1, 30, tzinfo=UTC)  # 3:30 am
    wall.now = datetime(2026, 3, 29, 3, 31, tzinfo=ZURICH)
    following = wall.timing.following(due)
    assert local(following) == "2026-03-30 02:30"


def test_a_time_that_comes_twice_is_the_first_and_done_once() -> None:
    wall = Wall(datetime(2026, 10, 24, 12, tzinfo=ZURICH))
    due = wall.timing.first(every("FREQ=DAILY"), time(2, 30))
    assert wall.timing.moment(due) == datetime(2026, 10, 25, 0, 30, tzinfo=UTC)
    wall.now = datetime(2026, 10, 25, 2, 30, tzinfo=ZURICH)
    assert wall.timing.left_s("", due) == 0
    assert local(wall.timing.following(due)) == "2026-10-26 02:30"
    wall.now = datetime(2026, 10, 25, 2, 10, fold=1, tzinfo=ZURICH)  # 40 minutes after it
    assert local(wall.timing.following(due)) == "2026-10-26 02:30"


def test_seven_stays_seven_over_daylight_saving_and_in_another_zone() -> None:
    wall = Wall(datetime(2026, 3, 28, 12, tzinfo=ZURICH))
    due = wall.timing.first(at("2026-03-30T07:00:00+02:00"))
    assert wall.timing.left_s("", due) == timedelta(hours=42).total_seconds()
    wall.now = wall.now.astimezone(TOKYO)
    assert wall.timing.moment(due) == datetime(2026, 3, 29, 22, tzinfo=UTC)


def test_a_length_of_time_goes_on_whatever_the_wall_clock_does() -> None:
    wall = Wall(datetime(2026, 10, 25, 1, 50, tzinfo=ZURICH))
    due = wall.timing.first(When(kind="in", said="", value=3600))
    wall.timing.countdown.at_s += 1000
    wall.now += timedelta(days=3)
    assert wall.timing.left_s("", due) == 2600
    assert wall.timing.following(due) is None


@pytest.mark.parametrize(
    ("rule", "now", "told"),
    [
        ("FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR", datetime(2026, 3, 6, 12), "2026-03-09 07:00"),
        ("FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR", datetime(2026, 3, 6, 6), "2026-03-06 07:00"),
        ("FREQ=DAILY", datetime(2026, 3, 6, 12), "2026-03-07 07:00"),
        ("FREQ=MONTHLY;BYMONTHDAY=1", datetime(2026, 3, 6, 12), "2026-04-01 07:00"),
    ],
)
def test_what_recurs_begins_at_its_next_time(rule: str, now: datetime, told: str) -> None:
    wall = Wall(now.replace(tzinfo=ZURICH))
    start = "DTSTART;TZID=Europe/Zurich:20260302T070000"
    assert local(wall.timing.first(every(rule, start))) == told


def test_a_start_of_utc_recurs_by_the_users_clock() -> None:
    wall = Wall(datetime(2026, 3, 28, 12, tzinfo=ZURICH))
    due = wall.timing.first(every("FREQ=DAILY", "DTSTART:20260328T180000Z"))
    assert local(due) == "2026-03-28 19:00"
    wall.now += timedelta(hours=8)
    assert local(wall.timing.following(due)) == "2026-03-29 19:00"


def test_what_was_missed_many_times_is_due_once() -> None:
    wall = Wall(datetime(2026, 3, 6, 6, tzinfo=ZURICH))
    due = wall.timing.first(every("FREQ=DAILY"), time(7))
    wall.now += timedelta(days=10, hours=3)
    assert local(wall.timing.following(due)) == "2026-03-17 07:00"


@pytest.mark.parametrize(
    ("sun", "told"),
    [
        (SunEvent(event="sunset"), "2026-06-21 21:25"),
        (SunEvent(event="sunset", offset_s=-600), "2026-06-21 21:15"),
        (SunEvent(event="sunrise"), "2026-06-22 05:29"),
        (SunEvent(event="dusk"), "2026-06-21 22:07"),
    ],
)
def test_the_sun_tells_the_next_time(sun: SunEvent, told: str) -> None:
    wall = Wall(datetime(2026, 6, 21, 12, tzinfo=ZURICH))
    due = wall.timing.first(When(kind="at", said="", sun=sun))
    assert abs(due.local - datetime.fromisoformat(told)) < timedelta(minutes=2)  # type: ignore[union-attr]


def test_the_sun_tells_another_time_every_day() -> None:
    wall = Wall(datetime(2026, 3, 1, 12, tzinfo=ZURICH))
    due = wall.timing.first(every("FREQ=WEEKLY;BYDAY=SU", sun=SunEvent(event="sunset")))
    assert local(due).startswith("2026-03-01 18:1")
    wall.now = datetime(2026, 3, 1, 19, tzinfo=ZURICH)
    following = wall.timing.following(due)
    assert local(following).startswith("2026-03-08 18:2")


def test_where_the_sun_does_not_set_the_next_sunset_is_months_ahead() -> None:
    sunset = When(kind="at", said="", sun=SunEvent(event="sunset"))
    wall = Wall(datetime(2026, 6, 1, 12, tzinfo=UTC), LONGYEARBYEN)
    assert wall.timing.moment(wall.timing.first(sunset)).month == 8
    today = refused(at("2026-06-02", sun=SunEvent(event="sunset")), wall)
    assert today == "That time is over."


def refused(when: When, wall: Wall, at_time: time | None = None) -> str:
    with pytest.raises(SkillError) as fault:
        wall.timing.first(when, at_time)
    return fault.value.message


def test_what_cannot_be_planned_is_said() -> None:
    wall = Wall(datetime(2026, 3, 6, 12, tzinfo=ZURICH), where=None)
    sunset = SunEvent(event="sunset")
    unknown = "I don't know where your home is, so I can't tell when the sun sets."
    assert refused(When(kind="at", said="", sun=sunset), wall) == unknown
    assert refused(at("2026-03-06T11:00:00+01:00"), wall) == "That time is over."
    assert refused(at("2028-03-06T11:00:00+01:00"), wall) == "I can plan for a year at most."
    assert refused(When(kind="in", said="", value=1e9), wall) == "I can plan for a year at most."
    assert refused(every("FREQ=SECONDLY"), wall) == "That is too often."
    assert refused(at("soon"), wall) == "I don't know when that is."


@pytest.mark.parametrize(
    ("when", "needed"),
    [
        (at("2026-03-07"), True),
        (at("2026-03-07T00:00:00+01:00/2026-03-08T00:00:00+01:00"), True),
        (at("2026-03-07T18:00:00+01:00/2026-03-07T22:00:00+01:00"), False),
        (at("2026-03-07T07:00:00+01:00"), False),
        (at("2026-03-07", sun=SunEvent(event="dawn")), False),
        (every("FREQ=DAILY"), True),
        (every("FREQ=DAILY", "DTSTART;TZID=Europe/Zurich:20260302T070000"), False),
        (When(kind="in", said="", value=60), False),
    ],
)
def test_a_day_alone_needs_a_time(when: When, needed: bool) -> None:
    assert needs_time(when) is needed


@pytest.mark.parametrize(
    ("when", "told"),
    [
        (When(kind="in", said="", value=600), "in ten minutes"),
        (When(kind="in", said="", value=90), "in one minute and 30 seconds"),
        (at("2026-03-06T22:00:00+01:00"), "at 10 pm"),
        (at("2026-03-07T07:30:00+01:00"), "tomorrow at 7:30 am"),
        (at("2026-03-10T07:30:00+01:00"), "on Tuesday, March 10 at 7:30 am"),
        (at("2026-03-07", sun=SunEvent(event="sunset")), "tomorrow at sunset"),
        (
            When(kind="at", said="", sun=SunEvent(event="dusk", offset_s=600)),
            "ten minutes after dusk",
        ),
        (every("FREQ=DAILY", sun=SunEvent(event="sunset")), "every day at sunset"),
        (every("FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR"), "every weekday at 7 am"),
        (every("FREQ=WEEKLY;BYDAY=SA,SU"), "every Saturday and Sunday at 7 am"),
        (every("FREQ=WEEKLY;BYDAY=MO,TH"), "every Monday and Thursday at 7 am"),
        (every("FREQ=WEEKLY;INTERVAL=2;BYDAY=MO"), "every 2 weeks on Monday at 7 am"),
        (every("FREQ=DAILY;INTERVAL=2"), "every 2 days at 7 am"),
        (
            every("FREQ=HOURLY;INTERVAL=2", "DTSTART;TZID=Europe/Zurich:20260306T140000"),
            "every 2 hours",
        ),
    ],
)
def test_a_time_in_words(when: When, told: str) -> None:
    wall = Wall(datetime(2026, 3, 6, 12, tzinfo=ZURICH))
    assert in_words(wall.timing.first(when, time(7)), wall.timing, "") == told


def test_the_end_of_a_while_in_words() -> None:
    wall = Wall(datetime(2026, 3, 6, 12, tzinfo=ZURICH))
    tomorrow = wall.timing.first(at("2026-03-07T07:30:00+01:00", "until"))
    assert in_words(tomorrow, wall.timing, link="until") == "until tomorrow at 7:30 am"
    dusk = wall.timing.first(When(kind="until", said="", sun=SunEvent(event="dusk")))
    assert in_words(dusk, wall.timing, link="until") == "until dusk"


def test_a_number_of_a_day_means_nothing_in_a_week() -> None:
    """As in a calendar of others."""
    wall = Wall(datetime(2026, 3, 6, 12, tzinfo=ZURICH))
    due = AtTime(local=datetime(2026, 3, 9, 7), rule="FREQ=WEEKLY;BYDAY=5MO,-1FR")
    assert in_words(due, wall.timing) == "every Monday and Friday at 7 am"
    odd = AtTime(local=datetime(2026, 3, 9, 7), rule="FREQ=WEEKLY;BYDAY=XX")
    assert in_words(odd, wall.timing) == "every week at 7 am"
