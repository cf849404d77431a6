"""Events and notes are stored, days are asked about, one short sentence comes back."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import msgspec
import pytest

from assistant.answer.answerer import NOTHING_FOUND, Answer, Answerer, AnswerTier
from assistant.answer.answers import DocumentAnswers
from assistant.answer.build import Answering
from assistant.answer.calendar.calendar import Calendar
from assistant.answer.generation.grounding import ungrounded
from assistant.answer.generation.token_scheduler import finished
from assistant.answer.ingest.formats import select
from assistant.answer.knowledge.knowledge import Knowledge
from assistant.answer.knowledge.passages import Passage, cut
from assistant.answer.knowledge.query import Filter
from assistant.answer.quality.monitor import AnswerMonitor
from assistant.answer.retrieval.search import SearchResult
from assistant.answer.summary.summariser import Summariser
from assistant.core.calendar.series import Series
from assistant.core.config import Config
from assistant.core.messages import (
    CalendarTask,
    FindFreeTime,
    FindNextEvent,
    ListEvents,
    ListNotes,
    Period,
)
from assistant.core.models.manifest import Library
from assistant.core.models.opened import OpenModels
from assistant.core.settings.calendar import CalendarSettings
from nlu.values.resolve import resolve

BERLIN = ZoneInfo("Europe/Berlin")
MONDAY = datetime(2027, 3, 1, 18, tzinfo=BERLIN)
"""In a week in which no clock changes."""

TUESDAY = Period(
    since=datetime(2027, 3, 1, 23, tzinfo=UTC), until=datetime(2027, 3, 2, 23, tzinfo=UTC)
)
"""As it comes over the bus."""

EVENTS = """
SUMMARY:Dentist
DTSTART;TZID=Europe/Berlin:20270302T093000
DTEND;TZID=Europe/Berlin:20270302T101500
LOCATION:Dr Pell

SUMMARY:Choir
DTSTART;TZID=Europe/Berlin:20270105T190000
DTEND;TZID=Europe/Berlin:20270105T203000
RRULE:FREQ=WEEKLY;BYDAY=TU
EXDATE;TZID=Europe/Berlin:20270309T190000

SUMMARY:Dinner
DTSTART:20270305T180000Z
ATTENDEE;CN=Alice Berg:mailto:alice@example.org

SUMMARY:School holidays
DTSTART;VALUE=DATE:20270304
DTEND;VALUE=DATE:20270309

SUMMARY:Dentist
DTSTART:20260302T093000

SUMMARY:Breakfast
DTSTART:20270301T080000

SUMMARY:Night train
DTSTART;TZID=Europe/Berlin:20270319T220000
DTEND;TZID=Europe/Berlin:20270320T070000

SUMMARY:Sailing
DTSTART;TZID=Europe/Berlin:20270301T100000
STATUS:CANCELLED
"""

_LUNCH, _PARTY = (
    f"SUMMARY:{name}\nDTSTART:{day}T200000"
    for name, day in (("Lunch", 20270302), ("Party", 20270320))
)


@pytest.fixture(autouse=True)
def berlin(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


class House:
    """Documents in memory, and a clock."""

    def __init__(self, knowledge: Knowledge) -> None:
        self.knowledge, self.now = knowledge, MONDAY
        self.calendar = Calendar(self.knowledge, lambda: self.now)

    def keep(self, name: str, content: str) -> None:
        document = select.parse(f"/notes/{name}", content.encode())
        passages = tuple(cut(document))
        self.knowledge.sources.add(Path(f"/{name}"), name, document.title, document.kind, passages)

    def events(self, events: str = EVENTS) -> House:
        blocks = events.strip().split("\n\n")
        lines = "".join(f"BEGIN:VEVENT\n{block}\nEND:VEVENT\n" for block in blocks if block)
        self.keep("home.ics", f"BEGIN:VCALENDAR\n{lines}END:VCALENDAR\n")
        return self

    def plans(self, said: str) -> str:
        return _text(self.planned(said))

    def planned(self, said: str) -> Answer | None:
        return self.calendar.answer(ListEvents(period=self._period(said), said=said))

    def notes(self, said: str) -> str:
        return _text(self.noted(said))

    def noted(self, said: str, topic: str = "") -> Answer | None:
        return self.calendar.answer(ListNotes(period=self._period(said), said=said, topic=topic))

    def next(self, person: str = "") -> str:
        return _text(self.calendar.answer(FindNextEvent(person=person)))

    def _period(self, said: str) -> Period:
        return Period.read(str(resolve(said, "period", self.now).value))


def _text(answer: Answer | None) -> str:
    return answer.text if answer is not None else NOTHING_FOUND


@pytest.fixture
def bare_house() -> Iterator[House]:
    """Without documents."""
    with closing(Knowledge(None, BERLIN)) as knowledge:
        yield House(knowledge)


@pytest.fixture
def house(bare_house: House) -> House:
    return bare_house.events()


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ("tomorrow", "Tomorrow: Dentist at 9:30 am and Choir at 7 pm."),
        ("tomorrow morning", "Tomorrow morning: Dentist at 9:30 am."),
        ("on tuesday evening", "On Tuesday evening: Choir at 7 pm."),
        ("friday", "On Friday: School holidays all day and Dinner at 7 pm."),
        ("on monday", "On Monday, March 8: School holidays all day."),
        ("next week", "Next week: on Monday School holidays all day."),
        (
            "this week",
            "This week: tomorrow Dentist at 9:30 am and Choir at 7 pm; on Thursday School holidays "
            "all day; on Friday Dinner at 7 pm.",
        ),
        ("the weekend", "The weekend: on Saturday School holidays all day."),
        ("the twentieth of march", "On Saturday, March 20: Night train until 7 am."),
        ("the third of may", "Nothing is in your calendar for Monday, May 3."),
        ("wednesday", "Nothing is in your calendar for Wednesday."),
        ("on wednesday morning", "Nothing is in your calendar for Wednesday morning."),
        ("last november", "Nothing is in your calendar for last November."),
        ("today", "Nothing more is in your calendar for today."),
        ("yesterday", "Nothing is in your calendar for yesterday."),
        ("the tenth of march", "Nothing is in your calendar for Wednesday, March 10."),
    ],
)
def test_the_events_of_a_time(house: House, said: str, told: str) -> None:
    assert house.plans(said) == told


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("which bin is it tonight", "Recycling is today at 9 pm. Orange bag. No glass."),
        ("what bins go out tonight", "Recycling is today at 9 pm. Orange bag. No glass."),
        ("when is the lodge meeting today", ""),
        ("who takes the bin out tonight", ""),
        ("where is the bin tonight", ""),
        ("what is on tonight", ""),
    ],
)
def test_an_event_of_the_period_that_is_named(bare_house: House, question: str, told: str) -> None:
    house = bare_house.events(
        "SUMMARY:Recycling\nDTSTART:20270301T210000\nDESCRIPTION:Orange bag. No glass."
    )
    period = Period(since=MONDAY, until=MONDAY + timedelta(hours=9))
    found = house.calendar.about(question, period)
    assert (found.text if found else "") == told


def test_no_day_is_remembered(house: House) -> None:
    assert house.plans("tomorrow").startswith("Tomorrow: Dentist")
    house.now += timedelta(hours=7)
    assert house.plans("tomorrow") == "Nothing is in your calendar for tomorrow."
    assert house.plans("today") == "Today: Dentist at 9:30 am and Choir at 7 pm."
    house.now += timedelta(hours=12)
    assert house.plans("today") == "Today: Choir at 7 pm."


def test_what_is_left_out_of_a_series_is_not_told(house: House) -> None:
    house.now += timedelta(days=7)
    assert house.plans("tomorrow") == "Nothing is in your calendar for tomorrow."


def test_of_many_events_the_number_is_told(bare_house: House) -> None:
    events = "\n\n".join(
        f"SUMMARY:Call {name}\nDTSTART:20270302T{hour:02}0000"
        for hour, name in enumerate(("Ann", "Bob", "Cy", "Di", "Ed", "Flo", "Gus"), 9)
    )
    assert bare_house.events(events).plans("tomorrow") == (
        "Tomorrow: Call Ann at 9 am, Call Bob at 10 am, Call Cy at 11 am, Call Di at 12 pm,"
        " Call Ed at 1 pm and 2 more."
    )


def test_of_many_events_a_series_is_told_once(bare_house: House) -> None:
    weekly = "SUMMARY:{}\nDTSTART:202703{:02}T{:02}0000\nRRULE:FREQ=WEEKLY"
    events = [weekly.format("Choir", 2, 19), weekly.format("Gym", 4, 7), _LUNCH, _PARTY]
    house = bare_house.events("\n\n".join(events))
    assert house.plans("this month") == (
        "This month: tomorrow Lunch at 8 pm and Choir at 7 pm, then four more times; "
        "on Thursday Gym at 7 am, then three more times; on Saturday, March 20 Party at 8 pm."
    )
    # What is not too much is told at each of its times.
    assert house.plans("this week") == (
        "This week: tomorrow Choir at 7 pm and Lunch at 8 pm; on Thursday Gym at 7 am."
    )
    answer = house.planned("this month")
    assert answer is not None
    assert answer.sentence.count("Choir") == 1


def test_one_event_is_told_once_though_two_files_have_it(house: House) -> None:
    house.keep("again.ics", _one("SUMMARY:Dentist\nDTSTART;TZID=Europe/Berlin:20270302T093000"))
    assert house.plans("tomorrow").count("Dentist") == 1


def test_a_long_event_is_told_once(bare_house: House) -> None:
    about = "\\n".join(f"Point {n} of the agenda takes a while to tell." for n in range(60))
    bare_house.keep(
        "long.ics", _one(f"SUMMARY:Board\nDTSTART:20270302T093000\nDESCRIPTION:{about}")
    )
    assert bare_house.plans("tomorrow") == "Tomorrow: Board at 9:30 am."


def test_where_no_calendar_is_nothing_was_found(bare_house: House) -> None:
    assert bare_house.planned("tomorrow") is None
    bare_house.events("")
    assert bare_house.plans("tomorrow") == "Nothing is in your calendar for tomorrow."


def test_times_are_told_where_one_is() -> None:
    new_york = ZoneInfo("America/New_York")
    with closing(Knowledge(None, new_york)) as knowledge:
        house = House(knowledge).events()
        house.now = house.now.astimezone(new_york)
        assert house.plans("tomorrow") == "Tomorrow: Dentist at 3:30 am and Choir at 1 pm."


def test_a_day_is_meant_by_the_clock_of_that_day(bare_house: House) -> None:
    """The offset of now is not that of after the change of clocks."""
    bare_house.now = datetime(2027, 3, 26, 18, tzinfo=BERLIN)
    bare_house.events(
        "SUMMARY:Late\nDTSTART:20270328T233000\n\nSUMMARY:Early\nDTSTART:20270329T003000"
    )
    assert bare_house.plans("monday") == "On Monday: Early at 12:30 am."
    assert bare_house.plans("sunday") == "On Sunday: Late at 11:30 pm."


@pytest.mark.parametrize(
    ("person", "told"),
    [
        ("", "Dentist is tomorrow at 9:30 am."),
        ("alice", "Dinner is on Friday at 7 pm."),
        ("bob", "Nothing with Bob is coming up in your calendar."),
    ],
)
def test_the_next_event(house: House, person: str, told: str) -> None:
    assert house.next(person) == told


def test_the_next_of_a_series_far_ahead(bare_house: House) -> None:
    house = bare_house.events("SUMMARY:Leap\nDTSTART;VALUE=DATE:20240229\nRRULE:FREQ=YEARLY")
    assert house.next() == "Leap is on Tuesday, February 29, 2028, all day."


@pytest.mark.parametrize(
    ("question", "name", "said", "told"),
    [
        ("when is choir", "Choir", "Choir is every Tuesday.", "… The next is tomorrow at 7 pm."),
        ("where is choir", "Choir", "Choir is every Tuesday.", "…"),
        ("what time is dinner", "Dinner", "Dinner is on Friday.", "…"),
        (
            "when was breakfast",
            "Breakfast",
            "Breakfast is on Monday.",
            "Breakfast was on Monday, March 1, 2027 at 08:00.",
        ),
    ],
)
def test_when_is_told_as_of_today(
    house: House, question: str, name: str, said: str, told: str
) -> None:
    made = _found(house, name, said)
    assert house.calendar.dated(question, made).text == told.replace("…", said)


def test_of_events_of_one_name_the_next_is_told(house: House) -> None:
    made = _found(house, "Dentist", "Dentist is on Monday, March 2, 2026 at 09:30.", "2026")
    told = house.calendar.dated("when is the dentist", made).text
    assert told == "Dentist is on Tuesday, March 2, 2027 at 09:30 for 45 minutes at Dr Pell."


def test_each_thing_said_stands_in_the_stored_events(house: House) -> None:
    for said in ("tomorrow", "friday", "this week"):
        answer = house.planned(said)
        assert answer is not None
        assert answer.tier is AnswerTier.EXTRACTED
        told = re.sub(r"^[^:]*: |\b(?:on|at|until) .*?(?=[;,.]| and )", "", answer.text)
        missing = ungrounded(told.replace(" all day", ""), [answer.sentence])
        assert set(missing) <= {"not"}  # of the days on which an event is left out
    # The control: a name that no event has is not let through.
    assert "Opera" in ungrounded("Opera", [answer.sentence])


# ── notes ───────────────────────────────────────────────────────────────────────────────────


def test_what_was_noted_in_a_time(bare_house: House) -> None:
    bare_house.keep("2027-02-22 boiler.md", "The pressure fell to 0.9 bar. Called Hale.")
    bare_house.keep("2027-02-26.md", "Bees seen in the lane")
    bare_house.keep("2027-02-10.md", "Snow.")
    bare_house.keep("plain.md", "Never dated.")
    assert bare_house.notes("last week") == (
        "Monday, February 22: The pressure fell to 0.9 bar."
        " Friday, February 26: Bees seen in the lane."
    )
    assert bare_house.notes("yesterday") == "You noted nothing yesterday."


def test_of_many_notes_the_number_is_told(bare_house: House) -> None:
    for day in range(22, 27):
        bare_house.keep(f"2027-02-{day}.md", f"Note {day}.")
    assert bare_house.notes("last week").endswith("Note 24. And two more notes.")


def test_where_no_note_has_a_day_nothing_was_found(bare_house: House) -> None:
    bare_house.keep("plain.md", "Never dated.")
    assert bare_house.notes("last week") == NOTHING_FOUND


def test_a_topic_is_looked_for_in_the_notes_of_the_time(bare_house: House) -> None:
    bare_house.keep("2027-02-22.md", "Met Ann. The boilers were tested. Went home.")
    bare_house.keep("2027-02-10.md", "The boiler was bought.")
    told = bare_house.noted("last week", topic="boiler")
    assert told is not None
    assert told.text == "Monday, February 22: The boilers were tested."
    assert bare_house.noted("last week", topic="snow") is None


# ── the documents, where the calendar is silent ─────────────────────────────────────────────


class Finder:
    """Finds nothing, and keeps what it was to look through first."""

    def __init__(self) -> None:
        self.within: list[Filter | None] = []

    def find_all(
        self, questions: Sequence[str], within: Filter | None = None
    ) -> list[SearchResult]:
        self.within.append(within)
        return [SearchResult([], []) for _ in questions]


@pytest.mark.parametrize(
    ("task", "within"),
    [
        (FindNextEvent(person="alice"), Filter(naming=("alice",))),
        (FindNextEvent(), Filter()),
        (ListEvents(period=TUESDAY), Filter(since=TUESDAY.since, until=TUESDAY.until)),
        (
            ListNotes(period=TUESDAY, topic="snow"),
            Filter(since=TUESDAY.since, until=TUESDAY.until),
        ),
    ],
)
def test_where_nothing_is_stored_the_documents_are_asked_by_their_own_clock(
    bare_house: House, task: CalendarTask, within: Filter
) -> None:
    finder = Finder()
    answerer = Answerer(finder, None, lambda: 0)
    summariser = Summariser(bare_house.knowledge.sources, None, None)
    answers = DocumentAnswers(answerer, summariser, None, bare_house.calendar, AnswerMonitor(9.0))
    assert finished(answers.scheduled("what is next", task)).tier is AnswerTier.DECLINED
    today = bare_house.calendar.present().date()
    assert finder.within == [msgspec.structs.replace(within, today=today)]
    for asked in filter(None, finder.within):
        assert asked.since is None or asked.since.tzinfo is BERLIN


def _one(event: str) -> str:
    return f"BEGIN:VCALENDAR\nBEGIN:VEVENT\n{event}\nEND:VEVENT\nEND:VCALENDAR\n"


def _found(house: House, name: str, said: str, starts: str = "") -> Answer:
    """An answer that was found in the event of that name."""
    everything = house.knowledge.passages.read(range(1, 50))
    stored = next(
        one
        for one in everything
        if one.passage.place == name and one.passage.starts.startswith(starts)
    )
    return Answer(text=said, tier=AnswerTier.GENERATOR, kind="event", passage=stored.id)


# ── what is not read ────────────────────────────────────────────────────────────────────────────

READING, DAMAGED = "I'm still reading your calendar.", "I can't read school.ics."
SCHOOL = Path("/school.ics")


def _free(house: House) -> str:
    return _text(house.calendar.answer(FindFreeTime(period=house._period("tomorrow"))))


def test_a_calendar_that_is_being_read_is_never_told_to_be_empty(bare_house: House) -> None:
    knowledge = bare_house.knowledge
    knowledge.unseen = True
    told = (bare_house.plans("tomorrow"), bare_house.next(), _free(bare_house))
    assert told == (READING,) * 3
    knowledge.unseen = False
    list(knowledge.sources.expect({SCHOOL: "event"}))
    told = (bare_house.plans("tomorrow"), bare_house.next(), _free(bare_house))
    assert told == (READING,) * 3
    bare_house.events()
    assert _free(bare_house) == READING
    assert bare_house.next().endswith(f" {READING}")
    bare_house.keep("school.ics", "BEGIN:VCALENDAR\nEND:VCALENDAR\n")
    assert READING not in bare_house.next() + _free(bare_house)


def test_a_calendar_that_cannot_be_read_is_named_in_place_of_nothing(bare_house: House) -> None:
    list(bare_house.knowledge.sources.expect({SCHOOL: "event"}))
    bare_house.knowledge.sources.fail(SCHOOL, "1", "it is damaged")
    told = (bare_house.plans("tomorrow"), bare_house.next(), _free(bare_house))
    assert told == (DAMAGED,) * 3
    bare_house.events()
    assert bare_house.next().endswith(f" {DAMAGED}")
    assert _free(bare_house) == DAMAGED


def test_a_calendar_on_a_server_that_was_never_read_is_never_told_to_be_empty(
    bare_house: House, tmp_path: Path
) -> None:
    """Control: once it was read there is a file, and nothing on that day."""
    calendar = CalendarSettings(url="http://192.168.1.5/home/", file=str(tmp_path / "own.ics"))
    config, library = Config(calendar=calendar), Library(tmp_path)
    answering = Answering(config, library, OpenModels(), lambda: bare_house.now)
    answering.answers(bare_house.knowledge, None)
    assert (bare_house.plans("tomorrow"), _free(bare_house)) == (READING, READING)
    (tmp_path / "own.ics").touch()
    assert _free(bare_house).startswith("Tomorrow you are free")


def test_other_documents_keep_no_calendar_waiting(bare_house: House) -> None:
    list(bare_house.knowledge.sources.expect({Path("/a.pdf"): "document"}))
    assert "reading" not in bare_house.events().plans("tomorrow")
    assert bare_house.notes("today") == "I'm still reading your documents."


def _choir(start: str, rule: str, place: str = "Choir") -> Passage:
    return Passage(
        text=f"{place} is every day.",
        title="School",
        place=place,
        kind="event",
        starts=start,
        ends="9999-12-31",
        series=Series(start=start, rules=(rule,)),
    )


def test_an_event_whose_time_cannot_be_told_is_named(bare_house: House) -> None:
    passage = _choir("2026-01-01T10:00:00", "FREQ=DAILY;BYMONTHDAY=31;BYMONTH=2")
    bare_house.knowledge.sources.add(SCHOOL, "1", "School", "event", [passage])
    assert _free(bare_house) == "I can't tell when Choir takes place."


def test_the_rules_of_one_question_are_bounded_together(bare_house: House) -> None:
    rule, sources = "FREQ=DAILY;COUNT=9999", bare_house.knowledge.sources
    choirs = [_choir("1990-01-01T09:00:00", rule, f"Choir {number}") for number in range(30)]
    sources.add(SCHOOL, "1", "School", "event", choirs[:5])
    assert "can't tell" not in _free(bare_house)
    sources.add(SCHOOL, "2", "School", "event", choirs)
    assert "I can't tell when Choir" in _free(bare_house)
