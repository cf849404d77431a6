"""The daily hours in which nothing is said unasked, in the zone of the home."""

from __future__ import annotations

from datetime import datetime, time
from zoneinfo import ZoneInfo

import pytest

from assistant.core.errors import ConfigError
from assistant.core.settings.announcements import AnnouncementSettings, quiet_hours
from skills.announcements.quiet import hours_end

BERLIN = ZoneInfo("Europe/Berlin")


@pytest.mark.parametrize(
    ("hours", "clock", "end"),
    [
        ("22:00-07:00", "2026-01-05T21:59", None),
        ("22:00-07:00", "2026-01-05T22:00", "2026-01-06T07:00"),
        ("22:00-07:00", "2026-01-06T06:59", "2026-01-06T07:00"),
        ("22:00-07:00", "2026-01-06T07:00", None),
        ("13:00-14:30", "2026-01-06T13:10", "2026-01-06T14:30"),
        ("13:00-14:30", "2026-01-06T23:10", None),
        ("22:00-07:00", "2026-03-28T23:00", "2026-03-29T07:00"),  # an hour is skipped that night
        ("", "2026-01-06T03:00", None),
    ],
)
def test_when_they_end(hours: str, clock: str, end: str | None) -> None:
    now = datetime.fromisoformat(clock).replace(tzinfo=BERLIN)
    ends = datetime.fromisoformat(end).replace(tzinfo=BERLIN) if end else None
    assert hours_end(quiet_hours(hours), now) == ends


@pytest.mark.parametrize("text", ["22-7", "22:00", "22:00-24:30", "22:00-22:00", "at night", "-"])
def test_what_is_no_period_is_refused_with_an_example(text: str) -> None:
    with pytest.raises(ConfigError, match="22:00-07:00") as refused:
        quiet_hours(text)
    assert f'announcements.quiet: "{text}"' in refused.value.message


def test_a_period_is_read() -> None:
    assert quiet_hours("22:00-07:00") == (time(22), time(7))


def test_a_room_may_have_hours_of_its_own() -> None:
    settings = AnnouncementSettings(quiet="22:00-07:00", rooms={"nursery": "19:00-07:00"})
    assert settings.hours == {"": (time(22), time(7)), "nursery": (time(19), time(7))}
    with pytest.raises(ConfigError):
        AnnouncementSettings(rooms={"nursery": "at night"}).hours  # noqa: B018
