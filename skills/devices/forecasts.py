"""What the weather devices foretell, as the bridge told it last."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from assistant.core.database import Database
from assistant.core.home.forecast import ForecastDay
from assistant.skill.home import Entity

Days = tuple[ForecastDay, ...]

log = logging.getLogger(__name__)


def create_forecasts(database: Database) -> None:
    """Create the table of forecasts; `days` is JSON."""
    database.execute(
        "CREATE TABLE forecasts (entity_id TEXT PRIMARY KEY, days TEXT NOT NULL) STRICT"
    )


class StoredForecasts:
    """The forecasts by device.

    Where the home's file gives the `forecast` of a device, that is it until the bridge tells.
    """

    def __init__(self, database: Database, entities: Iterable[Entity]) -> None:
        self._database = database
        self._in_file = {
            entity.id: _read(entity.id, entity.attributes["forecast"])
            for entity in entities
            if "forecast" in entity.attributes
        }

    def of(self, entity_id: str) -> Days:
        """The days that a device foretells; none where it foretells nothing."""
        query = "SELECT days FROM forecasts WHERE entity_id = ?"
        for (days,) in self._database.execute(query, entity_id):
            return msgspec.json.decode(days, type=Days)
        return self._in_file.get(entity_id, ())

    def told(self, forecasts: Mapping[str, Days]) -> None:
        """Keep what is foretold now, in place of what was."""
        changed = {e: days for e, days in forecasts.items() if self.of(e) != days}
        if not changed:
            return
        with self._database.transaction():
            for entity_id, days in changed.items():
                text = msgspec.json.encode(days).decode()
                keep = "INSERT OR REPLACE INTO forecasts VALUES (?, ?)"
                self._database.execute(keep, entity_id, text)


def _read(entity_id: str, given: Any) -> Days:
    try:
        return msgspec.convert(given, Days)
    except msgspec.ValidationError as error:
        log.warning("the forecast of %s is not taken: %s (home.forecast)", entity_id, error)
        return ()
