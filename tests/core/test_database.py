"""The file of durable state: all or nothing, one writer, and the truth about a bad disk."""

from __future__ import annotations

import errno
import os
import resource
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any, cast

import pytest

from assistant.core.database import CONNECT, Database, Guest, copy_database, rescued
from assistant.core.errors import StorageError

TABLE = "CREATE TABLE notes (text TEXT NOT NULL UNIQUE) STRICT"


def create_notes(database: Database) -> None:
    database.execute(TABLE)


def add_colour(database: Database) -> None:
    database.execute("ALTER TABLE notes ADD COLUMN colour TEXT")


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "state" / "state.db"


@pytest.fixture
def database(path: Path) -> Iterator[Database]:
    opened = Database(path, [create_notes])
    yield opened
    opened.close()


def notes(database: Database) -> list[str]:
    return [text for (text,) in database.execute("SELECT text FROM notes ORDER BY text")]


def write(database: Database, *texts: str) -> None:
    with database.transaction():
        for text in texts:
            database.execute("INSERT INTO notes (text) VALUES (?)", text)


def test_a_transaction_is_kept_whole_or_not_at_all(database: Database) -> None:
    write(database, "milk")
    with pytest.raises(StorageError):
        write(database, "eggs", "milk")
    assert notes(database) == ["milk"]


def test_another_error_in_the_block_keeps_nothing_either(database: Database) -> None:
    def breaks_off() -> None:
        with database.transaction():
            database.execute("INSERT INTO notes (text) VALUES ('eggs')")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        breaks_off()
    assert notes(database) == []


def test_what_the_user_says_is_bound_not_run(database: Database) -> None:
    write(database, "x'); DROP TABLE notes; --")
    assert notes(database) == ["x'); DROP TABLE notes; --"]


def test_changes_counts_rows_written_and_not_read(database: Database) -> None:
    before = database.changes
    notes(database)
    assert database.changes == before
    write(database, "milk", "eggs")
    assert database.changes == before + 2


@pytest.mark.parametrize("fails", [False, True])
def test_a_rehearsal_keeps_nothing_and_counts_for_nothing(database: Database, fails: bool) -> None:
    with database.transaction():
        database.execute("INSERT INTO notes VALUES ('before')")
        before = database.changes
        with suppress(ValueError), database.rehearsal():
            database.execute("INSERT INTO notes VALUES ('tried')")
            if fails:
                raise ValueError
        assert database.changes == before
        database.execute("INSERT INTO notes VALUES ('after')")
    assert database.execute("SELECT text FROM notes") == [("before",), ("after",)]


def guest_of(database: Database, file: Path) -> Guest:
    return database.guest(file.stem, lambda: database.beside(file, 1 << 20), (create_notes,))


def test_a_guest_that_fills_its_file_and_goes_on_spoils_the_whole_turn(
    database: Database, path: Path
) -> None:
    guest = guest_of(database, path.parent / "own.db")

    def fill() -> None:
        with database.transaction():
            guest.execute("BEGIN IMMEDIATE")
            guest.execute_for_guest("INSERT INTO notes VALUES ('before')")
            with suppress(StorageError):  # of which SQLite takes back the whole transaction
                guest.execute_for_guest("INSERT INTO notes VALUES (?)", "x" * 2_000_000)
            database.execute("INSERT INTO notes VALUES ('after')")

    with pytest.raises(StorageError, match="full"):
        fill()
    assert database.execute("SELECT text FROM notes") == []
    with database.transaction():  # the next one begins anew
        guest.execute("BEGIN IMMEDIATE")
        guest.execute_for_guest("INSERT INTO notes VALUES ('kept')")
    assert guest.execute("SELECT text FROM notes") == [("kept",)]


def test_a_database_beside_another_is_opened_as_that_is(path: Path) -> None:
    opened: list[object] = []

    def connect(where: object, **how: Any) -> sqlite3.Connection:
        opened.append(where)
        return sqlite3.connect(cast(Path, where), **how)

    beside = path.with_name("own.db")
    with closing(Database(path, (), connect=connect)) as database:
        database.beside(beside, 1 << 20).close()
    assert opened == [path, beside]


def test_a_guest_whose_transaction_is_lost_writes_nothing_more(
    database: Database, path: Path
) -> None:
    guest = guest_of(database, path.parent / "own.db")
    assert guest_of(database, path.parent / "own.db") is guest
    with pytest.raises(StorageError, match="full"), database.transaction():  # noqa: PT012
        guest.execute("BEGIN IMMEDIATE")
        for text in ("x" * 2_000_000, "after"):
            with pytest.raises(StorageError, match="full"):
                guest.execute_for_guest("INSERT INTO notes VALUES (?)", text)
    assert guest.execute_for_guest("SELECT text FROM notes") == []


@pytest.mark.parametrize(
    "statement",
    [
        "ATTACH 'other.db' AS other",
        "DETACH main",
        "PRAGMA synchronous=OFF",
        "PRAGMA writable_schema",
        "BEGIN",
        "COMMIT",
        "SAVEPOINT own",
    ],
)
def test_a_guest_reaches_no_other_file_and_changes_no_setting_and_no_transaction(
    database: Database, statement: str
) -> None:
    with pytest.raises(StorageError) as refused:
        database.execute_for_guest(statement)
    assert refused.value.code == "storage.refused"
    assert not database.in_transaction
    assert len(database.execute_for_guest("PRAGMA data_version")) == 1  # as FTS5 asks
    assert database.execute_for_guest("PRAGMA quick_check(notes)") == [("ok",)]  # as ALTER does


COUNTED = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n"


def test_a_guest_is_given_ten_thousand_rows_and_no_more(database: Database) -> None:
    assert len(database.execute_for_guest(f"{COUNTED} LIMIT 10000")) == 10_000
    with pytest.raises(StorageError, match="more than 10000 rows") as refused:
        database.execute_for_guest(COUNTED)
    assert refused.value.code == "storage.rows"
    assert len(database.execute(f"{COUNTED} LIMIT 10001")) == 10_001  # what is ours is all given


def test_a_guests_statement_without_end_can_be_interrupted(database: Database) -> None:
    def interrupt(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, 0.005)
    try:
        with pytest.raises(StorageError) as slow:
            database.execute_for_guest(f"{COUNTED} WHERE x < 0")
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert slow.value.code == "storage.slow"


@pytest.mark.parametrize("fails", [False, True])
def test_an_attempt_that_fails_keeps_nothing_and_counts_for_nothing(
    database: Database, path: Path, fails: bool
) -> None:
    guest, later = (guest_of(database, path.parent / f"{name}.db") for name in ("own", "later"))
    with database.transaction():
        guest.execute("BEGIN IMMEDIATE")
        guest.execute_for_guest("INSERT INTO notes VALUES ('before')")
        before = database.changes
        with suppress(ValueError), database.attempt():
            database.execute("INSERT INTO notes VALUES ('tried')")
            guest.execute_for_guest("INSERT INTO notes VALUES ('tried')")
            later.execute("BEGIN IMMEDIATE")
            later.execute_for_guest("INSERT INTO notes VALUES ('tried')")
            if fails:
                raise ValueError
        assert database.changes == before + (0 if fails else 3)
        database.execute("INSERT INTO notes VALUES ('after')")
    tried = [] if fails else [("tried",)]
    assert database.execute("SELECT text FROM notes") == [*tried, ("after",)]
    assert guest.execute("SELECT text FROM notes") == [("before",), *tried]
    assert later.execute("SELECT text FROM notes") == tried


def test_it_writes_through_to_the_disk(database: Database) -> None:
    assert database.execute("PRAGMA journal_mode") == [("wal",)]
    assert database.execute("PRAGMA synchronous") == [(2,)]
    assert database.execute("PRAGMA foreign_keys") == [(1,)]


def test_each_migration_runs_once_by_its_name(path: Path) -> None:
    for migrations in ([create_notes], [create_notes, add_colour], [create_notes, add_colour]):
        database = Database(path, migrations)
        columns = [row[1] for row in database.execute("PRAGMA table_info(notes)")]
        database.close()
    assert columns == ["text", "colour"]


def test_a_failed_migration_leaves_the_schema_as_it_was(path: Path, database: Database) -> None:
    def breaks(opened: Database) -> None:
        opened.execute("CREATE TABLE half (x)")
        opened.execute("CREATE TABLE notes (x)")

    database.close()
    with pytest.raises(StorageError):
        Database(path, [create_notes, breaks])
    again = Database(path, [create_notes])
    assert again.execute("SELECT name FROM sqlite_master WHERE name = 'half'") == []
    again.close()


def test_a_second_writer_is_refused_until_the_first_is_gone(path: Path, database: Database) -> None:
    with pytest.raises(StorageError, match="another assistant is using it") as refused:
        Database(path, [create_notes])
    assert refused.value.code == "storage.in_use"
    database.close()
    Database(path, [create_notes]).close()


def test_a_reader_of_its_own_sees_what_is_committed(path: Path, database: Database) -> None:
    write(database, "milk")
    reader = sqlite3.connect(path)
    assert reader.execute("SELECT text FROM notes").fetchall() == [("milk",)]
    reader.close()


def test_a_damaged_file_is_set_aside_and_a_new_one_begun(path: Path, database: Database) -> None:
    write(database, "milk")
    database.close()
    damaged = b"no database at all " * 1000
    path.write_bytes(damaged)
    again = Database(path, [create_notes])
    assert again.set_aside == path.with_name("state.db.damaged-1")
    assert again.set_aside.read_bytes() == damaged
    assert notes(again) == []
    again.close()


def test_a_second_damage_does_not_overwrite_the_first(path: Path) -> None:
    for content in (b"one " * 1000, b"two " * 1000):
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
        Database(path, [create_notes]).close()
    assert path.with_name("state.db.damaged-1").read_bytes() == b"one " * 1000
    assert path.with_name("state.db.damaged-2").read_bytes() == b"two " * 1000


def test_damage_within_the_file_is_found_when_it_is_opened(path: Path, database: Database) -> None:
    write(database, *(f"note number {n} of very many" for n in range(500)))
    database.close()
    content = bytearray(path.read_bytes())
    content[4096 * 2 : 4096 * 4] = os.urandom(4096 * 2)
    path.write_bytes(content)
    again = Database(path, [create_notes])
    assert again.set_aside is not None
    again.close()


@pytest.mark.parametrize("why", ["empty", "missing"])
def test_a_file_that_is_gone_is_told_and_a_new_one_begun(
    path: Path, database: Database, why: str, caplog: pytest.LogCaptureFixture
) -> None:
    write(database, "milk")
    database.close()
    for suffix in ("", "-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    if why == "empty":
        path.touch()
    again = Database(path, [create_notes])
    assert again.set_aside == path.with_name(f"state.db.{why}-1")
    assert again.set_aside.exists()
    (record,) = caplog.records
    assert (record.levelname, f"{path} was {why}" in record.getMessage()) == ("WARNING", True)
    assert record.getMessage().endswith("(storage.lost)")
    write(again, "eggs")
    again.close()
    once = Database(path, [create_notes])
    assert (once.set_aside, notes(once)) == (None, ["eggs"])
    once.close()


def test_an_empty_file_that_nobody_has_used_is_told(path: Path) -> None:
    path.parent.mkdir()
    path.touch()
    database = Database(path, [create_notes])
    assert database.set_aside == path.with_name("state.db.empty-1")
    database.close()


def test_a_first_start_that_failed_has_lost_nothing(path: Path) -> None:
    def fail(database: Database) -> None:
        raise StorageError("storage.full", "the disk is full")

    for _ in range(2):
        with pytest.raises(StorageError):
            Database(path, [fail])
        path.write_bytes(b"")
    database = Database(path, [create_notes])
    assert database.set_aside is None
    database.close()


def test_a_sound_file_is_not_set_aside(path: Path, database: Database) -> None:
    write(database, "milk")
    database.close()
    again = Database(path, [create_notes])
    assert again.set_aside is None
    assert notes(again) == ["milk"]
    again.close()


def test_a_folder_that_cannot_be_had_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(StorageError) as refused:
        Database(tmp_path / "file" / "state.db", [create_notes])
    assert refused.value.code == "storage.unwritable"


KILLED = """
import os, signal, sys
from pathlib import Path
from assistant.core.database import Database

def create_notes(database):
    database.execute("CREATE TABLE notes (text TEXT NOT NULL UNIQUE) STRICT")

database = Database(Path(sys.argv[1]), [create_notes])
with database.transaction():
    database.execute("INSERT INTO notes (text) VALUES ('kept')")
database.execute("BEGIN IMMEDIATE")
database.execute("INSERT INTO notes (text) VALUES ('never promised')")
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_kill_9_keeps_what_was_committed_and_nothing_else(path: Path) -> None:
    ended = subprocess.run([sys.executable, "-c", KILLED, str(path)], check=False)
    assert ended.returncode == -signal.SIGKILL
    database = Database(path, [create_notes])
    assert notes(database) == ["kept"]
    database.close()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 1 MB of its own."""
    disk = tmp_path / "disk"
    disk.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(disk)]
    if os.geteuid() or subprocess.run(command, check=False, capture_output=True).returncode:
        pytest.skip("a small file system can only be mounted by root")
    yield disk
    subprocess.run(["umount", "-l", str(disk)], check=True)


def fill(disk: Path) -> None:
    with (disk / "filler").open("wb", buffering=0) as filler, suppress(OSError):
        while filler.write(b"\0" * 4096):
            pass


def write_until_refused(database: Database) -> tuple[list[str], StorageError]:
    """Notes are written until the disk is full: those acknowledged, and the refusal."""
    acknowledged: list[str] = []
    try:
        while True:
            text = f"{len(acknowledged):06d} {'x' * 2000}"
            write(database, text)
            acknowledged.append(text)
    except StorageError as refusal:
        return acknowledged, refusal


def test_a_full_disk_refuses_and_keeps_every_acknowledged_note(small_disk: Path) -> None:
    database = Database(small_disk / "state.db", [create_notes])
    write(database, "milk")
    fill(small_disk)
    acknowledged, refusal = write_until_refused(database)
    assert refusal.code in ("storage.full", "storage.io")
    assert notes(database) == sorted([*acknowledged, "milk"])
    database.close()
    (small_disk / "filler").unlink()
    again = Database(small_disk / "state.db", [create_notes])
    assert again.set_aside is None
    assert notes(again) == sorted([*acknowledged, "milk"])
    write(again, "room again")
    again.close()


LIMITED = """
import resource, signal, sys
from pathlib import Path
from assistant.core.database import Database
from assistant.core.errors import StorageError

def create_notes(database):
    database.execute("CREATE TABLE notes (text TEXT NOT NULL UNIQUE) STRICT")

database = Database(Path(sys.argv[1]), [create_notes])
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
acknowledged = 0
try:
    while True:
        with database.transaction():
            database.execute("INSERT INTO notes (text) VALUES (?)", f"{acknowledged} {'x' * 2000}")
        acknowledged += 1
except StorageError as error:
    print(acknowledged, error.code)
"""


def test_a_write_that_the_system_refuses_is_no_acknowledgement(path: Path) -> None:
    """As the test before, where no file system can be mounted."""
    ended = subprocess.run(
        [sys.executable, "-c", LIMITED, str(path)], check=True, capture_output=True, text=True
    )
    acknowledged, code = ended.stdout.split()
    assert code in ("storage.full", "storage.io")
    assert int(acknowledged) > 0
    database = Database(path, [create_notes])
    assert len(notes(database)) == int(acknowledged)
    database.close()


def refused(database: Database, sql: str, *parameters: object) -> StorageError:
    with pytest.raises(StorageError) as fault:
        database.execute(sql, *parameters)
    return fault.value


def test_each_refusal_has_its_code_and_names_the_file(path: Path, database: Database) -> None:
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    database.execute("PRAGMA busy_timeout=0")
    busy = refused(database, "BEGIN IMMEDIATE")
    other.close()
    assert (busy.code, busy.message.partition(": ")[0]) == ("storage.busy", str(path))
    database.execute("PRAGMA max_page_count=4")
    full = refused(database, "INSERT INTO notes (text) VALUES (?)", "x" * 100_000)
    assert (full.code, "free some space" in full.message) == ("storage.full", True)
    database.execute("PRAGMA query_only=ON")
    unwritable = refused(database, "DELETE FROM notes")
    assert (unwritable.code, "check its owner" in unwritable.message) == (
        "storage.unwritable",
        True,
    )
    wrong = refused(database, "SELECT colour FROM notes")
    assert (wrong.code, "no such column: colour" in wrong.message) == ("storage.failed", True)
    unbound = refused(database, "SELECT ?")
    assert unbound.code == "storage.failed"


def test_one_in_memory_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    database = Database(None, [create_notes])
    write(database, "milk")
    assert notes(database) == ["milk"]
    assert refused(database, "SELECT colour FROM notes").message.startswith("memory: ")
    assert database.path is None
    database.close()
    assert list(tmp_path.iterdir()) == []


def test_a_folder_in_the_place_of_the_file_is_named(path: Path) -> None:
    path.mkdir(parents=True)
    with pytest.raises(StorageError, match="check its folder") as fault:
        Database(path, [create_notes])
    assert fault.value.code == "storage.unwritable"
    # Nor is it held, when another program has made room.
    path.rmdir()
    Database(path, [create_notes]).close()


def test_the_folder_of_the_file_is_made_for_its_owner_alone(tmp_path: Path) -> None:
    deep = tmp_path / "a" / "b" / "state.db"
    Database(deep, [create_notes]).close()
    assert deep.parent.stat().st_mode & 0o777 == 0o700
    assert deep.with_name("state.db.lock").is_file()


def test_a_single_statement_is_kept_and_any_thread_may_run_it(
    path: Path, database: Database
) -> None:
    thread = threading.Thread(
        target=database.execute, args=("INSERT INTO notes (text) VALUES ('milk')",)
    )
    thread.start()
    thread.join()
    with closing(sqlite3.connect(path)) as reader:
        assert reader.execute("SELECT text FROM notes").fetchall() == [("milk",)]


def test_another_program_is_waited_for(database: Database) -> None:
    assert database.execute("PRAGMA busy_timeout") == [(5000,)]


def test_what_a_damaged_file_still_holds_is_rescued(path: Path, database: Database) -> None:
    write(database, "milk", "eggs")
    database.close()
    ask = "SELECT text FROM notes ORDER BY text"
    assert rescued(path, ask) == [("eggs",), ("milk",)]
    before = path.read_bytes()
    assert rescued(path, "DELETE FROM notes") is None
    assert path.read_bytes() == before
    assert rescued(path, "SELECT colour FROM notes") is None
    path.write_bytes(b"no database " * 100)
    assert rescued(path, ask) is None
    assert rescued(path.with_name("nowhere"), ask) is None
    assert not path.with_name("nowhere").exists()


def test_what_a_dead_writer_left_is_no_bar_to_a_rescue(path: Path, database: Database) -> None:
    write(database, "milk")
    database.close()
    path.with_name(f"{path.name}-wal").mkdir()
    assert rescued(path, "SELECT text FROM notes") == [("milk",)]


def test_without_a_due_migration_nothing_is_written(path: Path, database: Database) -> None:
    database.close()
    again = Database(path, [create_notes])
    assert again.changes == 0
    again.close()


@pytest.fixture
def read_only(path: Path) -> Iterator[Callable[[], None]]:
    """Makes the folder of the file read-only, as the kernel does when a disk fails."""
    folder, mounted = str(path.parent), list[str]()

    def turn() -> None:
        bound = subprocess.run(["mount", "--bind", folder, folder], capture_output=True)
        if bound.returncode:
            pytest.skip("this user may not mount; run as root")
        mounted.append(folder)
        subprocess.run(["mount", "-o", "remount,bind,ro", folder], check=True)

    yield turn
    for one in mounted:
        subprocess.run(["umount", one], check=True)


@pytest.mark.parametrize("killed", [True, False])
def test_on_a_disk_that_became_read_only_all_is_read_and_nothing_acknowledged(
    path: Path, read_only: Callable[[], None], killed: bool
) -> None:
    end = "os.kill(os.getpid(), 9)" if killed else "database.close()"
    script = (
        "import os, sys; from pathlib import Path; from tests.core.test_database import *;"
        f"database = Database(Path(sys.argv[1]), [create_notes]); write(database, 'milk'); {end}"
    )
    subprocess.run([sys.executable, "-c", script, str(path)], check=not killed)
    assert path.with_name("state.db-wal").exists() is killed
    read_only()
    with closing(Database(path, [create_notes])) as database:
        assert notes(database) == ["milk"]
        with pytest.raises(StorageError, match="cannot be written") as refused:
            write(database, "eggs")
        assert refused.value.code == "storage.unwritable"
        with pytest.raises(StorageError, match="another assistant"):
            Database(path, [create_notes])
        assert notes(database) == ["milk"]


@pytest.mark.parametrize(
    ("number", "code", "told"),
    [
        (sqlite3.SQLITE_FULL, "storage.full", "the disk is full; free some space"),
        (sqlite3.SQLITE_READONLY, "storage.unwritable", "it cannot be written; check its owner"),
        (sqlite3.SQLITE_CANTOPEN, "storage.unwritable", "it cannot be opened; check its folder"),
        (sqlite3.SQLITE_PERM, "storage.unwritable", "it may not be opened; check its owner"),
        (sqlite3.SQLITE_BUSY, "storage.busy", "another program holds it; close that program"),
        (
            sqlite3.SQLITE_BUSY_SNAPSHOT,
            "storage.busy",
            "another program holds it; close that program",
        ),
        (sqlite3.SQLITE_NOMEM, "storage.failed", "as SQLite says it"),
    ],
)
def test_what_sqlite_refuses_is_told_with_the_remedy(
    path: Path, number: int, code: str, told: str
) -> None:
    def refuse(*_: object, **__: object) -> sqlite3.Connection:
        error = sqlite3.OperationalError("as SQLite says it")
        error.sqlite_errorcode = number
        raise error

    with pytest.raises(StorageError) as fault:
        Database(path, [create_notes], connect=refuse)
    assert (fault.value.code, fault.value.message) == (code, f"{path}: {told}")


@pytest.mark.parametrize("number", [sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CORRUPT])
def test_a_file_that_cannot_be_opened_at_first_is_tried_again(path: Path, number: int) -> None:
    faults = [number]

    def connect(*given: Any, **named: Any) -> sqlite3.Connection:
        if faults:
            error = sqlite3.OperationalError("as SQLite says it")
            error.sqlite_errorcode = faults.pop()
            raise error
        return CONNECT(*given, **named)

    with closing(Database(path, [create_notes], connect=connect)) as database:
        write(database, "milk")


def unfinished(path: Path, folder: Path) -> Path:
    """A copy of a file as a dead writer leaves it: what was written last is in its log alone."""
    with closing(Database(path, [create_notes])) as database:
        write(database, "milk")
        folder.mkdir()
        for name in (path.name, f"{path.name}-wal"):
            (folder / name).write_bytes(path.with_name(name).read_bytes())
    return folder / path.name


def test_what_only_the_log_of_a_damaged_file_holds_is_rescued(path: Path, tmp_path: Path) -> None:
    copy = unfinished(path, tmp_path / "copy")
    assert rescued(copy, "SELECT text FROM notes") == [("milk",)]


def test_the_log_of_a_damaged_file_goes_with_it(path: Path, database: Database) -> None:
    write(database, *(f"note number {n} of very many" for n in range(500)))
    database.close()
    content = bytearray(path.read_bytes())
    content[4096 * 2 : 4096 * 4] = os.urandom(4096 * 2)
    path.write_bytes(content)
    with closing(sqlite3.connect(path)) as reader:  # as long as it reads, the log stays
        reader.execute("SELECT name FROM sqlite_master").fetchall()
        with closing(Database(path, [create_notes])) as again:
            assert again.set_aside == path.with_name("state.db.damaged-1")
            assert notes(again) == []
    for companion in ("-wal", "-shm"):
        assert path.with_name(f"state.db.damaged-1{companion}").exists()


def test_where_the_disk_has_no_room_for_what_readers_share_all_is_still_read(path: Path) -> None:
    with closing(Database(path, [create_notes])) as database:
        write(database, "milk")
    unlimited = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, unlimited[1]))
    try:
        with closing(Database(path, [create_notes])) as database:
            assert notes(database) == ["milk"]
            assert database.set_aside is None
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, unlimited)


def test_a_file_that_others_may_read_and_that_cannot_be_closed_to_them_is_named(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(errno.EPERM, "Operation not permitted")

    Database(path, [create_notes]).close()
    path.chmod(0o644)
    with monkeypatch.context() as patched:
        patched.setattr(Path, "chmod", refuse)
        with pytest.raises(StorageError) as fault:
            Database(path, [create_notes])
    assert fault.value.code == "storage.unwritable"
    assert fault.value.message == f"{path}: Operation not permitted"


def test_a_damaged_file_that_cannot_be_set_aside_is_named(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    path.parent.mkdir()
    path.write_bytes(b"no database at all " * 1000)
    monkeypatch.setattr(Path, "rename", refuse)
    with pytest.raises(StorageError) as fault:
        Database(path, [create_notes])
    assert fault.value.code == "storage.unwritable"
    assert fault.value.message == f"{path}: No space left on device"


def test_on_a_disk_that_became_read_only_a_damaged_file_stays_where_it_is(
    path: Path, read_only: Callable[[], None]
) -> None:
    Database(path, [create_notes]).close()
    path.write_bytes(b"no database at all " * 1000)
    read_only()
    with pytest.raises(StorageError, match="it is no database") as fault:
        Database(path, [create_notes])
    assert fault.value.code == "storage.corrupt"


def test_a_copy_stands_at_one_moment_while_another_writes(
    path: Path, database: Database, tmp_path: Path
) -> None:
    written, copied = threading.Event(), threading.Event()

    def write_pairs() -> None:
        number = 0
        while not copied.is_set():
            write(database, f"{number}", f"{number} once more")
            written.set()
            number += 1

    writer = threading.Thread(target=write_pairs)
    writer.start()
    try:
        assert written.wait(60)
        for number in range(20):
            copy_database(path, tmp_path / f"copy-{number}")
    finally:
        copied.set()
        writer.join()
    counts = []
    for number in range(20):
        with closing(sqlite3.connect(tmp_path / f"copy-{number}")) as copy:
            counts += copy.execute("SELECT count(*) FROM notes").fetchone()
    assert [count for count in counts if count % 2] == []
    assert counts[0] > 0


def test_what_is_no_database_is_not_copied(tmp_path: Path) -> None:
    (tmp_path / "text").write_text("no database, and long enough to be read as one" * 100)
    with pytest.raises(StorageError, match="text") as unreadable:
        copy_database(tmp_path / "text", tmp_path / "copy")
    assert unreadable.value.code == "storage.unreadable"
