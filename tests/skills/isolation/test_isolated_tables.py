"""A skill of somebody else has SQLite tables of its own; no statement reaches or stalls more."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from assistant.core.errors import SkillError, StorageError
from skills.capabilities.tables import TableFiles
from skills.isolation import tables
from skills.isolation.host import Host
from skills.isolation.quarantine import STRIKES
from skills.isolation.tables import TableDatabase
from skills.registry import Registry, load_registry
from tests.support.isolated_skills import written
from tests.support.talking import Talk

CODE = """
from assistant.skill import *
from assistant.skill.storage import Tables

def create_tides(tables: Tables) -> None:
    tables.execute("CREATE TABLE tides (place TEXT NOT NULL, metres REAL NOT NULL) STRICT")

{more}

skill = Skill("tides", api=1, migrations=({migrations}))

@skill.intent("Note", "note {{metres}}")
def note(metres: float, context: Context) -> Reply:
    context.tables.execute("INSERT INTO tides (place, metres) VALUES (?, ?)", "Kiel", metres)
    context.storage.set("last", metres)
    if metres > 30:
        raise ZeroDivisionError
    return Reply("Noted.")

@skill.intent("Tide", "tide")
def tide(context: Context) -> Reply:
    return Reply(str(context.tables.execute("SELECT metres FROM tides")))

@skill.intent("Last", "last")
def last(context: Context) -> Reply:
    return Reply(str(context.storage.get("last", float, 0.0)))

@skill.intent("Do", "do")
def do(context: Context) -> Reply:
    execute = context.tables.execute
    {act}
    return Reply("Done.")
"""
ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT max(i) FROM n"


def doubled(times: int) -> str:
    """A statement that grows by each of its lines as it is prepared, before its first step."""
    lines = (f"a{n} AS (SELECT 1 FROM a{n - 1}, a{n - 1})" for n in range(1, times + 1))
    return f"WITH a0 AS (SELECT 1), {', '.join(lines)} SELECT count(*) FROM a{times}"


Tides = Callable[..., Talk]


@pytest.fixture
def tides(talks: Callable[..., Talk], tmp_path: Path) -> Iterator[Tides]:
    """Makes talks with the skill; `act` is what it does when asked to."""
    hosts: list[Host] = []

    def registry(
        act: str = "pass", migrations: str = "create_tides,", more: str = "", name: str = "tides"
    ) -> Registry:
        hosts.append(Host({name: ("storage",)}))
        place = tmp_path / f"skill{len(hosts)}"
        place.mkdir()
        code = CODE.format(act=act, migrations=migrations, more=more)
        folder = written(place, name, code, ("storage",))
        found = load_registry([folder], host=hosts[-1])
        assert found.faults == ()
        return found

    def begin(act: str = "pass", *, talk: Talk | None = None, **what: str) -> Talk:
        found = registry(act, **what)
        if talk is None:
            return talks(registry=found)
        talk.registry = found
        talk.restart()
        return talk

    yield begin
    for host in hosts:
        host.close()


def file_of(talk: Talk) -> Path:
    assert talk.path is not None
    return talk.path.parent / "skills" / "tides.db"


def in_file(talk: Talk) -> list[float]:
    with closing(sqlite3.connect(f"file:{file_of(talk)}?mode=ro", uri=True)) as file:
        return [metres for (metres,) in file.execute("SELECT metres FROM tides")]


def process_of(talk: Talk) -> TableDatabase:
    guest = talk.database._guests["tides"]
    assert isinstance(guest, TableDatabase)
    return guest


def test_rows_are_kept_in_a_file_of_the_skill_and_a_turn_that_fails_leaves_none(
    tides: Tides,
) -> None:
    talk = tides()
    assert talk.ask("Note", metres=2) == "Noted."
    with pytest.raises(SkillError, match="ZeroDivisionError"):
        talk.ask("Note", metres=40)
    assert (talk.ask("Tide"), talk.ask("Last"), in_file(talk)) == ("[(2.0,)]", "2.0", [2.0])
    talk.restart()
    assert talk.ask("Tide") == "[(2.0,)]"
    assert file_of(talk).stat().st_mode & 0o077 == 0


def test_values_of_every_type_come_back_as_they_were(tides: Tides) -> None:
    act = """
    values = (None, 2**62, -1.5, 'ä', b'\\xff\\x00')
    (found,) = execute("SELECT ?, ?, ?, ?, ?", *values)
    assert found == values and list(map(type, found)) == list(map(type, values))"""
    assert tides(act.strip()).ask("Do") == "Done."


SOURCE = """
def add_source(tables):
    for (place,) in tables.execute("SELECT place FROM tides"):
        tables.execute("INSERT INTO tides VALUES (?, 9)", place + " again")
"""
BAD = """
def add_source(tables):
    tables.execute("CREATE TABLE more (x)")
    tables.execute("CREATE TABLE tides (x)")
"""


def test_each_migration_runs_once_and_may_read_what_there_is(tides: Tides) -> None:
    talk = tides()
    talk.ask("Note", metres=2)
    tides(talk=talk, more=SOURCE, migrations="create_tides, add_source")
    assert [talk.ask("Tide") for _ in range(2)] == 2 * ["[(2.0,), (9.0,)]"]
    talk.restart()
    assert talk.ask("Tide") == "[(2.0,), (9.0,)]"


def test_a_migration_that_fails_leaves_nothing_and_is_told(tides: Tides) -> None:
    talk = tides(more=BAD, migrations="create_tides, add_source")
    with pytest.raises(SkillError, match=r'skill "tides": .*table tides already exists'):
        talk.ask("Tide")
    act = "assert execute('SELECT count(*) FROM sqlite_master') == [(0,)]"
    tides(act, talk=talk, migrations="")
    assert talk.ask("Do") == "Done."


def test_a_migration_that_does_not_end_is_named_and_counts_once(tides: Tides) -> None:
    talk = tides(more="def add_source(tables):\n    while True: pass", migrations="add_source,")
    for _ in range(STRIKES - 1):
        with pytest.raises(SkillError) as slow:
            talk.ask("Tide")
        assert (slow.value.code, slow.value.part) == ("skill.slow", "tides")
    assert talk.ask("Last") == "0.0"  # if one counted for two, it would be switched off


def test_tables_need_the_permission_for_storage(tmp_path: Path) -> None:
    host = Host({"tides": ()})
    code = CODE.format(act="pass", migrations="create_tides,", more="")
    found = load_registry([written(tmp_path, "tides", code)], builtin=False, host=host)
    host.close()
    assert 'needs the permission "storage"' in found.faults[0].message


ABUSE = {
    "attaches_the_state": ("ATTACH 'state.db' AS other", "skill.storage"),
    "detaches": ("DETACH main", "skill.storage"),
    "sets_a_pragma": ("PRAGMA writable_schema=1", "skill.storage"),
    "reads_a_pragma": ("SELECT * FROM pragma_database_list", "skill.storage"),
    "writes_another_file": ("VACUUM INTO 'elsewhere.db'", "skill.storage"),
    "commits": ("COMMIT", "skill.storage"),
    "loads_native_code": ("SELECT load_extension('x')", "skill.storage"),
    "gives_a_million_rows": (ENDLESS.replace("max(i)", "i") + " LIMIT 1000000", "skill.storage"),
    "gives_large_rows": ("SELECT zeroblob(3000000)", "skill.storage"),
    "inserts_a_gigabyte": ("INSERT INTO tides VALUES (zeroblob(900000000), 1)", "skill.storage"),
    "fills_its_file": (
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
        " INSERT INTO tides SELECT hex(zeroblob(100000)), i FROM n",
        "storage.quota",
    ),
    "recurses_without_end": (ENDLESS, "skill.slow"),
    "sorts_without_end": (ENDLESS.replace("max(i)", "i") + " ORDER BY -i", "skill.s"),
    "is_prepared_without_end": (doubled(60), "skill.s"),
    "compares_without_end": (
        "SELECT instr(zeroblob(9000000), zeroblob(4000000) || x'01')",
        "skill.slow",
    ),
}


@pytest.mark.parametrize("name", ABUSE)
def test_an_abusive_statement_is_named_and_the_next_turn_is_served(
    tides: Tides, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    sql, code = ABUSE[name]
    talk = tides(f"execute({sql!r})")
    talk.ask("Note", metres=2)
    with monkeypatch.context() as hurried:
        if code == "skill.slow":  # what is honest, or refused for something else, has its time
            hurried.setattr(tables, "STATEMENT_S", 0.5)
        with pytest.raises(SkillError) as refused:
            talk.ask("Do")
    assert refused.value.code.startswith(code)
    assert (refused.value.part, 'skill "tides"' in refused.value.message) == ("tides", True)
    assert talk.ask("Note", metres=3) == "Noted."
    assert in_file(talk) == [2.0, 3.0]


HARMLESS = (
    ENDLESS.replace("FROM n)", "FROM n LIMIT 9999)"),
    doubled(3),
    "INSERT INTO tides VALUES (hex(zeroblob(50000)), 1)",
    "SELECT instr(zeroblob(9000), zeroblob(4000) || x'01')",
    "CREATE VIRTUAL TABLE texts USING fts5(text)",
)


@pytest.mark.parametrize("sql", HARMLESS)
def test_the_like_of_it_in_a_small_way_is_allowed(tides: Tides, sql: str) -> None:
    assert tides(f"execute({sql!r})").ask("Do") == "Done."


def test_sqlite_itself_would_do_all_of_that(tmp_path: Path) -> None:
    """Control: a connection that nothing bounds reaches other files, and does not end."""
    with closing(sqlite3.connect(tmp_path / "state.db")) as other:
        other.execute("CREATE TABLE secrets AS SELECT 'pin' AS secret")
        other.commit()
    with closing(sqlite3.connect(tmp_path / "own.db", isolation_level=None)) as free:
        free.execute("ATTACH ? AS other", (str(tmp_path / "state.db"),))
        assert free.execute("SELECT secret FROM other.secrets").fetchall() == [("pin",)]
        free.execute("PRAGMA user_version=7")
        assert free.execute("SELECT * FROM pragma_user_version").fetchall() == [(7,)]
        free.execute("VACUUM INTO ?", (str(tmp_path / "elsewhere.db"),))
        assert free.execute("SELECT length(zeroblob(3000000))").fetchall() == [(3_000_000,)]
        steps: list[None] = []
        free.set_progress_handler(lambda: steps.append(None) or len(steps) > 50, 10_000)
        with pytest.raises(sqlite3.OperationalError, match="interrupted"):
            free.execute(ENDLESS).fetchall()


@pytest.mark.parametrize("sql", [ENDLESS, "INSERT INTO tides VALUES (hex(zeroblob(20000000)), 1)"])
def test_a_skill_that_goes_on_after_a_statement_that_took_all_back_keeps_none_of_the_turn(
    tides: Tides, monkeypatch: pytest.MonkeyPatch, sql: str
) -> None:
    act = f"""
    execute("INSERT INTO tides VALUES ('Kiel', 7)")
    context.storage.set("last", 7.0)
    for _ in range(2):
        try:
            execute({sql!r})
        except Exception:
            pass"""
    talk = tides(act.strip())
    talk.ask("Note", metres=2)
    with monkeypatch.context() as hurried:
        hurried.setattr(tables, "STATEMENT_S", 0.5)
        with pytest.raises(StorageError, match="a statement takes too") as lost:
            talk.ask("Do")
    assert lost.value.part == "tides"
    assert (talk.ask("Tide"), talk.ask("Last")) == ("[(2.0,)]", "2.0")


def test_its_process_may_be_killed_between_turns_and_none_is_lost(tides: Tides) -> None:
    talk = tides()
    talk.ask("Note", metres=2)
    kill(process_of(talk))
    assert talk.ask("Note", metres=3) == "Noted."
    assert talk.ask("Tide") == "[(2.0,), (3.0,)]"


def test_where_it_is_killed_within_a_turn_nothing_of_that_stays(
    tides: Tides, monkeypatch: pytest.MonkeyPatch
) -> None:
    talk = tides(
        "execute(\"INSERT INTO tides VALUES ('Kiel', 7)\"); context.storage.set('last', 7)"
    )
    talk.ask("Note", metres=2)
    execute = TableDatabase.execute_for_guest

    def dying(self: TableDatabase, sql: str, *parameters: object) -> list[tuple[object, ...]]:
        rows = execute(self, sql, *parameters)
        if "7" in sql:
            kill(self)
        return rows

    monkeypatch.setattr(TableDatabase, "execute_for_guest", dying)
    with pytest.raises(StorageError, match="has ended"):
        talk.ask("Do")
    assert (talk.ask("Tide"), talk.ask("Last")) == ("[(2.0,)]", "2.0")


DYING = """
import os, signal, sys
from pathlib import Path
from skills.isolation.host import Host
from skills.isolation.quarantine import STRIKES
from skills.isolation.tables import TableDatabase
from skills.registry import load_registry
from tests.support.talking import Talk

state, folder = map(Path, sys.argv[1:])
talk = Talk(path=state, registry=load_registry([folder], host=Host({"tides": ("storage",)})))
talk.ask("Note", metres=2)
execute = TableDatabase.execute

def dying(self, sql, *parameters):
    if sql == "COMMIT":
        os.kill(os.getpid(), signal.SIGKILL)
    return execute(self, sql, *parameters)

TableDatabase.execute = dying
talk.ask("Note", metres=3)
"""


def test_where_the_assistant_is_killed_before_its_commit_the_turn_is_nowhere(
    tides: Tides, talks: Callable[..., Talk], tmp_path: Path
) -> None:
    code = CODE.format(act="pass", migrations="create_tides,", more="")
    folder = written(tmp_path, "tides", code, ("storage",))
    state = tmp_path / "killed" / "state.db"
    ran = subprocess.run(
        [sys.executable, "-c", DYING, state, folder],
        env={**os.environ, "PYTHONPATH": os.getcwd()},
        timeout=120,
    )
    assert ran.returncode == -signal.SIGKILL
    host = Host({"tides": ("storage",)})
    talk = talks(registry=load_registry([folder], host=host))
    talk.database.close()
    talk.path, talk.count = state, 9
    talk.open()
    assert (talk.ask("Tide"), talk.ask("Last")) == ("[(2.0,)]", "2.0")
    host.close()


def kill(database: TableDatabase) -> None:
    assert database.pid is not None
    os.kill(database.pid, signal.SIGKILL)
    until_s = time.monotonic() + 10
    while Path(f"/proc/{database.pid}/stat").read_text().split()[2] != "Z":
        assert time.monotonic() < until_s
        time.sleep(0.01)


def test_a_damaged_file_is_set_aside(tides: Tides, caplog: pytest.LogCaptureFixture) -> None:
    talk = tides()
    talk.ask("Note", metres=2)
    talk.database.close()
    file_of(talk).write_bytes(b"no database at all" * 1000)
    talk.open()
    assert talk.ask("Tide") == "[]"
    assert file_of(talk).with_name("tides.db.damaged-1").exists()
    assert "storage.corrupt" in caplog.text


def test_what_is_no_value_of_a_cell_is_refused(tides: Tides) -> None:
    talk = tides("execute('SELECT ?', [1])")
    with pytest.raises(SkillError, match="no text, number, bytes or None"):
        talk.ask("Do")
    talk = tides("execute('SELECT ?', 2**63)")
    with pytest.raises(SkillError, match="OverflowError"):
        talk.ask("Do")


def test_the_files_name_is_checked_as_that_of_any_skill(talks: Callable[..., Talk]) -> None:
    files = TableFiles(talks().database)
    with pytest.raises(SkillError, match="may hold letters"):
        files.of("../state", (), opened=lambda *_: pytest.fail("opened")).execute("SELECT 1")
