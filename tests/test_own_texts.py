"""Texts of the user's own, read from databases while others write them."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

from assistant.core.database import Database
from assistant.own_texts import OwnTexts

QUERY = "SELECT text FROM items ORDER BY number DESC LIMIT 10"


def _made(database: Database) -> None:
    database.execute("CREATE TABLE items (number INTEGER PRIMARY KEY, text TEXT NOT NULL) STRICT")


def test_what_is_written_is_seen_at_once_and_read_only_when_it_has_changed(tmp_path: Path) -> None:
    texts = OwnTexts({tmp_path / "state.db": (QUERY,)})
    assert texts() == ()
    with closing(Database(tmp_path / "state.db", [_made])) as database:
        database.execute("INSERT INTO items (text) VALUES ('sumac'), ('tahini'), ('sumac')")
        known = texts()
        assert known == ("sumac", "tahini")
        assert texts() is known
        database.execute("DELETE FROM items WHERE text = 'sumac'")
        assert texts() == ("tahini",)
    assert texts() == ("tahini",)


def test_a_file_that_is_none_of_ours_holds_nothing(tmp_path: Path) -> None:
    damaged, other = tmp_path / "damaged.db", tmp_path / "other.db"
    damaged.write_bytes(b"no database" * 1000)
    with closing(Database(other, [_made])) as database:
        database.execute("INSERT INTO items (text) VALUES ('sumac')")
    both = OwnTexts({damaged: (QUERY,), other: ("SELECT nothing FROM nowhere LIMIT 10", QUERY)})
    assert both() == ("sumac",)
