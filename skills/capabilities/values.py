"""The values that skills keep, in one table of `state.db`, each skill's apart from all others'."""

from __future__ import annotations

import base64
from collections.abc import Iterator
from contextlib import contextmanager

from assistant.core.database import QUOTA, Database
from assistant.core.errors import SkillError
from assistant.skill.reply import Undo
from assistant.skill.storage import (
    LARGEST_STORAGE_BYTES,
    LARGEST_VALUE_BYTES,
    LONGEST_KEY_BYTES,
)

RESTORE = "storage.restore"


def create_skill_values(database: Database) -> None:
    """Create the table of the skills' values."""
    database.execute(
        "CREATE TABLE skill_values (skill TEXT NOT NULL, key TEXT NOT NULL, value BLOB NOT NULL,"
        " PRIMARY KEY (skill, key)) STRICT, WITHOUT ROWID"
    )


class SkillValues:
    """The `StoredValues` of one skill during one call; `undo` takes back what it changes.

    Where `acts` is false, changes count as no act, and there is nothing to take back.
    """

    def __init__(self, database: Database, skill: str, acts: bool = True) -> None:
        self._database, self._skill, self._acts = database, skill, acts
        self._before: dict[str, bytes | None] = {}

    @property
    def undo(self) -> tuple[Undo, ...]:
        """What brings every changed key back."""
        return tuple(
            Undo(RESTORE, key, None if value is None else base64.b64encode(value).decode())
            for key, value in self._before.items()
        )

    def read(self, key: str) -> bytes | None:
        """The value of a key; None where there is none."""
        rows = self._database.execute(
            "SELECT value FROM skill_values WHERE skill = ? AND key = ?", self._skill, key
        )
        return rows[0][0] if rows else None

    def write(self, key: str, value: bytes) -> None:
        """Keep a value; raises `SkillError` for one too many or too large."""
        self._require_room(key, value)
        with self._changing(key):
            self._database.execute(
                "INSERT OR REPLACE INTO skill_values VALUES (?, ?, ?)", self._skill, key, value
            )

    def remove(self, key: str) -> None:
        """Remove a key, if there is one."""
        with self._changing(key):
            self._database.execute(
                "DELETE FROM skill_values WHERE skill = ? AND key = ?", self._skill, key
            )

    def keys(self, prefix: str) -> tuple[str, ...]:
        """The keys that begin with `prefix`, sorted."""
        rows = self._database.execute(
            "SELECT key FROM skill_values WHERE skill = ? AND substr(key, 1, ?) = ? ORDER BY key",
            *(self._skill, len(prefix), prefix),
        )
        return tuple(key for (key,) in rows)

    @contextmanager
    def _changing(self, key: str) -> Iterator[None]:
        if self._acts:
            self._before.setdefault(key, self.read(key))
            yield
            return
        with self._database.uncounted():
            yield

    def _require_room(self, key: str, value: bytes) -> None:
        key_bytes = len(key.encode("utf-8", "surrogatepass"))
        if not 0 < key_bytes <= LONGEST_KEY_BYTES:
            raise self._refused(f"a key has 1 to {LONGEST_KEY_BYTES} bytes, not {key_bytes}")
        if len(value) > LARGEST_VALUE_BYTES:
            told = f"a value has {len(value)} bytes, more than the {LARGEST_VALUE_BYTES} it may"
            raise self._refused(told)
        ((others,),) = self._database.execute(
            "SELECT coalesce(sum(length(CAST(key AS BLOB)) + length(value)), 0)"
            " FROM skill_values WHERE skill = ? AND key != ?",
            *(self._skill, key),
        )
        if others + key_bytes + len(value) > LARGEST_STORAGE_BYTES:
            told = f"its storage is full; it may keep {LARGEST_STORAGE_BYTES} bytes"
            raise self._refused(told, QUOTA)

    def _refused(self, told: str, code: str = "skill.storage") -> SkillError:
        return SkillError(code, f'skill "{self._skill}": {told}', self._skill)


def restore(database: Database, undo: Undo) -> None:
    """Bring a key back; `undo.name` is the skill, as `Bound` has written it there."""
    values = SkillValues(database, undo.name)
    if undo.value is None:
        values.remove(undo.id)
    else:
        values.write(undo.id, base64.b64decode(str(undo.value)))
