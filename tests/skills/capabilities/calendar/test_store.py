"""The calendar's file: what is acknowledged is written there, and what others wrote stays."""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Event
from zoneinfo import ZoneInfo

import icalendar
import pytest

from assistant.core.errors import SkillError
from assistant.core.files import replace_file
from assistant.core.messages import CalendarChanged, SpokenReply
from assistant.skill import CalendarEvent, Undo
from assistant.skill.memory import MemoryCalendar
from skills.capabilities.calendar import store as store_module
from skills.capabilities.calendar.events import KEPT
from skills.capabilities.calendar.store import UNWRITTEN, StoredCalendar
from skills.capabilities.calendar.text import events_in, with_events
from skills.isolation.capabilities import carry_out, remote
from skills.later.timing import Timing
from skills.state import open_state
from tests.skills.capabilities.calendar.test_text import OTHERS
from tests.support.radicale import event
from tests.support.talking import Talk, command

ZONE = ZoneInfo("Europe/Zurich")
NOW = datetime(2026, 1, 5, 18, 30, tzinfo=ZONE)
HOUR, DAY = timedelta(hours=1), timedelta(days=1)
FRIDAY = datetime(2026, 1, 9, 15, tzinfo=ZONE)
ADD = command("AddEvent", what="dentist", moment="2026-01-09T15:00:00+00:00")
YEAR = 366 * DAY


class Kept:
    """A calendar in a file, and all that was told of it."""

    def __init__(self, path: Path | None, now: datetime = NOW) -> None:
        self.told: list[str] = []
        self.path, self.database = path, open_state(path and path.with_name("state.db"))
        timing = Timing(lambda: now, "boot")
        self.calendar = StoredCalendar(self.database, path, timing, self.told.append)

    def do(self, act: Callable[[StoredCalendar], CalendarEvent | Undo | None]) -> object:
        with self.database.transaction():
            done = act(self.calendar)
        self.calendar.write(0.0)
        return done

    def add(
        self, title: str = "Dentist", starts: datetime = FRIDAY, rule: str = ""
    ) -> CalendarEvent:
        made = self.do(lambda calendar: calendar.add(title, starts, starts + HOUR, rule=rule))
        assert isinstance(made, CalendarEvent)
        return made

    @property
    def times(self) -> list[tuple[str, datetime]]:
        found = self.calendar.between(NOW, NOW + YEAR)
        return [(event.title, event.starts) for event in found]

    @property
    def text(self) -> str:
        assert self.path is not None
        return self.path.read_bytes().decode()


@pytest.fixture
def keeping() -> Iterator[Callable[..., Kept]]:
    made: list[Kept] = []

    def keep(path: Path, now: datetime = NOW) -> Kept:
        made.append(Kept(path, now))
        return made[-1]

    yield keep
    for one in made:
        one.database.close()


@pytest.fixture
def kept(keeping: Callable[..., Kept], tmp_path: Path) -> Kept:
    return keeping(tmp_path / "calendar.ics")


def test_an_event_is_in_the_file_as_others_read_it(kept: Kept) -> None:
    kept.add("Dentist, upstairs; floor 2")
    (event,) = icalendar.Calendar.from_ical(kept.text).walk("VEVENT")
    assert str(event["SUMMARY"]) == "Dentist, upstairs; floor 2"
    assert (event.start, event.end) == (FRIDAY, FRIDAY + HOUR)
    assert kept.path is not None
    assert kept.path.stat().st_mode & 0o777 == 0o600


def test_what_others_wrote_stays(kept: Kept) -> None:
    assert kept.path is not None
    kept.path.write_bytes(OTHERS.encode())
    kept.path.chmod(0o644)
    event = kept.add()
    kept.do(lambda calendar: calendar.move(event, FRIDAY + DAY, FRIDAY + DAY + HOUR))
    kept.do(lambda calendar: calendar.remove(event))
    begin, end = kept.text.index("BEGIN:VTIMEZONE\r\nTZID:Europe"), kept.text.rindex("END:VCAL")
    assert kept.text[:begin] + kept.text[end:] == OTHERS
    assert kept.path.stat().st_mode & 0o777 == 0o644


def test_an_event_of_others_is_moved_and_keeps_what_they_wrote(kept: Kept) -> None:
    assert kept.path is not None
    theirs = OTHERS.replace(
        "UID:one@others\r\n",
        "UID:one@others\r\nDTSTART;TZID=America/New_York:20260109T090000\r\nDURATION:PT2H\r\n"
        "SEQUENCE:4\r\n",
    )
    kept.path.write_bytes(theirs.encode())
    (event,) = kept.calendar.between(NOW, NOW + YEAR)
    assert (event.starts, event.ends - event.starts) == (FRIDAY, 2 * HOUR)
    kept.do(lambda calendar: calendar.move(event, FRIDAY + DAY, FRIDAY + DAY + HOUR))
    assert kept.times == [("Small letters", FRIDAY + DAY)]
    for line in ("X-ODD;:\\q", "summary:Small\r\n  letters", "TRIGGER:-PT5M", "SEQUENCE:5"):
        assert line in kept.text


def test_a_series_with_one_time_moved_one_left_out_and_then_all_moved(kept: Kept) -> None:
    tuesday = datetime(2026, 1, 6, 18, tzinfo=ZONE)
    kept.add("Choir", tuesday, "FREQ=WEEKLY;BYDAY=TU")
    _, second, third, *_ = kept.calendar.between(NOW, NOW + YEAR)
    undo = kept.do(lambda c: c.move(second, second.starts + HOUR, second.ends + HOUR))
    kept.do(lambda c: c.remove(third))
    days = [starts for _, starts in kept.times[:3]]
    assert days == [tuesday, tuesday + 7 * DAY + HOUR, tuesday + 21 * DAY]
    first = kept.calendar.coming()[0]
    kept.do(lambda c: c.move(first, first.starts + DAY, first.ends + DAY, every=True))
    days = [starts for _, starts in kept.times[:3]]
    assert days == [tuesday + DAY, tuesday + 7 * DAY + HOUR, tuesday + 22 * DAY]
    assert isinstance(undo, Undo)
    kept.do(lambda c: c.take_back(undo))
    assert [starts for _, starts in kept.times[:3]] == [tuesday + n * DAY for n in (0, 7, 14)]


def test_a_moved_time_of_a_series_is_removed_alone(kept: Kept) -> None:
    tuesday = datetime(2026, 1, 6, 18, tzinfo=ZONE)
    kept.add("Choir", tuesday, "FREQ=WEEKLY;BYDAY=TU")
    second = kept.calendar.between(NOW, NOW + YEAR)[1]
    kept.do(lambda c: c.move(second, second.starts + HOUR, second.ends + HOUR))
    moved = kept.calendar.between(NOW, NOW + YEAR)[1]
    kept.do(lambda c: c.remove(moved))
    assert [starts for _, starts in kept.times[:2]] == [tuesday, tuesday + 14 * DAY]


def test_a_series_of_two_days_a_week_is_not_moved_to_another_day(kept: Kept) -> None:
    event = kept.add("Swim", datetime(2026, 1, 6, 18, tzinfo=ZONE), "FREQ=WEEKLY;BYDAY=TU,TH")
    with pytest.raises(SkillError, match="only change the time of day"):
        kept.do(lambda c: c.move(event, event.starts + DAY, event.ends + DAY, every=True))
    kept.do(lambda c: c.move(event, event.starts + HOUR, event.ends + HOUR, every=True))
    assert [starts.hour for _, starts in kept.times[:2]] == [19, 19]


@pytest.mark.parametrize("zone", [UTC, ZONE, datetime.now().astimezone().tzinfo])
def test_summer_time_changes_no_hour(
    keeping: Callable[..., Kept], tmp_path: Path, zone: ZoneInfo
) -> None:
    kept = keeping(tmp_path / "calendar.ics", NOW.astimezone(zone))
    kept.add("Choir", datetime(2026, 3, 24, 18, tzinfo=zone), "FREQ=WEEKLY;COUNT=3")
    found = kept.calendar.between(NOW.astimezone(zone), NOW.astimezone(zone) + YEAR)
    assert [event.starts.hour for event in found] == [18, 18, 18]


@pytest.mark.parametrize(
    ("content", "code"),
    [(b"no calendar", "damaged"), (b"\xff\xfe", "damaged"), (OTHERS[:-20].encode(), "damaged")],
)
def test_a_damaged_file_is_left_alone(
    kept: Kept, content: bytes, code: str, caplog: pytest.LogCaptureFixture
) -> None:
    assert kept.path is not None
    kept.path.write_bytes(content)
    with pytest.raises(SkillError, match="damaged") as told:
        kept.add()
    assert told.value.code == f"calendar.{code}"
    assert caplog.text.count(f"(calendar.{code})") == 1
    assert kept.path.read_bytes() == content
    assert kept.database.execute("SELECT * FROM calendar_changes") == []
    replace_file(kept.path, OTHERS.encode())
    kept.add()
    assert "Dentist" in kept.text


BAD = event("bad", "Bad", "20260109T150000", "RRULE:FREQ=DAILY;BYDAY=MO;BYSETPOS=366")
GOOD = event("good", "Good", "20260109T150000", "RRULE:FREQ=WEEKLY")


LOST = event("bad", "Bad", "20260109T150000").replace("DTSTART", f"DTSTART;TZID={'x' * 300}")
DEEP = event("bad", "Bad", "20260109T150000").replace("DTSTART", f"DTSTART;TZID={'=/' * 2000}=")


@pytest.mark.parametrize(
    ("bad", "why"),
    [(BAD, "its rule gives no days"), (LOST, "OSError"), (DEEP, "OSError")],
)
def test_an_event_that_cannot_be_followed_is_left_out_and_named(
    kept: Kept, caplog: pytest.LogCaptureFixture, bad: str, why: str
) -> None:
    assert kept.path is not None
    kept.path.write_bytes(with_events(GOOD, events_in(bad)).encode())
    for _ in range(2):
        assert [one.title for one in kept.calendar.coming()] == ["Good"]
        assert [one.title for one in kept.calendar.between(FRIDAY, FRIDAY + DAY)] == ["Good"]
    assert caplog.text.count(f"the event 'bad' is left out: {why}") == 1
    with pytest.raises(SkillError):
        kept.add(rule="FREQ=DAILY;BYDAY=MO;BYSETPOS=366")


def test_a_numbered_day_of_a_weekly_rule_is_told(kept: Kept) -> None:
    assert kept.path is not None
    odd = event("odd", "Odd", "20260109T150000", "RRULE:FREQ=WEEKLY;BYDAY=1MO,FR")
    kept.path.write_bytes(odd.encode())
    (one,) = kept.calendar.coming()
    assert one.then == "every Monday and Friday at 3 pm"


def test_an_event_that_was_left_out_is_forgotten_when_it_is_gone(kept: Kept) -> None:
    assert kept.path is not None
    for number in range(3):
        kept.path.write_bytes(BAD.replace("UID:bad", f"UID:bad{number}").encode())
        assert kept.calendar.coming() == ()
    assert kept.calendar.left_out == {"bad2"}


def test_events_that_are_no_more_in_the_file_are_forgotten(kept: Kept) -> None:
    path = kept.path
    assert path is not None
    for number in range(3):
        path.write_text(event("1", f"Walk {number}", "20260109T150000"))
        assert [one.title for one in kept.calendar.coming()] == [f"Walk {number}"]
        assert KEPT.chars == sum(map(len, kept.calendar.held().values()))


def test_a_large_calendar_is_read_beside_what_is_asked(
    kept: Kept, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert kept.path is not None
    going = Event()
    monkeypatch.setattr(store_module, "READ_AT_ONCE", 100)
    monkeypatch.setattr(store_module, "READ_WITHIN_S", 0.0)
    monkeypatch.setattr(kept.calendar, "_read_ahead", lambda *_: going.wait(60))
    kept.path.write_bytes(GOOD.encode())
    with pytest.raises(SkillError, match=r"^I'm still reading your calendar\.$"):
        kept.calendar.coming()
    going.set()
    monkeypatch.setattr(store_module, "READ_WITHIN_S", 60.0)
    assert [one.title for one in kept.calendar.coming()] == ["Good"]


def test_a_read_only_file_is_not_changed(kept: Kept, caplog: pytest.LogCaptureFixture) -> None:
    assert kept.path is not None
    event = kept.add()
    kept.path.chmod(0o444)
    before = kept.text
    with pytest.raises(SkillError, match=r"can't change calendar\.ics") as told:
        kept.do(lambda calendar: calendar.remove(event))
    assert told.value.code == "calendar.read_only"
    assert caplog.text.count("(calendar.read_only)") == 1
    assert (kept.text, kept.times) == (before, [("Dentist", FRIDAY)])


def test_a_file_that_cannot_be_written_now_is_written_later(
    kept: Kept, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr("skills.capabilities.calendar.file.replace_file", full)
        kept.add()
        kept.calendar.write(30.0)
        kept.calendar.write(100.0)
    assert kept.told == [UNWRITTEN]
    assert caplog.text.count("(calendar.unwritten)") == 1
    assert kept.times == [("Dentist", FRIDAY)]
    assert kept.path is not None
    assert not kept.path.exists()
    assert kept.calendar.deadline_s() == 160.0
    assert kept.calendar.write(161.0)
    assert "Dentist" in kept.text


def test_an_undo_that_is_made_up_changes_no_other_event(kept: Kept) -> None:
    event = kept.add()
    forged = kept.text.split("END:VTIMEZONE\r\n")[1].replace(event.id, "other")
    for value in (forged, "END:VCALENDAR", "nonsense"):
        with pytest.raises(SkillError, match="no event"):
            kept.calendar.take_back(Undo("calendar.restore", event.id, value))


def test_a_turn_that_fails_leaves_nothing(kept: Kept) -> None:
    def fails(calendar: StoredCalendar) -> None:
        calendar.add("Dentist", FRIDAY, FRIDAY + HOUR)
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        kept.do(fails)
    kept.calendar.write(0.0)
    assert kept.times == []
    assert kept.path is not None
    assert not kept.path.exists()


DIES = """
import os, signal, sys
from pathlib import Path
from tests.skills.capabilities.calendar.test_store import Kept
real = os.replace
def killed(source, target):
    if str(target).endswith("calendar.ics") and sys.argv[2] == "before":
        os.kill(os.getpid(), signal.SIGKILL)
    real(source, target)
    if str(target).endswith("calendar.ics"):
        os.kill(os.getpid(), signal.SIGKILL)
os.replace = killed
Kept(Path(sys.argv[1])).add()
"""


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_kill_around_the_rename_loses_and_doubles_nothing(
    keeping: Callable[..., Kept], tmp_path: Path, when: str
) -> None:
    path = tmp_path / "calendar.ics"
    path.write_bytes(OTHERS.encode())
    done = subprocess.run([sys.executable, "-c", DIES, path, when], cwd=os.getcwd(), check=False)
    assert done.returncode == -signal.SIGKILL
    assert ("Dentist" in path.read_bytes().decode()) == (when == "after")
    again = keeping(path)
    assert again.times == [("Dentist", FRIDAY)]
    assert again.calendar.write(0.0)
    assert again.text.count("SUMMARY:Dentist") == 1
    assert again.database.execute("SELECT * FROM calendar_changes") == []


def test_the_answers_are_told_at_once_and_the_undo_survives(talk: Talk) -> None:
    told = talk.hear("add dentist", ADD)
    assert [type(m) for m in told if not isinstance(m, SpokenReply)] == [CalendarChanged]
    assert talk.path is not None
    file = talk.path.with_name("calendar.ics")
    assert b"SUMMARY:Dentist" in file.read_bytes()
    talk.restart()
    assert talk.ask("Undo") == "I took that back."
    assert b"Dentist" not in file.read_bytes()


def test_a_damaged_file_is_told_in_one_sentence(
    talk: Talk, caplog: pytest.LogCaptureFixture
) -> None:
    assert talk.path is not None
    talk.path.with_name("calendar.ics").write_text("no calendar")
    with caplog.at_level(logging.ERROR):
        told = talk.say("add dentist", ADD)
    assert told == "I can't read calendar.ics, as it is damaged. I leave it as it is."
    assert talk.ask("Undo") == "There is nothing that I can take back."


def test_every_operation_passes_the_line_of_an_isolated_skill() -> None:
    kept = MemoryCalendar()
    calendar = remote("calendar", lambda name, what, given: carry_out(name, kept, what, given))
    event = calendar.add("Dentist", FRIDAY, FRIDAY + HOUR)
    assert calendar.coming() == (event,)
    assert calendar.between(NOW, NOW + DAY) == ()
    calendar.move(event, FRIDAY + DAY, FRIDAY + DAY + HOUR)
    assert calendar.coming()[0].starts == FRIDAY + DAY
    assert calendar.remove(event).operation == "calendar.restore"
    assert calendar.coming() == ()
