"""Questions about one event and what was told before in; whether, when and when again out."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from assistant.answer.answerer import Answer
from assistant.answer.calendar.event_questions import EventQuestions
from assistant.answer.calendar.timetable import Timetable
from assistant.answer.ingest.formats import select
from assistant.answer.knowledge.knowledge import Knowledge
from assistant.answer.knowledge.passages import cut
from assistant.answer.topic import NOTHING, Topic
from nlu.values import periods

BERLIN = ZoneInfo("Europe/Berlin")
TUESDAY = datetime(2027, 3, 2, 17, tzinfo=BERLIN)
EVENTS = """
SUMMARY:Mila: choir practice
DTSTART;TZID=Europe/Berlin:20270105T190000
DTEND;TZID=Europe/Berlin:20270105T203000
RRULE:FREQ=WEEKLY;BYDAY=TU;UNTIL=20270323T230000Z
EXDATE;TZID=Europe/Berlin:20270309T190000
LOCATION:St Anne's Hall

SUMMARY:Dentist
DTSTART;TZID=Europe/Berlin:20270304T093000
DTEND;TZID=Europe/Berlin:20270304T101500
LOCATION:Mill Street Surgery

SUMMARY:Boiler check
DTSTART;TZID=Europe/Berlin:20270305T110000
DTEND;TZID=Europe/Berlin:20270305T113000
DESCRIPTION:Somebody from Fenwick Heating.

SUMMARY:Cards with Ines and Tom
DTSTART;TZID=Europe/Berlin:20270305T200000
DTEND;TZID=Europe/Berlin:20270305T230000

SUMMARY:Judo
DTSTART;TZID=Europe/Berlin:20260304T093000
"""


@pytest.fixture(autouse=True)
def berlin(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.fixture
def asked() -> Iterator[EventQuestions]:
    knowledge = Knowledge(None, BERLIN)
    told = "".join(f"BEGIN:VEVENT\n{event}\nEND:VEVENT\n" for event in EVENTS.strip().split("\n\n"))
    calendar = f"BEGIN:VCALENDAR\n{told}END:VCALENDAR\n".encode()
    plans = select.parse("plans.ics", calendar)
    knowledge.sources.add(Path("/plans.ics"), "plans", plans.title, plans.kind, tuple(cut(plans)))
    yield EventQuestions(Timetable(knowledge, lambda: TUESDAY))
    knowledge.close()


def reply(asked: EventQuestions, question: str, topic: Topic = NOTHING) -> Answer | None:
    return asked.answer(question, periods.within(question.split(), TUESDAY), topic)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("is choir on tonight", "Yes, Mila: choir practice is today at 7 pm."),
        ("has mila got choir today", "Yes, Mila: choir practice is today at 7 pm."),
        ("have we got a dentist appointment", "Yes, Dentist is on Thursday at 9:30 am."),
        ("is the dentist tomorrow", "No. Dentist is on Thursday at 9:30 am."),
        (
            "is there choir next week",
            "No, it does not take place on Tuesday, March 9, 2027. Mila: choir practice is today at"
            " 7 pm.",
        ),
        ("what time is the dentist on thursday", "Dentist is on Thursday at 9:30 am."),
        (
            "who's coming at eleven on friday",
            "Boiler check is on Friday at 11 am. Somebody from Fenwick Heating.",
        ),
        ("who is coming over on friday", "Cards with Ines and Tom is on Friday at 8 pm."),
        ("is anyone coming round on friday", "Cards with Ines and Tom is on Friday at 8 pm."),
        (
            "who are we expecting at eight on friday",
            "Cards with Ines and Tom is on Friday at 8 pm.",
        ),
        (
            "who's coming at seven",
            "Mila: choir practice is today at 7 pm. It does not take place on Tuesday, March 9,"
            " 2027.",
        ),
        ("when is choir tomorrow", "Not then. Mila: choir practice is today at 7 pm."),
    ],
)
def test_one_event_is_asked_about(asked: EventQuestions, question: str, said: str) -> None:
    answer = reply(asked, question)
    assert answer is not None
    assert answer.text == said


@pytest.mark.parametrize(
    "question",
    [
        "is choir outside tonight",
        "is the oven on",
        "does the dentist have parking on thursday",
        "is anything on tonight",
        "is judo on tonight",
        "who is at the dentist on thursday",
        "when's the one after that",
        "who is coming to the wedding on friday",
        "who is coming",
        "who's coming on thursday",
        "who's coming at six on friday",
        "who came at eleven on friday",
    ],
)
def test_what_the_calendar_does_not_say_is_left(asked: EventQuestions, question: str) -> None:
    assert reply(asked, question) is None


def test_the_one_after_that_is_the_next_of_the_same_that_takes_place(asked: EventQuestions) -> None:
    topic, told = NOTHING, []
    asking = ("is choir on tonight", "when's the one after that", "and after that")
    for question in (*asking, "and the one after that"):
        answer = reply(asked, question, topic)
        assert answer is not None
        told.append(answer.text)
        topic = Topic(passage=answer.passage, moment=answer.moment)
    assert told[1:] == [
        "The one after that is on Tuesday, March 16 at 7 pm.",
        "The one after that is on Tuesday, March 23 at 7 pm.",
        "Your calendar has none after that.",
    ]


def test_it_stands_for_the_event_that_was_told(asked: EventQuestions) -> None:
    answer = reply(asked, "is the dentist tomorrow")
    assert answer is not None
    again = reply(asked, "is it on thursday", Topic(passage=answer.passage))
    assert again is not None
    assert again.text == "Yes, Dentist is on Thursday at 9:30 am."


@pytest.mark.parametrize(
    ("before", "question", "said"),
    [
        ("is choir on tonight", "what time", "Mila: choir practice is today at 7 pm."),
        ("is choir on tonight", "and when?", "Mila: choir practice is today at 7 pm."),
        ("is choir on tonight", "how long is that from now", "That is in two hours."),
        ("is choir on tonight", "how many hours is that", "That is in two hours."),
        ("is choir on tonight", "how soon is that then", "That is in two hours."),
        ("is the dentist tomorrow", "what day is that", "Dentist is on Thursday at 9:30 am."),
        ("is the dentist tomorrow", "how many days away is it", "That is in two days."),
        (
            "is the dentist tomorrow",
            "and where is it and what time",
            "Dentist is on Thursday at 9:30 am at Mill Street Surgery.",
        ),
        ("is the dentist tomorrow", "where's that", "Dentist is at Mill Street Surgery."),
        ("is choir on tonight", "where is it", "Mila: choir practice is at St Anne's Hall."),
    ],
)
def test_what_names_nothing_goes_on_from_the_event_that_was_told(
    asked: EventQuestions, before: str, question: str, said: str
) -> None:
    told = reply(asked, before)
    assert told is not None
    topic = Topic(passage=told.passage, sentence=told.sentence, moment=told.moment)
    answer = reply(asked, question, topic)
    assert answer is not None
    assert answer.text == said
    assert answer.passage == told.passage


@pytest.mark.parametrize(
    "question",
    [
        "what time do we leave",
        "when did you last see him",
        "when does it end",
        "what time is the bus",
        "who is it with",
    ],
)
def test_what_names_or_asks_another_thing_does_not_go_on(
    asked: EventQuestions, question: str
) -> None:
    told = reply(asked, "is choir on tonight")
    assert told is not None
    assert reply(asked, question, Topic(passage=told.passage, moment=told.moment)) is None


def test_after_several_events_it_is_not_guessed_which_is_meant(asked: EventQuestions) -> None:
    told = reply(asked, "is choir on tonight")
    assert told is not None
    both = Topic(passage=told.passage, sentence=f"{told.sentence}\nDentist is on Thursday.")
    assert reply(asked, "what time", both) is None
