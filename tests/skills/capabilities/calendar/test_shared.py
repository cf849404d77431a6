"""The calendar and its collection: what becomes of the changes of each side, and what is said."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from random import Random
from zoneinfo import ZoneInfo

import pytest

from assistant.core.calendar.messages import CollectedEvent, EventChange
from assistant.core.messages import CalendarCommand, CalendarReport, DeviceChanged, Message, Tick
from assistant.skill import CalendarEvent
from skills.capabilities.calendar import shared as shared_module
from skills.capabilities.calendar.shared import REFUSED, SharedCalendar
from skills.capabilities.calendar.text import plain
from skills.later.timing import Timing
from skills.state import open_state
from tests.support.radicale import event

ZONE = ZoneInfo("Europe/Zurich")
NOW = datetime(2026, 1, 5, 18, 30, tzinfo=ZONE)
FRIDAY = datetime(2026, 1, 9, 15, tzinfo=ZONE)
HOUR = timedelta(hours=1)
URL = "http://192.168.1.5/anna/home/"
THERE = DeviceChanged(device="calendar", present=True)
AWAY = DeviceChanged(device="calendar", present=False)
DENTIST = event("dentist", "Dentist", "20260109T150000")
LATER = event("dentist", "Dentist", "20260109T170000")


class Side:
    """The skills' side, whose process may be started again, and what a server would make of it."""

    def __init__(self, folder: Path, url: str = URL) -> None:
        self.path, self.url = folder / "calendar.ics", url
        self.said: list[str] = []
        self.there: dict[str, tuple[int, str]] = {}
        """Href → version and text, as a server has them."""
        self.command: CalendarCommand | None = None
        self.start()

    def start(self) -> None:
        self.database = open_state(self.path.with_name("state.db"))
        timing = Timing(lambda: NOW, "boot")
        given = (self.database, self.path, self.url, timing, self.said.append)
        self.shared = SharedCalendar(*given)
        self.calendar = self.shared.own

    def restart(self) -> None:
        self.database.close()
        self.start()

    def hears(self, message: Message, at_s: float = 1.0) -> list[Message]:
        self.shared.observe(message, at_s)
        given = list(self.shared.news(at_s))
        self.command = next((m for m in given if isinstance(m, CalendarCommand)), self.command)
        return given

    def do(self, act: Callable[[], object]) -> object:
        with self.database.transaction():
            done = act()
        self.hears(Tick())
        return done

    def add(self, title: str = "Dentist", starts: datetime = FRIDAY) -> CalendarEvent:
        made = self.do(lambda: self.calendar.add(title, starts, starts + HOUR))
        assert isinstance(made, CalendarEvent)
        return made

    def moves(self, hours: int) -> None:
        (one,) = self.calendar.coming()
        by = timedelta(hours=hours)
        self.do(lambda: self.calendar.move(one, one.starts + by, one.ends + by))

    def removes(self) -> None:
        (one,) = self.calendar.coming()
        self.do(lambda: self.calendar.remove(one))

    def put_there(self, name: str, text: str) -> None:
        version = self.there.get(f"/{name}", (0, ""))[0] + 1
        self.there[f"/{name}"] = version, text

    def served(self, *, refuses: bool = False, tells: bool = True) -> None:
        """What the bridge and a server make of the last command, which is reported."""
        command = self.command
        assert command is not None
        self.command = None
        done, refused = [], []
        for change in command.changes:
            href = change.href or f"/{change.uid}"
            version = self.there.get(href, (0, ""))[0]
            if refuses:
                refused.append(change.uid)
            elif change.etag == (str(version) if version else ""):
                done.append(change.uid)
                if change.text:
                    self.there[href] = version + 1, change.text
                else:
                    del self.there[href]
        report = CalendarReport(
            command_id=command.id,
            events=tuple(
                CollectedEvent(href, str(version), text)
                for href, (version, text) in self.there.items()
                if command.versions.get(href) != str(version)
            ),
            gone=tuple(href for href in command.versions if href not in self.there),
            done=tuple(done),
            refused=tuple(refused),
        )
        if tells:
            self.hears(report)

    def in_step(self) -> None:
        """Serve commands until nothing differs any more."""
        while self.command is not None and (self.command.changes or self._differs(self.command)):
            self.served()

    def _differs(self, command: CalendarCommand) -> bool:
        return command.versions != {h: str(version) for h, (version, _) in self.there.items()}

    @property
    def ours(self) -> list[tuple[str, int]]:
        """Title and hour of each event here."""
        return [(one.title, one.starts.hour) for one in self.calendar.coming()]

    @property
    def theirs(self) -> list[str]:
        """What each event there begins at."""
        lines = (line for _, text in self.there.values() for line in plain(text).split("\n"))
        times = (line.rpartition(":")[2] for line in lines if line.startswith("DTSTART"))
        return sorted(time for time in times if time > "2026")  # zones begin earlier

    @property
    def told_there(self) -> Iterator[tuple[str, str]]:
        """Title and time of each event there."""
        for _, text in self.there.values():
            inner = text[text.index("BEGIN:VEVENT") :]
            (title,) = re.findall("SUMMARY:(.*)", plain(inner))
            (starts,) = re.findall("DTSTART.*T([0-9]{4})", inner)
            yield title, starts

    @property
    def changes(self) -> tuple[EventChange, ...]:
        return self.command.changes if self.command is not None else ()


@pytest.fixture
def side(tmp_path: Path) -> Iterator[Side]:
    """Both sides have the dentist at three, in step."""
    side = Side(tmp_path)
    side.hears(THERE)
    side.put_there("dentist", DENTIST)
    side.in_step()
    assert side.ours == [("Dentist", 15)]
    yield side
    side.database.close()


def test_an_event_that_cannot_be_followed_is_left_out_and_the_others_come(
    side: Side, caplog: pytest.LogCaptureFixture
) -> None:
    bad = ("FREQ=DAILY;BYDAY=MO;BYSETPOS=366", "FREQ=DAILY;BYMONTHDAY=31;BYMONTH=2;BYSETPOS=2,3,4")
    for number, rule in enumerate(bad):
        side.put_there(
            f"bad{number}", event(f"bad{number}", "Bad", "20260109T150000", f"RRULE:{rule}")
        )
    lost = event("lost", "Lost", "20260109T150000").replace("DTSTART", f"DTSTART;TZID={'x' * 300}")
    side.put_there("lost", lost)
    side.put_there("choir", event("choir", "Choir", "20260110T190000"))
    side.served()
    assert side.ours == [("Dentist", 15), ("Choir", 19)]
    assert side.changes == ()
    assert caplog.text.count("(calendar.event)") == 3
    assert "the event at '/bad0' is left out" in caplog.text


def test_without_a_collection_nothing_is_sent(side: Side) -> None:
    side.url, side.command = "", None
    side.restart()
    side.hears(THERE)
    side.moves(1)
    assert side.command is None


def test_once_the_collection_was_read_there_is_a_file_even_of_nothing(tmp_path: Path) -> None:
    side = Side(tmp_path)
    side.hears(THERE)
    assert not side.path.exists()
    assert side.command is not None
    side.hears(CalendarReport(command_id=side.command.id))
    assert side.path.read_text().startswith("BEGIN:VCALENDAR")
    assert side.calendar.coming() == ()
    side.database.close()


def test_what_is_added_is_put_there(side: Side) -> None:
    side.add("Choir", FRIDAY + 4 * HOUR)
    side.in_step()
    assert side.theirs == ["20260109T150000", "20260109T190000"]
    assert "BEGIN:VTIMEZONE" in "".join(text for _, text in side.there.values())
    side.restart()
    side.hears(THERE)
    assert side.changes == ()


def test_what_is_moved_and_removed_here_is_so_there(side: Side) -> None:
    side.moves(2)
    side.in_step()
    assert side.theirs == ["20260109T170000"]
    side.removes()
    side.in_step()
    assert (side.theirs, side.ours, side.said) == ([], [], [])


def test_what_is_changed_there_is_so_here(side: Side) -> None:
    side.put_there("dentist", LATER)
    side.in_step()
    assert side.ours == [("Dentist", 17)]
    del side.there["/dentist"]
    side.in_step()
    assert (side.ours, side.said) == ([], [])
    assert b"Dentist" not in side.path.read_bytes()


def test_what_waits_survives_the_server_and_the_process(side: Side) -> None:
    side.hears(AWAY)
    side.command = None
    side.add("Choir", FRIDAY + 4 * HOUR)
    assert side.command is None
    side.restart()
    side.hears(AWAY)
    side.hears(THERE)
    side.in_step()
    assert side.theirs == ["20260109T150000", "20260109T190000"]


def test_of_two_moves_that_there_is_kept_and_told(side: Side) -> None:
    side.put_there("dentist", LATER)
    side.moves(1)
    side.in_step()
    assert side.ours == [("Dentist", 17)]
    assert side.theirs == ["20260109T170000"]
    (said,) = side.said
    assert said.startswith("Dentist was changed elsewhere as well, and I keep that: on Friday")


def test_the_same_move_on_both_sides_is_no_conflict(side: Side) -> None:
    side.moves(2)
    text = next(iter(side.calendar.held().values()))
    side.put_there("dentist", side.calendar.alone(text).replace("SUMMARY", "SUMMARY"))
    side.in_step()
    assert (side.ours, side.said) == ([("Dentist", 17)], [])


def test_what_was_moved_there_and_removed_here_is_back(side: Side) -> None:
    side.put_there("dentist", LATER)
    side.removes()
    side.in_step()
    assert side.ours == [("Dentist", 17)]
    assert "after you deleted it, so I put it back" in side.said[0]


def test_what_was_removed_there_and_moved_here_stays(side: Side) -> None:
    del side.there["/dentist"]
    side.moves(1)
    side.in_step()
    assert (side.ours, side.theirs) == ([("Dentist", 16)], ["20260109T160000"])
    assert "after you changed it, so I keep it" in side.said[0]


def test_many_conflicts_are_told_at_once(side: Side) -> None:
    for number in range(3):
        side.add(f"Event {number}", FRIDAY + number * HOUR)
    side.in_step()
    for href, (version, text) in list(side.there.items()):
        side.there[href] = version + 1, text.replace("T15", "T20").replace("T16", "T21")
    for one in side.calendar.coming():
        side.do(lambda one=one: side.calendar.move(one, one.starts - HOUR, one.ends - HOUR))  # type: ignore[misc]
    side.in_step()
    assert len(side.said) == 1
    assert "were changed both here and elsewhere" in side.said[0]


def test_what_was_changed_again_since_it_was_sent_is_sent_again(side: Side) -> None:
    side.moves(1)
    sent = side.command
    side.moves(1)
    assert side.command is sent  # its report comes first
    side.in_step()
    assert (side.ours, side.theirs, side.said) == ([("Dentist", 17)], ["20260109T170000"], [])


def test_what_was_sent_and_never_reported_is_no_conflict(side: Side) -> None:
    side.moves(1)
    assert side.command is not None
    (change,) = side.command.changes
    side.there["/dentist"] = 2, change.text.replace("20260109T160000", "20260109T160000")
    side.restart()
    side.hears(THERE)
    side.in_step()
    assert (side.ours, side.theirs, side.said) == ([("Dentist", 16)], ["20260109T160000"], [])


def test_what_the_server_refuses_stays_and_is_told_once(side: Side) -> None:
    side.add("Choir", FRIDAY + 4 * HOUR)
    side.served(refuses=True)
    assert (side.changes, side.said) == ((), [REFUSED])
    side.hears(AWAY)
    side.hears(THERE)  # then it is tried again
    assert len(side.changes) == 1
    side.served(refuses=True)
    assert side.said == [REFUSED]
    assert len(side.ours) == 2


def test_a_file_that_is_lost_comes_back_and_removes_nothing_there(side: Side) -> None:
    side.path.unlink()
    side.hears(THERE)
    side.in_step()
    assert (side.ours, side.theirs) == ([("Dentist", 15)], ["20260109T150000"])
    assert b"Dentist" in side.path.read_bytes()


def test_a_damaged_file_removes_nothing_there(side: Side) -> None:
    side.path.write_text("BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\n")
    side.command = None
    side.hears(THERE)
    assert side.command is None
    assert side.theirs == ["20260109T150000"]


def test_what_others_write_into_the_file_is_put_there(side: Side) -> None:
    text = side.path.read_text()
    side.path.write_text(text.replace("T150000", "T140000").replace("T160000", "T150000"))
    side.hears(THERE)
    side.in_step()
    assert side.theirs == ["20260109T140000"]


def test_what_was_undone_is_undone_there(side: Side) -> None:
    (one,) = side.calendar.coming()
    undo = side.do(lambda: side.calendar.remove(one))
    side.do(lambda: side.calendar.take_back(undo))  # type: ignore[arg-type]
    side.in_step()
    assert (side.ours, side.theirs) == ([("Dentist", 15)], ["20260109T150000"])


def test_what_is_undone_before_it_is_told_to_be_there_goes_from_there(side: Side) -> None:
    choir = side.add("Choir", FRIDAY + 4 * HOUR)
    side.do(lambda: side.calendar.remove(choir))
    side.in_step()
    assert (side.ours, side.theirs) == ([("Dentist", 15)], ["20260109T150000"])


def test_also_if_the_process_ended_meanwhile(side: Side) -> None:
    choir = side.add("Choir", FRIDAY + 4 * HOUR)
    assert side.command is not None
    (change,) = side.command.changes
    side.there[f"/{change.uid}"] = 1, change.text
    side.do(lambda: side.calendar.remove(choir))
    side.restart()
    side.hears(THERE)
    side.in_step()
    assert (side.ours, side.theirs) == ([("Dentist", 15)], ["20260109T150000"])
    assert list(side.database.execute("SELECT href FROM calendar_collected")) == [("/dentist",)]


def test_what_is_undone_before_it_was_put_there_is_forgotten(side: Side) -> None:
    choir = side.add("Choir", FRIDAY + 4 * HOUR)
    side.do(lambda: side.calendar.remove(choir))
    side.restart()
    side.hears(THERE)
    side.served()
    assert list(side.database.execute("SELECT href FROM calendar_collected")) == [("/dentist",)]


def test_another_collection_begins_anew_and_loses_nothing(side: Side) -> None:
    side.url, side.there = "http://192.168.1.5/anna/work/", {}
    side.restart()
    side.hears(THERE)
    side.in_step()
    assert (side.ours, side.theirs) == ([("Dentist", 15)], ["20260109T150000"])


@pytest.mark.parametrize("seed", range(12))
def test_whatever_happens_both_sides_end_alike_and_nothing_is_lost(side: Side, seed: int) -> None:
    dice = Random(seed)
    removed: set[str] = set()
    added = {"Dentist"}

    def one_here() -> CalendarEvent | None:
        held = side.calendar.coming()
        return dice.choice(held) if held else None

    def one_there() -> str | None:
        return dice.choice(sorted(side.there)) if side.there else None

    for number in range(40):
        hour = dice.randrange(8, 20)
        match dice.choice(
            ["add", "move", "remove", "put", "alter", "take", "serve", "lose", "die"]
        ):
            case "add":
                added.add(f"Ours {number}")
                side.add(f"Ours {number}", FRIDAY.replace(hour=hour))
            case "move" if (one := one_here()) is not None:
                to = FRIDAY.replace(hour=hour)
                side.do(partial(side.calendar.move, one, to, to + HOUR))
            case "remove" if (one := one_here()) is not None:
                removed.add(one.title)
                side.do(partial(side.calendar.remove, one))
            case "put":
                added.add(f"Theirs {number}")
                text = event(f"t{number}", f"Theirs {number}", f"20260109T{hour:02}0000")
                side.put_there(f"t{number}", text)
            case "alter" if (href := one_there()) is not None:
                text = re.sub(r"2026\d{4}T\d{4}", f"20260109T{hour:02}30", side.there[href][1])
                side.put_there(href[1:], text.replace("T0030", "T0130"))
            case "take" if (href := one_there()) is not None:
                removed.add(re.findall("SUMMARY:(.*)", plain(side.there[href][1]))[0])
                del side.there[href]
            case "serve" if side.command is not None:
                side.served()
            case "lose" if side.command is not None:  # the server does it, and nobody hears of it
                side.served(tells=False)
                side.restart()
                side.hears(THERE)
            case "die":
                side.restart()
                side.hears(THERE)
    side.hears(THERE, at_s=1000.0)
    side.in_step()
    side.restart()
    side.hears(THERE)
    side.in_step()
    ours = sorted((one.title, f"{one.starts:%H%M}") for one in side.calendar.coming())
    assert ours == sorted(side.told_there)
    assert {title for title, _ in ours} >= added - removed
    assert side.changes == ()


@pytest.mark.parametrize(
    "text",
    [
        "",
        "hello",
        "BEGIN:VCALENDAR\nBEGIN:VEVENT\n",
        DENTIST.replace("UID:dentist\r\n", ""),
        DENTIST.replace("dentist", "one") + event("two", "Two", "20260109T150000"),
        DENTIST.replace("dentist", "one").replace("20260109T150000", "99999999T999999"),
    ],
)
def test_what_is_no_event_is_passed_over(side: Side, text: str) -> None:
    side.put_there("other", text)
    side.in_step()
    assert side.ours == [("Dentist", 15)]
    assert side.changes == ()


def test_a_second_event_of_a_uid_is_passed_over(side: Side) -> None:
    side.put_there("other", LATER)
    side.in_step()
    assert side.ours == [("Dentist", 15)]
    assert side.theirs == ["20260109T150000", "20260109T170000"]


def test_a_full_calendar_takes_no_more(
    side: Side, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(shared_module, "MOST_EVENTS", 1)
    side.put_there("choir", event("choir", "Choir", "20260109T190000"))
    side.put_there("dentist", LATER)
    side.in_step()
    assert side.ours == [("Dentist", 17)]
    assert "calendar.full" in caplog.text
    assert side.changes == ()


def test_a_zone_of_its_own_comes_along_and_goes_back(side: Side) -> None:
    zone = (
        "BEGIN:VTIMEZONE\r\nTZID:Our Zone\r\nBEGIN:STANDARD\r\nDTSTART:19700101T000000\r\n"
        "TZOFFSETFROM:+0100\r\nTZOFFSETTO:+0100\r\nEND:STANDARD\r\nEND:VTIMEZONE\r\n"
    )
    text = event("choir", "Choir", "20260109T190000").replace("DTSTART:", "DTSTART;TZID=Our Zone:")
    side.put_there("choir", text.replace("BEGIN:VEVENT", f"{zone}BEGIN:VEVENT"))
    side.in_step()
    assert zone in side.path.read_bytes().decode()
    ours = side.calendar.held()["choir"]
    assert "TZID:Our Zone" in side.calendar.alone(ours)


def test_a_report_of_an_older_command_is_passed_over(side: Side) -> None:
    side.hears(CalendarReport(command_id="another", gone=("/dentist",)))
    assert side.ours == [("Dentist", 15)]
