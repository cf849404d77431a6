"""What skills keep, as a whole: whose it is, and how it is deleted."""

from __future__ import annotations

from pathlib import Path

from assistant.core.database import Database
from assistant.core.layout import SKILLS_FOLDER
from skills.capabilities.tables import file_of

_TABLES = ("skill_values", "announcements", "event_times", "events_waiting")
"""The tables of `state.db` whose rows belong to the skill that they name."""
_SUFFIXES = ("", "-wal", "-shm", ".lock")


def kept_bytes(database: Database) -> dict[str, int]:
    """Skill → the bytes that it keeps, in its tables too."""
    found = dict(
        database.execute(
            "SELECT skill, sum(length(CAST(key AS BLOB)) + length(value)) FROM skill_values"
            " GROUP BY skill"
        )
    )
    for file in _files(database):
        found[file.stem] = found.get(file.stem, 0) + file.stat().st_size
    return dict(sorted(found.items()))


def forget(database: Database, skill: str) -> None:
    """Delete all that a skill keeps; its tables' file must not be in use."""
    with database.transaction():
        for table in _TABLES:
            database.execute(f"DELETE FROM {table} WHERE skill = ?", skill)  # noqa: S608 - our own
    if skill in {file.stem for file in _files(database)}:
        file = file_of(database.path, skill)
        for suffix in _SUFFIXES if file else ():
            file.with_name(file.name + suffix).unlink(missing_ok=True)  # type: ignore[union-attr]


def _files(database: Database) -> list[Path]:
    return sorted((database.path.parent / SKILLS_FOLDER).glob("*.db")) if database.path else []
