"""A skill's own SQLite tables: in a file of its own, migrated, and part of the turn."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing

import pytest

from assistant.core.errors import SkillError
from assistant.core.messages import SpokenReply
from assistant.skill import Context, Reply, Skill, Tables, Traits
from assistant.skill.storage import TableMigration
from assistant.skill.testing import converse, memory_context
from skills import deadline
from skills.registry import Registry
from tests.support.grammars import built_in_skills
from tests.support.talking import Talk, command


def create_tides(tables: Tables) -> None:
    tables.execute("CREATE TABLE tides (place TEXT NOT NULL, metres REAL NOT NULL) STRICT")


def add_source(tables: Tables) -> None:
    tables.execute("ALTER TABLE tides ADD COLUMN source TEXT NOT NULL DEFAULT 'chart'")


def bad_step(tables: Tables) -> None:
    tables.execute("CREATE TABLE more (x)")
    tables.execute("CREATE TABLE tides (x)")


def tides(
    act: Callable[[Context], object], migrations: Sequence[TableMigration] = (create_tides,)
) -> Skill:
    """A skill that does this when asked for "Tide", and notes a height for "Note"."""
    skill = Skill("tides", migrations=migrations)

    @skill.intent("Note", "note {metres}")
    def note(metres: float, context: Context) -> Reply:
        context.tables.execute("INSERT INTO tides (place, metres) VALUES (?, ?)", "Kiel", metres)
        if metres > 30:
            raise ZeroDivisionError
        return Reply("Noted.")

    @skill.intent("Tide", "tide")
    def tide(context: Context) -> Reply:
        return Reply(str(act(context)))

    return skill


def heights(context: Context) -> list[float]:
    return [metres for (metres,) in context.tables.execute("SELECT metres FROM tides")]


def served(skill: Skill) -> Registry:
    registry = built_in_skills()
    registry.add(skill.name, lambda: skill)
    assert registry.faults == ()
    return registry


def test_rows_are_kept_in_a_file_of_the_skill_and_a_turn_that_fails_leaves_none(
    talks: Callable[..., Talk],
) -> None:
    talk = talks(registry=served(tides(heights)))
    assert talk.ask("Note", metres=2) == "Noted."
    with pytest.raises(SkillError):
        talk.ask("Note", metres=40)
    talk.restart()
    assert talk.ask("Tide") == "[2.0]"
    assert talk.path is not None
    file = talk.path.parent / "skills" / "tides.db"
    assert file.stat().st_mode & 0o077 == 0
    with closing(sqlite3.connect(file)) as reader:
        assert reader.execute("SELECT metres FROM tides").fetchall() == [(2.0,)]


def test_what_is_written_is_not_there_before_the_turn_is(talks: Callable[..., Talk]) -> None:
    seen: list[int] = []
    talk = talks(registry=built_in_skills())

    def look(context: Context) -> None:
        context.tables.execute("INSERT INTO tides VALUES ('Kiel', 1)")
        assert talk.path is not None
        with closing(sqlite3.connect(talk.path.parent / "skills" / "tides.db")) as other:
            seen.extend(other.execute("SELECT count(*) FROM tides").fetchone())

    talk.registry = served(tides(look))
    talk.rebuild()
    talk.ask("Tide")
    assert seen == [0]


def test_each_migration_runs_once_also_in_a_running_daemon(talks: Callable[..., Talk]) -> None:
    talk = talks(registry=served(tides(heights)))
    talk.ask("Note", metres=2)
    newer = tides(
        lambda c: c.tables.execute("SELECT source FROM tides"), (create_tides, add_source)
    )
    talk.registry = served(newer)
    talk.rebuild()
    assert talk.ask("Tide") == "[('chart',)]"
    talk.restart()
    assert talk.ask("Tide") == "[('chart',)]"


def test_a_migration_that_fails_leaves_nothing_and_is_told(talks: Callable[..., Talk]) -> None:
    talk = talks(registry=served(tides(heights, (create_tides, bad_step))))
    with pytest.raises(SkillError, match=r'skill "tides": .*table tides already exists'):
        talk.ask("Tide")
    talk.registry = served(tides(lambda c: c.tables.execute("SELECT * FROM sqlite_master"), ()))
    talk.rebuild()
    assert "more" not in talk.ask("Tide")


@pytest.mark.parametrize(
    "sql",
    [
        "ATTACH 'state.db' AS other",
        "DETACH main",
        "PRAGMA journal_mode=OFF",
        "PRAGMA writable_schema=1",
        "VACUUM INTO '/tmp/elsewhere.db'",
        "COMMIT",
        "ROLLBACK",
        "SAVEPOINT a",
        "SELECT load_extension('x')",
        "SELECT 1; DROP TABLE tides",
        "SELECT nothing",
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"
        " LIMIT 10001",
    ],
)
def test_no_statement_reaches_beyond_the_skills_own(talks: Callable[..., Talk], sql: str) -> None:
    talk = talks(registry=served(tides(lambda context: context.tables.execute(sql))))
    talk.ask("Note", metres=2)
    with pytest.raises(SkillError) as refused:
        talk.ask("Tide")
    assert (refused.value.code, refused.value.part) == ("skill.storage", "tides")
    assert f"({__file__}, line " in refused.value.message
    assert talk.ask("Note", metres=3) == "Noted."


def test_the_skill_may_search_its_texts(talks: Callable[..., Talk]) -> None:
    """Control: what is refused above is not all that SQLite does."""

    def search(context: Context) -> object:
        context.tables.execute("CREATE VIRTUAL TABLE texts USING fts5(text)")
        context.tables.execute("INSERT INTO texts VALUES ('high tide'), ('low tide')")
        return context.tables.execute("SELECT text FROM texts WHERE texts MATCH 'low'")

    talk = talks(registry=served(tides(search)))
    assert talk.ask("Tide") == "[('low tide',)]"


def test_a_change_is_an_act_that_cannot_be_undone_unless_the_intent_only_asks(
    talks: Callable[..., Talk],
) -> None:
    asking = tides(heights)

    @asking.intent("Count", "count", traits=Traits(asks=True))
    def count(context: Context) -> Reply:
        context.tables.execute("INSERT INTO tides VALUES ('asked', 0)")
        return Reply("Counted.")

    talk = talks(registry=served(asking))
    acted = [
        reply.acted
        for intent in ("Tide", "Count")
        for reply in talk.hear(intent, command(intent))
        if isinstance(reply, SpokenReply)
    ]
    (note,) = talk.hear("note", command("Note", metres=1))
    assert isinstance(note, SpokenReply)
    assert (acted, note.acted) == ([False, False], True)
    assert talk.ask("Undo") == "There is nothing that I can take back."


def test_a_statement_that_does_not_end_is_interrupted(
    talks: Callable[..., Talk], monkeypatch: pytest.MonkeyPatch
) -> None:
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"
    talk = talks(registry=served(tides(lambda context: context.tables.execute(endless))))
    monkeypatch.setattr("skills.deadline.LAST_RESORT_S", 60.0)  # it would end pytest
    monkeypatch.setattr(deadline, "MOVE_S", 0.2)
    with pytest.raises(SkillError) as slow:
        talk.ask("Tide")
    assert slow.value.part == "tides"
    assert talk.ask("Note", metres=3) == "Noted."


def test_a_file_grows_to_its_bound_and_no_further(talks: Callable[..., Talk]) -> None:
    def fill(context: Context) -> None:
        for _ in range(40):
            context.tables.execute("INSERT INTO tides VALUES (?, 0)", "x" * 500_000)

    talk = talks(registry=served(tides(fill)))
    with pytest.raises(SkillError, match="full"):
        talk.ask("Tide")


@pytest.mark.parametrize("name", ["../state", "a/b", "", "x" * 100])
def test_a_name_that_is_none_of_a_file_has_no_tables(talks: Callable[..., Talk], name: str) -> None:
    skill = Skill(name, migrations=(create_tides,))
    skill.intent("Tide", "tide")(lambda context: Reply(str(context.tables.execute("SELECT 1"))))
    talk = talks(registry=served(skill))
    with pytest.raises(SkillError, match="may hold letters"):
        talk.ask("Tide")


def test_a_skill_is_tested_with_tables_in_memory() -> None:
    skill = tides(heights)
    context = memory_context(skill=skill)
    assert converse(skill, "Note", context, metres=2) == ["Noted."]
    assert converse(skill, "Tide", context) == ["[2.0]"]


@pytest.mark.parametrize("why", ["damaged", "missing"])
def test_tables_that_are_lost_are_told_and_what_was_there_is_kept(
    talks: Callable[..., Talk], caplog: pytest.LogCaptureFixture, why: str
) -> None:
    talk = talks(registry=served(tides(heights)))
    talk.ask("Note", metres=2)
    assert talk.path is not None
    talk.database.close()
    file = talk.path.parent / "skills" / "tides.db"
    if why == "missing":
        file.unlink()
    else:
        file.write_bytes(b"no database at all" * 1000)
    talk.open()
    assert talk.ask("Tide") == "[]"
    assert file.with_name(f"tides.db.{why}-1").exists()
    assert f"skill tides: its tables were {why}" in caplog.text


def test_tables_of_a_skill_that_kept_nothing_are_not_told_to_be_lost(
    talks: Callable[..., Talk], caplog: pytest.LogCaptureFixture
) -> None:
    talk = talks(registry=served(tides(heights)))
    for _ in range(2):
        assert talk.ask("Tide") == "[]"
        talk.restart()
    assert "its tables were" not in caplog.text
