"""A database is looked at with work in proportion to its size."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from assistant.answer.knowledge.schema import MIGRATIONS as KNOWLEDGE_MIGRATIONS
from assistant.backup import soundness
from assistant.backup.soundness import AtRest, code_of, read_at_rest
from assistant.core.database import Database
from assistant.core.errors import StorageError


@pytest.mark.parametrize("rows", [0, 20_000])
def test_an_honest_one_is_read_whatever_its_size(tmp_path: Path, rows: int) -> None:
    file = tmp_path / "state.db"
    with closing(Database(file, KNOWLEDGE_MIGRATIONS)) as database, database.transaction():
        database.execute("CREATE TABLE notes (text TEXT)")
        for number in range(rows):
            database.execute("INSERT INTO notes VALUES (?)", str(number))
    found = read_at_rest(file)
    assert found.migrations == {step.__name__ for step in KNOWLEDGE_MIGRATIONS}
    assert found.code == code_of(KNOWLEDGE_MIGRATIONS) != frozenset()


def test_one_without_steps_has_none(tmp_path: Path) -> None:
    (tmp_path / "empty").touch()
    assert read_at_rest(tmp_path / "empty") == AtRest(frozenset(), frozenset())


def test_what_is_no_database_is_told(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no database, and long enough to be read as one" * 100)
    with pytest.raises(StorageError, match="text"):
        read_at_rest(tmp_path / "text")


def test_one_that_takes_more_work_than_its_size_allows_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "state.db"
    with closing(sqlite3.connect(file)) as database:
        database.execute("CREATE TABLE migrations (name TEXT)")
        database.executemany("INSERT INTO migrations VALUES (?)", [("a",)] * 20_000)
        database.commit()
    read_at_rest(file)
    monkeypatch.setattr(soundness, "STEPS_A_BYTE", 0)
    monkeypatch.setattr(soundness, "STEPS_AT_LEAST", 20_000)
    with pytest.raises(StorageError, match="interrupted"):
        read_at_rest(file)
