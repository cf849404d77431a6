"""The calendar, said aloud: heard by the real ear, and written to the file."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from assistant.core.messages import Transcript
from tests.support.conversation import Conversation
from tests.support.few_words_ear import ear_of

SENTENCES = (
    *("add dentist to the calendar on friday at three", "add milk to my list"),
    *("i have a meeting tomorrow at nine for an hour", "set a timer for ten minutes"),
    *("cancel the dentist appointment", "cancel the timer", "when am i free tomorrow"),
    *("turn on the ceiling", "what time is it", "put dinner on the calendar tomorrow at six"),
)
FORMS = (
    "make it four o'clock",
    "move the dentist to thursday",
    "delete it",
    "another five minutes",
)


@pytest.fixture(scope="module")
def hear(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Transcript]:
    return ear_of((*SENTENCES, *FORMS), tmp_path_factory.mktemp("asr"))


def file(say: Conversation) -> str:
    assert say.talk.path is not None
    kept = say.talk.path.with_name("calendar.ics")
    return kept.read_text() if kept.exists() else ""


def test_an_event_is_added_moved_and_deleted_aloud(
    say: Conversation, hear: Callable[[str], Transcript]
) -> None:
    told = say.hear(hear("add dentist to the calendar on friday at three"))
    assert told == "Dentist is in your calendar on Friday, January 9 at 3 pm."
    assert "DTSTART:20260109T150000Z" in file(say)
    told = say.hear(hear("move the dentist to thursday"))
    assert told == "Dentist is now on Thursday, January 8 at 3 pm."
    told = say.hear(hear("make it four o'clock"))
    assert told == "Dentist is now on Thursday, January 8 at 4 pm."
    assert say.hear(hear("cancel the dentist appointment")).startswith("Shall I delete Dentist")
    say("yes")
    assert "SUMMARY" not in file(say)


def test_what_has_a_length_is_heard(say: Conversation, hear: Callable[[str], Transcript]) -> None:
    say.hear(hear("i have a meeting tomorrow at nine for an hour"))
    assert "DTEND:20260106T100000Z" in file(say)


@pytest.mark.parametrize(
    "talk", ["my dentist has moved to the country", "the calendar on the wall is from last year"]
)
def test_talk_changes_no_calendar(
    say: Conversation, hear: Callable[[str], Transcript], talk: str
) -> None:
    say("add dentist to the calendar on friday at three")
    before = file(say)
    say.hear(hear(talk))
    assert file(say) == before
