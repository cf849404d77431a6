"""Which time a question about days is of, once a skill has it."""

from __future__ import annotations

import pytest

from assistant.core.messages import (
    AnswerTask,
    FindNextEvent,
    ListEvents,
    ListNotes,
    Period,
    Question,
)
from tests.support.talking import Talk, command

WEEKDAY = "2026-01-09T00:00:00+00:00/2026-01-10T00:00:00+00:00"


def task(intent: str, **slots: str) -> AnswerTask:
    talk = Talk()
    (question,) = talk.hear("whatever", command(intent, **slots))
    talk.database.close()
    assert isinstance(question, Question)
    return question.task


def test_the_time_that_was_said_is_asked_for() -> None:
    asked = ListEvents(period=Period.read(WEEKDAY), said=WEEKDAY)
    assert task("CalendarPlans", period=WEEKDAY) == asked


def test_without_a_time_it_is_the_coming_week() -> None:
    assert task("CalendarPlans") == ListEvents(
        period=Period.read("2026-01-05T18:30:00+00:00/2026-01-12T00:00:00+00:00"),
        said="in the next seven days",
    )


@pytest.mark.parametrize(
    ("period", "meant"),
    [
        (WEEKDAY, "2026-01-02T00:00:00+00:00/2026-01-03T00:00:00+00:00"),
        (
            "2026-05-01T00:00:00+00:00/2026-06-01T00:00:00+00:00",
            "2025-05-01T00:00:00+00:00/2025-06-01T00:00:00+00:00",
        ),
        (
            "2028-02-29T00:00:00+00:00/2028-03-01T00:00:00+00:00",
            "2027-02-28T00:00:00+00:00/2027-03-01T00:00:00+00:00",
        ),
        (
            "2025-12-29T00:00:00+00:00/2026-01-05T00:00:00+00:00",
            "2025-12-29T00:00:00+00:00/2026-01-05T00:00:00+00:00",
        ),
    ],
)
def test_what_was_noted_was_noted_in_the_past(period: str, meant: str) -> None:
    noted = ListNotes(period=Period.read(meant), said=period)
    assert task("DocumentNotes", period=period) == noted


def test_who_is_to_be_met_is_asked_for() -> None:
    assert task("CalendarNext", person="alice") == FindNextEvent(person="alice")
    assert task("CalendarNext") == FindNextEvent()
