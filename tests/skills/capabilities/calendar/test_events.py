"""What is kept of a calendar's events in memory is bounded."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from skills.capabilities.calendar.events import KEPT, MOST_KEPT, times_of

NOW = datetime(2026, 11, 30, tzinfo=UTC)


def test_long_events_that_change_are_not_all_kept() -> None:
    before = KEPT.chars
    for number in range(12):
        lines = f"UID:1\r\nSUMMARY:{number}\r\nDTSTART:20261130T100000Z\r\nX-LONG:{'x' * 1_000_000}"
        text = f"BEGIN:VEVENT\r\n{lines}\r\nEND:VEVENT\r\n"
        (time,) = times_of("1", text, NOW, NOW + timedelta(days=1))
        assert time.title == str(number)
        assert 0 < KEPT.chars <= MOST_KEPT
    assert KEPT.chars < before + 12_000_000
