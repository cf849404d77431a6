"""Hours that questions and documents name."""

from __future__ import annotations

import pytest

from assistant.english.asking.hours import asked_hours, told_hours
from assistant.english.dates import days_in, weekdays_in


@pytest.mark.parametrize(
    ("question", "hours"),
    [
        ("what does he take at one o'clock", [(60, 60), (780, 780)]),
        ("who comes at half past eight", [(510, 510), (1230, 1230)]),
        ("what happens at 7:30 pm", [(1170, 1170)]),
        ("what is due at seven tonight", [(420, 420), (1140, 1140)]),
        ("what is it at 8 degrees", []),
        ("what does she get in the morning", [(240, 720)]),
        ("what is the time", []),
    ],
)
def test_hours_of_a_question(question: str, hours: list[tuple[int, int]]) -> None:
    assert asked_hours(question) == hours


@pytest.mark.parametrize(
    ("text", "hours"),
    [
        ("Bed at 8:00 pm", [(1200, 1200)]),
        ("open 9:00 to 16:00 and from 10 pm", [(540, 960), (1320, 1320)]),
        ("22:00 – 6:00", [(1320, 1800)]),
        ("7:00 and 19:00, every day", [(420, 420), (1140, 1140)]),
        ("ring 01632 960777, room 4", []),
    ],
)
def test_hours_of_a_text(text: str, hours: list[tuple[int, int]]) -> None:
    assert told_hours(text) == hours


def test_days_of_a_text() -> None:
    assert days_in("Thu 10 December, Dec 24th or 2026-12-31") == {(12, 10), (12, 24), (12, 31)}
    assert days_in("in May, page 3") == set()
    assert weekdays_in("Monday to Thursday, and SUNDAYS") == {0, 1, 2, 3, 6}
    assert weekdays_in("we sat in the sun") == set()
