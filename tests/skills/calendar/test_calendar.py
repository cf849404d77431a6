"""What is said of the calendar, through the sentences alone: no model is asked."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from assistant.skill import CalendarEvent
from tests.support.conversation import Conversation
from tests.support.talking import EVENING

A_YEAR = timedelta(days=366)


def kept(say: Conversation) -> list[CalendarEvent]:
    calendar = say.talk.stage._rooms.of("").context.calendar
    return list(calendar.between(EVENING, EVENING + A_YEAR))


def first(say: Conversation) -> tuple[str, datetime, timedelta]:
    event = kept(say)[0]
    return event.title, event.starts, event.ends - event.starts


HOUR, DAY = timedelta(hours=1), timedelta(days=1)


@pytest.mark.parametrize(
    ("text", "title", "starts", "lasts"),
    [
        ("add dentist to the calendar on friday at three", "Dentist", (1, 9, 15), HOUR),
        (
            "put mum's birthday on the calendar for the fifth of may",
            "Mum's birthday",
            (5, 5, 0),
            DAY,
        ),
        ("i have a meeting tomorrow at nine for two hours", "Meeting", (1, 6, 9), 2 * HOUR),
        ("i've got a driving lesson on wednesday at five", "Driving lesson", (1, 7, 17), HOUR),
        ("schedule a meeting with tom tomorrow at ten", "Meeting with tom", (1, 6, 10), HOUR),
        ("put my haircut in the diary for tomorrow at six", "Haircut", (1, 6, 18), HOUR),
        (
            "put parents evening on the calendar tomorrow at seven pm",
            "Parents evening",
            (1, 6, 19),
            HOUR,
        ),
        ("add holiday to the calendar next friday", "Holiday", (1, 16, 0), DAY),
    ],
)
def test_an_event_is_added(
    say: Conversation, text: str, title: str, starts: tuple[int, int, int], lasts: timedelta
) -> None:
    assert "is in your calendar" in say(text)
    assert first(say) == (title, datetime(2026, *starts, tzinfo=UTC), lasts)
    assert say("undo") == "I took that back."
    assert kept(say) == []


def test_what_is_missing_is_asked_for(say: Conversation) -> None:
    assert say("add an event to the calendar") == "What shall I put in your calendar?"
    assert say("the dentist") == "When is it?"
    assert say("add choir to my diary tomorrow") == "At what time?"
    assert kept(say) == []


def test_an_event_comes_again(say: Conversation) -> None:
    told = say("add choir to my calendar every tuesday at six")
    assert told == "Choir is in your calendar every Tuesday at 6 pm."
    assert [event.starts.day for event in kept(say)][:4] == [6, 13, 20, 27]


@pytest.mark.parametrize(
    ("text", "starts"),
    [
        ("move the dentist to thursday", (8, 15)),
        ("move the dentist appointment to thursday", (8, 15)),
        ("reschedule the dentist to next monday at ten", (12, 10)),
        ("make it four o'clock", (9, 16)),
        ("make it thursday at four", (8, 16)),
        ("push the dentist back by an hour", (9, 16)),
        ("make it half an hour earlier", (9, 14.5)),
    ],
)
def test_an_event_is_moved(say: Conversation, text: str, starts: tuple[int, float]) -> None:
    say("add dentist to the calendar on friday at three")
    assert "Dentist is now" in say(text)
    day, hour = starts
    moved = datetime(2026, 1, day, tzinfo=UTC) + timedelta(hours=hour)
    assert first(say) == ("Dentist", moved, HOUR)
    say.talk.restart()
    assert say("undo") == "I took that back."
    assert first(say)[1].day == 9


@pytest.mark.parametrize(
    ("text", "starts"),
    [("no, at four", (9, 16)), ("i meant at five", (9, 17))],
)
def test_an_event_is_put_right(say: Conversation, text: str, starts: tuple[int, int]) -> None:
    say("add dentist to the calendar on friday at three")
    say(text)
    assert [event.title for event in kept(say)] == ["Dentist"]
    day, hour = starts
    assert first(say)[1] == datetime(2026, 1, day, hour, tzinfo=UTC)


def test_a_part_of_a_day_is_no_time(say: Conversation) -> None:
    told = say("put swimming in the diary for saturday morning")
    assert told == "Swimming is in your calendar on Saturday, January 10 at 8 am."


def test_an_event_is_deleted_after_a_yes(say: Conversation) -> None:
    say("add dentist to the calendar on friday at three")
    asked = "Shall I delete Dentist on Friday, January 9 at 3 pm?"
    assert say("cancel the dentist appointment") == asked
    assert say("no") == "Okay, I left it as it is."
    assert len(kept(say)) == 1
    assert say("delete the dentist") == asked
    assert say("yes") == "I deleted Dentist on Friday, January 9 at 3 pm."
    assert kept(say) == []
    say.talk.restart()
    assert say("undo") == "I took that back."
    assert first(say)[0] == "Dentist"


def test_what_was_just_added_is_it(say: Conversation) -> None:
    say("add dentist to the calendar on friday at three")
    assert say("delete it").startswith("Shall I delete Dentist")
    say("yes")
    assert kept(say) == []


def test_one_time_of_a_series_or_all(say: Conversation) -> None:
    say("add choir to my calendar every tuesday at six")
    assert say("cancel choir") == (
        "Choir is every Tuesday at 6 pm. Shall I delete only that one, or all of them?"
    )
    assert say("only that one") == "I deleted Choir tomorrow at 6 pm."
    assert [event.starts.day for event in kept(say)][:2] == [13, 20]
    say("move choir to wednesday")
    assert say("all of them") == "Choir is now every Wednesday at 6 pm."
    assert [event.starts.day for event in kept(say)][:2] == [14, 21]
    say("cancel choir")
    say("all of them")
    assert kept(say) == []
    say("undo")
    assert [event.starts.day for event in kept(say)][:2] == [14, 21]


def test_of_several_one_is_asked_for(say: Conversation) -> None:
    say("i have a team meeting tomorrow at nine")
    say("schedule a meeting with tom on friday at ten")
    assert say("cancel my meeting").startswith("Which one: Team meeting")
    assert say("the second").startswith("Shall I delete Meeting with tom")
    say("yes")
    assert [event.title for event in kept(say)] == ["Team meeting"]
    told = "Nothing is in your calendar on Thursday, January 8."
    assert say("cancel my meeting on thursday") == told


def test_what_takes_the_whole_day_is_moved_by_days(say: Conversation) -> None:
    say("put holiday on the calendar for friday")
    assert say("make it four o'clock").startswith("Holiday takes the whole day")
    assert say("move the holiday to thursday") == "Holiday is now on Thursday, January 8."
    assert first(say) == ("Holiday", datetime(2026, 1, 8, tzinfo=UTC), DAY)


def test_a_damaged_file_keeps_no_other_command_from_being_obeyed(say: Conversation) -> None:
    say("add dentist to the calendar on friday at three")
    assert say.talk.path is not None
    say.talk.path.with_name("calendar.ics").write_text("no calendar")
    say("wake me at seven")
    assert "alarm will now ring" in say("make it eight o'clock")
    assert "as it is damaged" in say("cancel the dentist appointment")


def test_what_is_over_is_declined(say: Conversation) -> None:
    say("add dentist to the calendar on friday at three")
    assert say("move the dentist to today at nine in the morning").startswith("That time is over")
    assert first(say)[1].day == 9


def test_timers_alarms_and_lists_keep_their_own(say: Conversation) -> None:
    say("add dentist to the calendar on friday at three")
    say("set a timer for five minutes")
    assert "Dentist" not in say("cancel the timer")
    say("wake me at seven")
    assert "alarm will now ring" in say("make it eight o'clock")
    assert first(say)[1].hour == 15
