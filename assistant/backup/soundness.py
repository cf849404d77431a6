"""Whether a database that may come from anywhere is one that the assistant can use."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import msgspec

from assistant.core.database import Database, Migration, at_rest, migrate
from assistant.core.errors import StorageError

STEPS_A_BYTE, STEPS_AT_LEAST = 8, 1_000_000
"""Most instructions of SQLite for each byte of a file, beside so many in any case."""
LARGEST_VALUE_BYTES = 64 << 20
"""Most bytes of a value."""
_CODE = "SELECT sql FROM sqlite_master WHERE type IN ('view', 'trigger')"
_HAS_STEPS = "SELECT 1 FROM sqlite_master WHERE (type, name) = ('table', 'migrations')"


class AtRest(msgspec.Struct, frozen=True):
    """What a database that nobody has open holds, beside its rows."""

    code: frozenset[str]
    """The SQL of its views and triggers, which run with the statements of others."""
    migrations: frozenset[str]
    """The steps that its schema has gone."""


def read_at_rest(path: Path) -> AtRest:
    """Read and check a whole file, with work in proportion to its size; raises `StorageError`."""
    steps = STEPS_A_BYTE * path.stat().st_size + STEPS_AT_LEAST
    with at_rest(path, steps, LARGEST_VALUE_BYTES) as rows:
        if (verdict := rows("PRAGMA quick_check(1)")) != [("ok",)]:
            raise StorageError("storage.corrupt", f"{path}: {verdict}")
        code, names = rows(_CODE), rows("SELECT name FROM migrations") if rows(_HAS_STEPS) else ()
        return AtRest(frozenset(str(sql) for (sql,) in code), frozenset(str(n) for (n,) in names))


def code_of(migrations: Sequence[Migration]) -> frozenset[str]:
    """The SQL of the views and triggers that a schema has, or had after any of its steps."""
    found: set[str] = set()
    with closing(Database(None, ())) as database:
        for number, _ in enumerate(migrations, start=1):
            migrate(database, migrations[:number])
            found |= {sql for (sql,) in database.execute(_CODE)}
    return frozenset(found)
