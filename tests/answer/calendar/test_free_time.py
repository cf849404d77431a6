"""When nothing is in the calendar, and in which document an event stands."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from assistant.answer.answerer import Answer
from assistant.answer.calendar.calendar import Calendar
from assistant.answer.ingest.formats import select
from assistant.answer.knowledge.knowledge import Knowledge
from assistant.answer.knowledge.passages import cut
from assistant.core.messages import FindFreeTime, Period

NOW = datetime(2027, 3, 1, 12, tzinfo=UTC)
TOMORROW = datetime(2027, 3, 2, tzinfo=UTC)
EVENTS = (
    ("Dentist", "20270302T093000Z", "20270302T101500Z"),
    ("Lunch with Bob", "20270302T120000Z", "20270302T133000Z"),
    ("Call", "20270302T101500Z", "20270302T110000Z"),
    ("Choir", "20270303T190000Z", "20270303T210000Z"),
)
HOLIDAY = "DTSTART;VALUE=DATE:20270304\nDTEND;VALUE=DATE:20270305\nSUMMARY:Holiday\n"


@pytest.fixture
def calendar() -> Iterator[Calendar]:
    events = [f"SUMMARY:{name}\nDTSTART:{since}\nDTEND:{until}\n" for name, since, until in EVENTS]
    blocks = "".join(f"BEGIN:VEVENT\n{event}END:VEVENT\n" for event in (*events, HOLIDAY))
    with closing(Knowledge(None, UTC)) as knowledge:
        content = f"BEGIN:VCALENDAR\n{blocks}END:VCALENDAR\n".encode()
        document = select.parse("/notes/school.ics", content)
        place = Path("/notes/school.ics")
        passages = tuple(cut(document))
        knowledge.sources.add(place, "1", document.title, document.kind, passages)
        yield Calendar(knowledge, lambda: NOW)


def told(calendar: Calendar, since: datetime, until: datetime, said: str) -> str:
    task = FindFreeTime(period=Period(since=since, until=until), said=said)
    found = calendar.answer(task)
    assert isinstance(found, Answer)
    return found.text


DAY, HOUR = timedelta(days=1), timedelta(hours=1)


@pytest.mark.parametrize(
    ("since", "until", "said", "text"),
    [
        (
            TOMORROW, TOMORROW + DAY, "tomorrow",
            "Tomorrow you are free until 9:30 am, from 11 am to 12 pm and from 1:30 pm on.",
        ),
        (
            TOMORROW + 12 * HOUR, TOMORROW + 18 * HOUR, "tomorrow afternoon",
            "Tomorrow afternoon you are free from 1:30 pm on.",
        ),
        (
            TOMORROW + 12 * HOUR, TOMORROW + 13 * HOUR, "over lunch",
            "Over lunch you are not free.",
        ),
        (
            TOMORROW + 2 * DAY, TOMORROW + 3 * DAY, "on thursday",
            "On Thursday you are free. All day: Holiday.",
        ),
        (NOW - 12 * HOUR, NOW + 12 * HOUR, "today", "Today you are free."),
        (
            TOMORROW, TOMORROW + 7 * DAY, "next week",
            "I can only tell that of one day at a time.",
        ),
    ],
)  # fmt: skip
def test_when_nothing_is_in_the_calendar(
    calendar: Calendar, since: datetime, until: datetime, said: str, text: str
) -> None:
    assert told(calendar, since, until, said) == text


def test_what_is_over_today_is_no_free_time(calendar: Calendar) -> None:
    late = Calendar(calendar._knowledge, lambda: TOMORROW + 12.5 * HOUR)
    assert told(late, TOMORROW, TOMORROW + DAY, "today") == "Today you are free from 1:30 pm on."


@pytest.mark.parametrize(
    ("words", "name"),
    [("dentist", "school.ics"), ("my lunch with bob", "school.ics"), ("dog", ""), ("the", "")],
)
def test_the_document_of_an_event_is_named(calendar: Calendar, words: str, name: str) -> None:
    assert calendar.document_of(words) == name
