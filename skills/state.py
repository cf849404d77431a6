"""`state.db`, the database of what the skills keep, within bounds.

Triggers of the connection bound the tables, so whatever writes to them is bounded. A statement
beyond them does nothing, and raises a `StorageError` with the code `storage.quota`.
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from assistant.core.database import CONNECT, Connect, Database
from assistant.core.files import why_aside
from skills.announcements.quiet import create_do_not_disturb, create_quiet_rooms
from skills.announcements.waiting import create_announcements
from skills.capabilities.calendar.collected import create_collected
from skills.capabilities.calendar.store import create_calendar_changes
from skills.capabilities.device import create_own_volume
from skills.capabilities.sensors.store import create_sensors
from skills.capabilities.values import create_skill_values
from skills.devices.answers import create_told_levels, create_told_states
from skills.devices.devices import create_attributes, create_commands, create_devices
from skills.devices.forecasts import create_forecasts
from skills.devices.library import create_music
from skills.devices.outbox import create_outbox
from skills.devices.shared_lists import create_shared_lists
from skills.events.store import create_events
from skills.history import create_last_act, create_last_acts
from skills.later.alarms import create_alarms
from skills.later.reports import create_reports
from skills.later.store import create_plans
from skills.later.trust import create_known_time
from skills.lists import create_lists, create_made_lists
from skills.rights.pin import create_pin_tries
from skills.scheduler import create_extended, create_timer_areas, create_timers

OWN_TEXTS = (
    "SELECT text FROM list_items ORDER BY number DESC LIMIT 4000",
    "SELECT name FROM made_lists LIMIT 4000",
    "SELECT json_extract(alarm, '$.name') FROM alarms LIMIT 4000",
    "SELECT json_extract(plan, '$.said') FROM plans LIMIT 4000",
)
"""Queries of what users say again: what is on lists, what they are reminded of and have planned."""
KEPT_UTTERANCES = 256
"""Most ids of acted utterances that are kept, so that a commit seen twice is acted on once."""


def create_acted(database: Database) -> None:
    """Create the table of utterances that have been carried out."""
    database.execute("CREATE TABLE acted (utterance_id TEXT PRIMARY KEY)")


def create_confirmed(database: Database) -> None:
    """Create a table of how often each intent was carried out, which a later migration drops."""
    database.execute(
        "CREATE TABLE confirmed"
        " (intent TEXT PRIMARY KEY, times INTEGER NOT NULL, told INTEGER NOT NULL DEFAULT 0)"
    )


def drop_confirmed(database: Database) -> None:
    """Drop the table of how often each intent was carried out: it made no more be understood."""
    database.execute("DROP TABLE confirmed")


MIGRATIONS = (
    *(create_acted, create_timers, create_devices),
    *(create_attributes, create_commands, create_lists, create_extended),
    *(create_made_lists, create_confirmed, create_plans, create_reports),
    *(create_skill_values, create_announcements, create_do_not_disturb),
    *(create_events, create_last_act, create_outbox, create_pin_tries),
    *(create_known_time, create_last_acts, create_alarms, create_told_states, create_music),
    *(create_calendar_changes, create_shared_lists, create_forecasts, create_told_levels),
    *(create_own_volume, create_collected, create_timer_areas, create_quiet_rooms),
    *(create_sensors, drop_confirmed),
)


LOST = (
    "My memory was {why}. I have begun a new one; timers from before are lost. "
    "The command assistant doctor says how to get them back."
)
LARGEST_BYTES = 256 << 20
"""Most bytes of the whole file."""


class Quota(NamedTuple):
    """The most rows of a table, and the most bytes of a row that is new or grows."""

    rows: int
    row_bytes: int


QUOTAS = {
    "list_items": Quota(5_000, 2_000),
    "made_lists": Quota(200, 500),
    "timers": Quota(1_000, 2_000),
    "plans": Quota(500, 50_000),
    "plan_reports": Quota(500, 50_000),
    "alarms": Quota(500, 50_000),
    "announcements": Quota(1_000, 20_000),
    "event_times": Quota(1_000, 20_000),
    "events_waiting": Quota(1_000, 20_000),
    "sensor_requests": Quota(1_000, 2_000),
    "devices": Quota(10_000, 2_000),
    "device_attributes": Quota(50_000, 20_000),
    "device_commands": Quota(10_000, 20_000),
    "outbox": Quota(10_000, 20_000),
    "calendar_changes": Quota(10_000, 2 << 20),
    "last_acts": Quota(200, 4 << 20),
}
"""Table → its quota. The values of skills have one of their own, and what the bridge alone tells is
bounded there."""


def open_state(path: Path | None, connect: Connect = CONNECT) -> Database:
    """Open the file, or one in memory for None; raises `StorageError`."""
    database = Database(path, MIGRATIONS, LARGEST_BYTES, connect)
    _keep_within(database)
    return database


def lost(database: Database) -> list[str]:
    """What is said of a file that was begun anew; once, also when the stage is rebuilt."""
    aside, database.set_aside = database.set_aside, None
    return [LOST.format(why=why_aside(aside))] if aside is not None else []


def remember_acted(database: Database, utterance_id: str) -> None:
    """Record, within the action's own transaction, that this utterance was carried out."""
    database.execute("INSERT OR IGNORE INTO acted VALUES (?)", utterance_id)
    database.execute(
        "DELETE FROM acted WHERE rowid <= (SELECT max(rowid) FROM acted) - ?", KEPT_UTTERANCES
    )


def has_acted(database: Database, utterance_id: str) -> bool:
    """Whether this utterance was carried out before, by this process or one before it."""
    return bool(database.execute("SELECT 1 FROM acted WHERE utterance_id = ?", utterance_id))


def _keep_within(database: Database) -> None:
    """Keep the tables of a database within `QUOTAS` for as long as it is open."""
    database.execute("PRAGMA temp_store=MEMORY")
    for table, quota in QUOTAS.items():
        columns = [
            name for (name,) in database.execute("SELECT name FROM pragma_table_info(?)", table)
        ]
        new, old = (_size(row, columns) for row in ("NEW", "OLD"))
        large = f"{new} > {quota.row_bytes}"
        too_large = f"a row of more than {quota.row_bytes} bytes"
        too_many = f"(SELECT count(*) FROM {table}) > {quota.rows}"  # noqa: S608 - names of ours
        _refuse(database, table, "INSERT", too_many, f"more than {quota.rows} rows")
        _refuse(database, table, "INSERT", large, too_large)
        _refuse(database, table, "UPDATE", f"{large} AND {new} > {old}", too_large)


def _size(row: str, columns: list[str]) -> str:
    return " + ".join(f'coalesce(length(CAST({row}."{name}" AS BLOB)), 0)' for name in columns)


def _refuse(database: Database, table: str, change: str, when: str, why: str) -> None:
    ((number,),) = database.execute("SELECT count(*) FROM sqlite_temp_master")
    database.execute(
        f"CREATE TEMP TRIGGER quota_{number} AFTER {change} ON main.{table} WHEN {when}"
        f" BEGIN SELECT RAISE(ABORT, '{table} may not have {why}'); END"
    )
