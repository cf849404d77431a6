"""The tables of `knowledge.db`, as migrations that each run once."""

from __future__ import annotations

import uuid

from assistant.core.database import Database

_TABLES = """
CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE roots (path TEXT PRIMARY KEY, wanted INTEGER NOT NULL) STRICT;
CREATE TABLE sources (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    path TEXT NOT NULL UNIQUE,
    title TEXT NOT NULL,
    kind TEXT NOT NULL,
    sha256 TEXT NOT NULL,
    stamp TEXT NOT NULL DEFAULT '',
    fault TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX sources_by_content ON sources (sha256);
CREATE TABLE passages (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    source INTEGER NOT NULL REFERENCES sources ON DELETE CASCADE,
    position INTEGER NOT NULL,
    text TEXT NOT NULL,
    title TEXT NOT NULL,
    place TEXT NOT NULL,
    kind TEXT NOT NULL,
    starts TEXT NOT NULL,
    ends TEXT NOT NULL,
    people TEXT NOT NULL,
    starts_s REAL,
    ends_s REAL
) STRICT;
CREATE INDEX passages_by_source ON passages (source);
CREATE INDEX passages_by_kind ON passages (kind);
CREATE INDEX passages_by_start ON passages (starts_s) WHERE starts_s IS NOT NULL;
CREATE TABLE people (
    passage INTEGER NOT NULL REFERENCES passages ON DELETE CASCADE,
    name TEXT NOT NULL
) STRICT;
CREATE INDEX people_by_passage ON people (passage);
CREATE TABLE vectors (
    passage INTEGER PRIMARY KEY REFERENCES passages ON DELETE CASCADE,
    vector BLOB NOT NULL
) STRICT;
CREATE TABLE waiting (
    passage INTEGER PRIMARY KEY REFERENCES passages ON DELETE CASCADE
) STRICT;
CREATE VIRTUAL TABLE words USING fts5 (
    text, title, place, content = 'passages', content_rowid = 'id',
    tokenize = 'porter unicode61 remove_diacritics 2'
);
INSERT INTO words (words, rank) VALUES ('rank', 'bm25(1.0, 0.5, 0.5)');
"""

_ON_NEW_PASSAGE = """
CREATE TRIGGER passage_added AFTER INSERT ON passages BEGIN
    INSERT INTO words (rowid, text, title, place) VALUES (new.id, new.text, new.title, new.place);
    INSERT INTO waiting VALUES (new.id);
END
"""
_ON_OLD_PASSAGE = """
CREATE TRIGGER passage_removed AFTER DELETE ON passages BEGIN
    INSERT INTO words (words, rowid, text, title, place)
    VALUES ('delete', old.id, old.text, old.title, old.place);
END
"""


def create_knowledge(database: Database) -> None:
    """Create tables for sources, their passages, the words and vectors of these, and folders.

    Ids are never reused, so that an id and an encoder stand for one vector for ever.
    """
    for statement in (*_TABLES.split(";\n"), _ON_NEW_PASSAGE, _ON_OLD_PASSAGE):
        database.execute(statement)
    database.execute("INSERT INTO facts VALUES ('identity', ?)", uuid.uuid4().hex)
    database.execute("INSERT INTO facts VALUES ('generation', '0'), ('encoder', '')")


def keep_series(database: Database) -> None:
    """Add how events repeat and each note's day, and count an event's last day as a whole one.

    Calendars and notes are read again for it; until then, or while they are away, they are found as
    before.
    """
    database.execute("ALTER TABLE passages ADD COLUMN series TEXT NOT NULL DEFAULT ''")
    database.execute(
        "UPDATE passages SET ends_s = ends_s + 86400"
        " WHERE length(ends) = 10 AND ends < '9999' AND ends_s IS NOT NULL"
    )
    database.execute(
        "UPDATE sources SET sha256 = '', stamp = ''"
        " WHERE kind IN ('event', 'note') OR path LIKE '%.md' OR path LIKE '%.markdown'"
    )


MIGRATIONS = (create_knowledge, keep_series)

OWN_TEXTS = (
    "SELECT DISTINCT name FROM people LIMIT 4000",
    "SELECT DISTINCT title FROM passages ORDER BY id DESC LIMIT 4000",
    "SELECT DISTINCT place FROM passages ORDER BY id DESC LIMIT 4000",
)
"""Queries of whom and what users ask about: people, events, documents and their sections."""
