"""`state.db`, the database of what the skills keep."""

from __future__ import annotations

from pathlib import Path

from assistant.core.database import CONNECT, Connect, Database
from skills.announcements.quiet import create_do_not_disturb, create_quiet_rooms
from skills.announcements.waiting import create_announcements
from skills.capabilities.calendar.collected import create_collected
from skills.capabilities.calendar.store import create_calendar_changes
from skills.capabilities.device import create_own_volume
from skills.capabilities.sensors.store import create_sensors
from skills.capabilities.values import create_skill_values
from skills.confirmed import create_confirmed
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

KEPT_UTTERANCES = 256
"""Most ids of acted utterances that are kept, so that a commit seen twice is acted on once."""


def create_acted(database: Database) -> None:
    """Create the table of utterances that have been carried out."""
    database.execute("CREATE TABLE acted (utterance_id TEXT PRIMARY KEY)")


MIGRATIONS = (
    *(create_acted, create_timers, create_devices),
    *(create_attributes, create_commands, create_lists, create_extended),
    *(create_made_lists, create_confirmed, create_plans, create_reports),
    *(create_skill_values, create_announcements, create_do_not_disturb),
    *(create_events, create_last_act, create_outbox, create_pin_tries),
    *(create_known_time, create_last_acts, create_alarms, create_told_states, create_music),
    *(create_calendar_changes, create_shared_lists, create_forecasts, create_told_levels),
    *(create_own_volume, create_collected, create_timer_areas, create_quiet_rooms),
    create_sensors,
)


def open_state(path: Path | None, connect: Connect = CONNECT) -> Database:
    """Open the file, or one in memory for None; raises `StorageError`."""
    return Database(path, MIGRATIONS, connect=connect)


def remember_acted(database: Database, utterance_id: str) -> None:
    """Record, within the action's own transaction, that this utterance was carried out."""
    database.execute("INSERT OR IGNORE INTO acted VALUES (?)", utterance_id)
    database.execute(
        "DELETE FROM acted WHERE rowid <= (SELECT max(rowid) FROM acted) - ?", KEPT_UTTERANCES
    )


def has_acted(database: Database, utterance_id: str) -> bool:
    """Whether this utterance was carried out before, by this process or one before it."""
    return bool(database.execute("SELECT 1 FROM acted WHERE utterance_id = ?", utterance_id))
