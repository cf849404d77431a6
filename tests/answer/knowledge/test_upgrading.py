"""A file of an earlier version: nothing of it is lost, and calendars are read anew."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from assistant.answer.knowledge.knowledge import Knowledge
from assistant.answer.knowledge.passages import Passage
from assistant.answer.knowledge.query import Filter
from assistant.answer.knowledge.schema import create_knowledge
from assistant.core.calendar.series import Series
from assistant.core.database import Database

BERLIN = ZoneInfo("Europe/Berlin")
SERIES = Series(start="2026-01-06T19:00:00", rules=("FREQ=WEEKLY",), lasts_s=5400.0)


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A file with a manual and a calendar, as the first version left it."""
    path = tmp_path / "knowledge.db"
    database = Database(path, (create_knowledge,))
    first_s = datetime(2026, 3, 2, tzinfo=BERLIN).timestamp()
    last_s = datetime(2026, 3, 6, tzinfo=BERLIN).timestamp()
    for number, (name, kind, starts, ends) in enumerate(
        [("manual.pdf", "document", "", ""), ("home.ics", "event", "2026-03-02", "2026-03-06")], 1
    ):
        database.execute(
            "INSERT INTO sources VALUES (?, ?, 'It', ?, 'abc', '1-2', '')",
            *(number, f"/{name}", kind),
        )
        database.execute(
            "INSERT INTO passages VALUES (?, ?, 0, 'Skiing.', 'It', 'It', ?, ?, ?, '[]', ?, ?)",
            *(number, number, kind, starts, ends),
            *((first_s, last_s) if starts else (None, None)),
        )
    database.close()
    return path


def test_what_was_read_is_kept_and_calendars_are_read_anew(old: Path) -> None:
    knowledge = Knowledge(old, BERLIN)
    assert [s.passage.series for s in knowledge.passages.read([1, 2])] == [None, None]
    assert knowledge.sources.contents() == {
        Path("/home.ics"): ("", ""),
        Path("/manual.pdf"): ("1-2", "abc"),
    }
    assert [number for number, _ in knowledge.passages.matching("skiing", 5)] == [1, 2]
    knowledge.close()


def test_the_last_day_of_an_event_counts(old: Path) -> None:
    knowledge = Knowledge(old, BERLIN)
    during = Filter(since=datetime(2026, 3, 6, 12, tzinfo=BERLIN))
    assert knowledge.passages.within(during) == [2]
    passage = Passage(
        text="Fair.", title="It", kind="event", starts="2026-03-06", ends="2026-03-06"
    )
    knowledge.sources.add(Path("/fair.ics"), "f", "It", "event", [passage])
    assert knowledge.passages.within(during) == [2, 3]
    knowledge.close()


def test_how_an_event_repeats_is_kept(tmp_path: Path) -> None:
    choir = Passage(text="Choir.", title="It", kind="event", starts="2026-01-06", series=SERIES)
    for _ in range(2):
        knowledge = Knowledge(tmp_path / "knowledge.db", BERLIN)
        knowledge.sources.add(Path("/home.ics"), "h", "It", "event", [choir])
        assert [s.passage for s in knowledge.passages.read([1])] == [choir]
        knowledge.close()
