"""The home's devices: their state in SQLite, and what the broker must be told."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from assistant.core.database import Database
from assistant.core.messages import HomeCommand, HomeState
from assistant.skill.home import Area, Entity, Home


def create_devices(database: Database) -> None:
    """The table of states; `untold` is 1 while the broker was away when the state was set."""
    database.execute(
        "CREATE TABLE devices (entity_id TEXT PRIMARY KEY, state TEXT NOT NULL,"
        " untold INTEGER NOT NULL DEFAULT 0) STRICT"
    )


class Devices:
    """The `HomeControl` of the skills; with `broker`, every change is also a `HomeCommand`."""

    def __init__(self, database: Database, home: Home, broker: bool) -> None:
        self._database = database
        self._home = home
        self._broker = broker
        self._changed: list[str] = []
        states = self._states()
        if unknown := [entity for entity in home.entities if entity.id not in states]:
            with database.transaction():
                for entity in unknown:
                    self._write(entity.id, entity.state)
        untold = database.execute("SELECT 1 FROM devices WHERE untold = 1 LIMIT 1")
        self._broker_present = not untold

    @property
    def areas(self) -> tuple[Area, ...]:
        """Every area."""
        return self._home.areas

    @property
    def entities(self) -> tuple[Entity, ...]:
        """Every device with the state it has now."""
        states = self._states()
        return tuple(
            msgspec.structs.replace(entity, state=states[entity.id])
            for entity in self._home.entities
        )

    def set_state(self, entity_id: str, state: str) -> None:
        """Bring a device into `state`; the broker is told by `commands`."""
        self._write(entity_id, state, untold=self._broker and not self._broker_present)
        self._changed.append(entity_id)

    def commands(self, utterance_id: str) -> Iterator[HomeCommand]:
        """What has changed since the last call, for the broker; nothing without one."""
        changed, self._changed = list(dict.fromkeys(self._changed)), []
        if self._broker:
            states = self._states()
            for entity_id in changed:
                yield HomeCommand(
                    utterance_id=utterance_id, entity_id=entity_id, state=states[entity_id]
                )

    def forget_changes(self) -> None:
        """The transaction of these changes has failed."""
        self._changed.clear()

    def told(self, message: HomeState) -> None:
        """The broker tells a state; one that a person has set meanwhile is not overruled."""
        known = self._database.execute(
            "SELECT state, untold FROM devices WHERE entity_id = ?", message.entity_id
        )
        if known and known[0] != (message.state, 0) and not known[0][1]:
            with self._database.transaction():
                self._write(message.entity_id, message.state)

    def broker_changed(self, present: bool) -> Iterator[HomeCommand]:
        """The broker went away or came back; what it has missed."""
        self._broker_present = present
        if not present:
            return
        untold = self._database.execute("SELECT entity_id, state FROM devices WHERE untold = 1")
        if untold:
            with self._database.transaction():
                self._database.execute("UPDATE devices SET untold = 0")
        for entity_id, state in untold:
            yield HomeCommand(utterance_id="broker", entity_id=entity_id, state=state)

    def _states(self) -> dict[str, str]:
        return dict(self._database.execute("SELECT entity_id, state FROM devices"))

    def _write(self, entity_id: str, state: str, untold: bool = False) -> None:
        self._database.execute(
            "INSERT OR REPLACE INTO devices VALUES (?, ?, ?)", entity_id, state, int(untold)
        )
