"""The process that runs a skill's SQL on the file of its tables.

SQL can take any time and memory, also before its first step, and nothing within SQLite stops all of
that. Here it ends with the process. It runs no code of the skill.
"""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec

from assistant.core.confinement.rights import limit
from assistant.core.database import Database
from assistant.core.errors import StorageError
from skills.isolation.wire import BrokenLineError, Line

MEMORY_BYTES = 48_000_000
"""Memory that a statement may take."""
LARGEST_LOG_BYTES = 64 << 20
"""Most bytes of SQLite's log beside the file, which is bounded by itself."""
DESCRIPTORS = 16
LARGEST_ROWS_BYTES = 1 << 20
"""Most bytes of the rows of one statement."""
LARGEST_FRAME_BYTES = 2 << 20


class Open(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Open a file, or one in memory for ""; it grows to so many bytes at most."""

    file: str
    largest_bytes: int


class Run(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Run a statement, of the skill's or of the assistant's own."""

    sql: str
    parameters: tuple[Any, ...] = ()
    own: bool = False


class Close(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """Close the file; this is the last message."""


ToTables = Open | Run | Close


class Ran(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """A message was obeyed, or `fault` tells why not; `rows` is an encoded list of rows."""

    rows: msgspec.Raw = msgspec.Raw(b"\x90")
    fault: tuple[str, str] = ("", "")
    """Code and message of the error."""
    in_transaction: bool = False
    changes: int = 0
    set_aside: str = ""


def serve(handle: int) -> None:
    """Serve until the line breaks, or the file is to be closed."""
    line = Line(handle, ToTables, LARGEST_FRAME_BYTES)
    limit(MEMORY_BYTES, LARGEST_LOG_BYTES, DESCRIPTORS)
    try:
        order = line.receive()
        path = Path(order.file) if order.file else None
        with closing(Database(path, (), order.largest_bytes)) as database:
            line.send(Ran(set_aside=str(database.set_aside or "")))
            while not isinstance(order := line.receive(), Close):
                line.send(_ran(database, order))
        line.send(Ran())
    except StorageError as error:
        line.send(Ran(fault=(error.code, error.message)))
    except BrokenLineError:
        return


def _ran(database: Database, order: Run) -> Ran:
    rows, fault = b"\x90", ("", "")
    execute = database.execute if order.own else database.execute_for_guest
    try:
        rows = msgspec.msgpack.encode(execute(order.sql, *order.parameters))
        if len(rows) > LARGEST_ROWS_BYTES:
            rows, fault = b"\x90", ("storage.rows", "a statement gives more than 1 MB")
    except StorageError as error:
        fault = (error.code, error.message)
    except MemoryError:
        fault = ("storage.large", "a statement takes too much memory")
    except (ValueError, TypeError, ArithmeticError) as error:  # of a value that is no cell's
        fault = ("storage.failed", f"a statement failed: {type(error).__name__}")
    return Ran(
        rows=msgspec.Raw(rows),
        fault=fault,
        in_transaction=database.in_transaction,
        changes=database.changes,
    )
