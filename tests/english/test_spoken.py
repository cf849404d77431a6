"""Values as a person would say them."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from typing import Any

import pytest

from assistant.english.spoken import count, spoken

NOW = datetime(2026, 1, 5, 18, 30, tzinfo=UTC)


class Size(Enum):
    LARGE = "large"


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (timedelta(minutes=5), "five minutes"),
        (timedelta(minutes=1, seconds=30), "one minute and 30 seconds"),
        (timedelta(days=1, hours=2, minutes=3), "one day, two hours and three minutes"),
        (timedelta(0), "zero seconds"),
        (time(18, 30), "6:30 pm"),
        (time(0, 5), "12:05 am"),
        (time(12), "12 pm"),
        (NOW, "today at 6:30 pm"),
        (NOW + timedelta(days=1), "tomorrow at 6:30 pm"),
        (date(2026, 1, 9), "Friday, January 9"),
        (date(2027, 1, 9), "Saturday, January 9, 2027"),
        (["eggs", "milk", "tea"], "eggs, milk and tea"),
        ([], ""),
        (2.5, "2.5"),
        (Decimal("3.00"), "3"),
        (Size.LARGE, "large"),
        (7, "7"),
    ],
)
def test_values_are_said_as_people_say_them(value: Any, words: str) -> None:
    assert spoken(value, NOW) == words


def test_things_are_counted() -> None:
    assert [count(n, "timer") for n in (0, 1, 2, 13)] == [
        "zero timers",
        "one timer",
        "two timers",
        "13 timers",
    ]
    assert count(2, "switch") == "two switches"
