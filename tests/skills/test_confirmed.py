"""What was carried out is counted once it stands; the counts are told as they move."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from assistant.core.database import Database
from assistant.core.errors import StorageError
from skills.confirmed import Confirmed
from skills.state import open_state
from tests.support.talking import Talk, command

START = command("HassStartTimer", duration=600)
UNDO = command("Undo")
TIME = command("HassGetCurrentTime")
WRONG = command("MarkWrong")


@pytest.fixture
def database() -> Iterator[Database]:
    with closing(open_state(None)) as state:
        yield state


def counts(talk: Talk) -> dict[str, int]:
    return Confirmed(talk.database).counts


def carried_out(confirmed: Confirmed, *intents: str) -> None:
    for intent in intents:
        confirmed.note(intent, "")
        confirmed.count("")
        confirmed.tell("")


def test_what_was_done_counts_once_something_else_is_done(talk: Talk) -> None:
    talk.hear("set a timer for ten minutes", START)
    assert counts(talk) == {}
    talk.hear("what time is it", TIME)
    assert counts(talk) == {}  # a question writes nothing, so that nobody waits for the disk
    talk.hear("set a timer for ten minutes", START)
    assert counts(talk) == {"HassStartTimer": 1, "HassGetCurrentTime": 1}


def test_what_was_taken_back_does_not_count(talk: Talk) -> None:
    talk.hear("set a timer for ten minutes", START)
    talk.hear("undo", UNDO)
    talk.hear("set a timer for ten minutes", START)
    assert counts(talk) == {"Undo": 1}


def test_what_was_wrong_does_not_count(talk: Talk) -> None:
    talk.hear("what time is it", TIME)
    talk.hear("that was wrong", WRONG)
    talk.hear("set a timer for ten minutes", START)
    assert counts(talk) == {}


def test_what_was_dropped_does_not_count(talk: Talk) -> None:
    talk.hear("set a timer", command("HassStartTimer"))
    talk.hear("never mind", command("HassNevermind"))
    talk.hear("set a timer for ten minutes", START)
    assert counts(talk) == {}


def test_counts_are_told_when_they_have_moved(database: Database, tmp_path: Path) -> None:
    told = tmp_path / "usage.json"
    confirmed = Confirmed(database, told)
    carried_out(confirmed, *["A"] * 24)
    assert not told.exists()
    carried_out(confirmed, "A")
    assert json.loads(told.read_text()) == {"A": 25}
    assert told.stat().st_mode & 0o777 == 0o600
    carried_out(confirmed, *["A"] * 20)
    assert json.loads(told.read_text()) == {"A": 25}


def test_old_habits_fade(database: Database) -> None:
    confirmed = Confirmed(database)
    carried_out(confirmed, *["A"] * 400, *["B"] * 150)
    assert confirmed.counts == {"A": 200, "B": 150}


def test_a_file_that_cannot_be_written_is_logged_and_costs_nothing(
    database: Database, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    confirmed = Confirmed(database, tmp_path / "none" / "usage.json")
    carried_out(confirmed, *["A"] * 30)
    assert "storage.unwritable" in caplog.text
    assert confirmed.counts == {"A": 30}


def test_what_could_not_be_stored_is_counted_with_the_next(database: Database) -> None:
    confirmed = Confirmed(database)
    confirmed.note("A", "")

    def fail() -> None:
        with database.transaction():
            confirmed.count("")
            database.execute("nonsense")

    with pytest.raises(StorageError):
        fail()
    carried_out(confirmed, "B")
    assert confirmed.counts == {"A": 1, "B": 1}
