"""On the disk: when each handler that waits for a time is due, and what waits to be handled."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

import msgspec

from assistant.core.database import Database
from skills.later.plan import AtTime

MOST_WAITING = 100
"""Most events of one skill that wait to be handled."""


class Time(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """The time `at` has come."""

    at: datetime


class Change(msgspec.Struct, frozen=True, kw_only=True, tag=True):
    """The device `entity_id` came from one state into another."""

    entity_id: str
    before: str
    state: str


Happened = Time | Change


class Waiting(msgspec.Struct, frozen=True):
    """An event that its handler has not been told."""

    number: int
    skill: str
    key: str
    happened: Happened


def create_events(database: Database) -> None:
    """Create the tables of times, and of what waits; `due` and `happened` are JSON."""
    database.execute(
        "CREATE TABLE event_times (skill TEXT NOT NULL, key TEXT NOT NULL, due TEXT NOT NULL,"
        " PRIMARY KEY (skill, key)) STRICT"
    )
    database.execute(
        "CREATE TABLE events_waiting (number INTEGER PRIMARY KEY AUTOINCREMENT,"
        " skill TEXT NOT NULL, key TEXT NOT NULL, happened TEXT NOT NULL) STRICT"
    )


class EventStore:
    """The two tables."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def times(self) -> dict[tuple[str, str], AtTime]:
        """Skill and key of each handler → when it is due."""
        rows = self._database.execute("SELECT skill, key, due FROM event_times")
        return {(s, key): msgspec.json.decode(due, type=AtTime) for s, key, due in rows}

    def set_time(self, skill: str, key: str, due: AtTime | None) -> None:
        """Set when a handler is due next; None for never."""
        self._database.execute("DELETE FROM event_times WHERE skill = ? AND key = ?", skill, key)
        if due is not None:
            text = msgspec.json.encode(due).decode()
            self._database.execute("INSERT INTO event_times VALUES (?, ?, ?)", skill, key, text)

    def keep(self, skill: str, keys: Iterable[str]) -> None:
        """Forget what a skill does not wait for any more."""
        known = tuple(keys)
        marks = ", ".join("?" * len(known))
        for table in ("event_times", "events_waiting"):
            statement = f"DELETE FROM {table} WHERE skill = ? AND key NOT IN ({marks})"  # noqa: S608
            self._database.execute(statement, skill, *known)

    def add(self, skill: str, key: str, happened: Happened) -> bool:
        """Let an event wait; False where too many of that skill do."""
        ((count,),) = self._database.execute(
            "SELECT count(*) FROM events_waiting WHERE skill = ?", skill
        )
        if count >= MOST_WAITING:
            return False
        self._database.execute(
            "INSERT INTO events_waiting (skill, key, happened) VALUES (?, ?, ?)",
            *(skill, key, msgspec.json.encode(happened).decode()),
        )
        return True

    def first(self, skills: Iterable[str]) -> Waiting | None:
        """The event of one of these skills that has waited longest; None for none."""
        known = tuple(skills)
        marks = ", ".join("?" * len(known))
        query = "SELECT number, skill, key, happened FROM events_waiting WHERE skill IN"
        rows = self._database.execute(f"{query} ({marks}) ORDER BY number LIMIT 1", *known)
        for number, skill, key, text in rows:
            return Waiting(number, skill, key, msgspec.json.decode(text, type=Happened))
        return None

    def remove(self, number: int) -> None:
        """Forget an event, which has been handled."""
        self._database.execute("DELETE FROM events_waiting WHERE number = ?", number)
