"""What a skill keeps: values under keys, as part of the turn, and SQLite tables of its own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeVar, overload

import msgspec

from assistant.core.errors import UNDECODABLE, SkillError

LARGEST_VALUE_BYTES = 64 << 10
LARGEST_STORAGE_BYTES = 1 << 20
"""Most bytes of all keys and values of one skill."""
LONGEST_KEY_BYTES = 256

T = TypeVar("T")
Cell = str | int | float | bytes | None
"""A value in a row of a table."""


class StoredValues(Protocol):
    """The encoded values of one skill; no key leads to those of another."""

    def read(self, key: str) -> bytes | None:
        """The value of a key; None where there is none."""

    def write(self, key: str, value: bytes) -> None:
        """Keep a value; raises `SkillError` for one too many or too large."""

    def remove(self, key: str) -> None:
        """Remove a key, if there is one."""

    def keys(self, prefix: str) -> tuple[str, ...]:
        """The keys that begin with `prefix`, sorted."""


class Storage:
    """Typed values under keys, kept until the skill deletes them.

    A change is part of the turn: it is on the disk before the reply is given, a turn that fails
    leaves none, and what takes the reply back restores what was there.
    """

    def __init__(self, values: StoredValues) -> None:
        self.values = values

    @overload
    def get(self, key: str, kind: type[T], default: T) -> T: ...

    @overload
    def get(self, key: str, kind: Any, default: Any) -> Any: ...

    def get(self, key: str, kind: Any, default: Any) -> Any:
        """The value of a key as `kind`, any type that msgspec knows; `default` where there is none.

        Raises `SkillError` where the value that was kept is of another type.
        """
        found = self.values.read(key)
        if found is None:
            return default
        try:
            return msgspec.msgpack.decode(found, type=kind)
        except UNDECODABLE as error:
            name = getattr(kind, "__name__", kind)
            raise SkillError("skill.storage", f"what was kept is no {name}") from error

    def set(self, key: str, value: Any) -> None:
        """Keep a value that msgspec can encode, of 64 kB at most; 1 MB for all of a skill's."""
        try:
            encoded = msgspec.msgpack.encode(value)
        except (TypeError, ValueError, RecursionError) as error:
            told = f"a value of type {type(value).__name__} cannot be kept"
            raise SkillError("skill.storage", told) from error
        self.values.write(key, encoded)

    def delete(self, key: str) -> None:
        """Remove a key, if there is one."""
        self.values.remove(key)

    def keys(self, prefix: str = "") -> tuple[str, ...]:
        """The keys that begin with `prefix`, sorted."""
        return self.values.keys(prefix)


class Tables(Protocol):
    """SQLite tables in a file of the skill's own."""

    def execute(self, sql: str, *parameters: Cell) -> list[tuple[Any, ...]]:
        """Run one statement with bound `parameters` and return its rows.

        Raises `SkillError` for what SQLite refuses, for more than 10,000 rows, and for statements
        that open another file or end the transaction.
        """


TableMigration = Callable[[Tables], None]
"""A step of the tables' schema; it runs once and is recorded under its function's name."""
