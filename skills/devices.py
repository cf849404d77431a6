"""The home's devices: their state in SQLite, and what must be sent to the broker."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import msgspec

from assistant.core.database import Database
from assistant.core.messages import HomeCommand, HomeStates, SlotValue
from assistant.skill.home import Area, Entity, Floor, Home

BROKER = "broker"
"""Utterance id of the commands that are sent because the broker came back."""


def create_devices(database: Database) -> None:
    """Create the table of states; `untold` is 1 if the broker was away when the state was set."""
    database.execute(
        "CREATE TABLE devices (entity_id TEXT PRIMARY KEY, state TEXT NOT NULL,"
        " untold INTEGER NOT NULL DEFAULT 0) STRICT"
    )


def create_attributes(database: Database) -> None:
    """Create the table of attributes that were set; `value` is JSON, null for a removed one."""
    database.execute(
        "CREATE TABLE device_attributes (entity_id TEXT NOT NULL, name TEXT NOT NULL,"
        " value TEXT NOT NULL, untold INTEGER NOT NULL DEFAULT 0,"
        " PRIMARY KEY (entity_id, name)) STRICT"
    )


def create_commands(database: Database) -> None:
    """Create the table of the last command, such as "next", that was sent to each device."""
    database.execute(
        "CREATE TABLE device_commands (entity_id TEXT PRIMARY KEY, command TEXT NOT NULL) STRICT"
    )


class Devices:
    """The `HomeControl` of the skills; with `broker`, every change is also a `HomeCommand`."""

    def __init__(self, database: Database, home: Home, broker: bool) -> None:
        self._database = database
        self._home = home
        self._broker = broker
        self._changed: dict[str, set[str]] = {}
        self._commands: list[tuple[str, str]] = []
        states = self._states()
        self.added = tuple(entity for entity in home.entities if entity.id not in states)
        """The devices that were not known before."""
        if self.added:
            with database.transaction():
                for entity in self.added:
                    self._write(entity.id, entity.state)
        self._broker_present = not self._untold()
        self._watch: Callable[[str, str, str], object] = lambda *_: None

    def watch(self, changed: Callable[[str, str, str], object]) -> None:
        """Call `changed` with device, former and new state, within each transaction of a change."""
        self._watch = changed

    @property
    def floors(self) -> tuple[Floor, ...]:
        """Every floor."""
        return self._home.floors

    @property
    def areas(self) -> tuple[Area, ...]:
        """Every area."""
        return self._home.areas

    @property
    def entities(self) -> tuple[Entity, ...]:
        """Every device with the state and the attributes it has now."""
        states, attributes = self._states(), self._attributes()
        return tuple(
            msgspec.structs.replace(
                entity,
                state=states[entity.id],
                attributes=_without_none(entity.attributes | attributes[entity.id]),
            )
            for entity in self._home.entities
        )

    def set_state(self, entity_id: str, state: str) -> None:
        """Bring a device into `state`; `commands` gives the message for the broker."""
        before = self._states().get(entity_id, state)
        self._write(entity_id, state, untold=self._broker and not self._broker_present)
        if before != state:
            self._watch(entity_id, before, state)
        self._changed.setdefault(entity_id, set()).add("")

    def set_attribute(self, entity_id: str, name: str, value: SlotValue) -> None:
        """Set an attribute of a device; `commands` gives the message for the broker."""
        text = msgspec.json.encode(value).decode()
        untold = self._broker and not self._broker_present and value is not None
        self._database.execute(
            "INSERT OR REPLACE INTO device_attributes VALUES (?, ?, ?, ?)",
            *(entity_id, name, text, int(untold)),
        )
        self._changed.setdefault(entity_id, set()).add(name)

    def command(self, entity_id: str, command: str) -> bool:
        """Send a command; False while the broker is away, as an old command must not be obeyed."""
        if self._broker and not self._broker_present:
            return False
        self._database.execute(
            "INSERT OR REPLACE INTO device_commands VALUES (?, ?)", entity_id, command
        )
        self._commands.append((entity_id, command))
        return True

    def commands(self, utterance_id: str) -> Iterator[HomeCommand]:
        """What has changed since the last call, for the broker; nothing without one."""
        changed, commands = self._changed, self._commands
        self.forget_changes()
        if self._broker:
            yield from self._told(utterance_id, changed)
            for entity_id, command in commands:
                yield HomeCommand(utterance_id=utterance_id, entity_id=entity_id, command=command)

    def forget_changes(self) -> None:
        """Forget the changes: their transaction has failed, or they have been sent."""
        self._changed, self._commands = {}, []

    @contextmanager
    def rehearsal(self) -> Iterator[None]:
        """Forget, after the block, what changed in it: its transaction is taken back."""
        changed = {entity_id: set(names) for entity_id, names in self._changed.items()}
        commands = list(self._commands)
        try:
            yield
        finally:
            self._changed, self._commands = changed, commands

    def told(self, message: HomeStates) -> None:
        """Write what the broker reports, in one transaction.

        A state that a person set while the broker was away is not overwritten.
        """
        known = dict(
            self._database.execute("SELECT entity_id, state FROM devices WHERE untold = 0")
        )
        changed = {e: s for e, s in message.states.items() if known.get(e, s) != s}
        if changed:
            with self._database.transaction():
                for entity_id, state in changed.items():
                    self._write(entity_id, state)
                    self._watch(entity_id, known[entity_id], state)

    def broker_changed(self, present: bool) -> Iterator[HomeCommand]:
        """Note that the broker went away or came back; give the commands that it has missed."""
        self._broker_present = present
        if present and (untold := self._untold()):
            with self._database.transaction():
                self._database.execute("UPDATE devices SET untold = 0")
                self._database.execute("UPDATE device_attributes SET untold = 0")
            yield from self._told(BROKER, untold)

    def _told(self, utterance_id: str, changed: dict[str, set[str]]) -> Iterator[HomeCommand]:
        states, attributes = self._states(), self._attributes()
        for entity_id, names in changed.items():
            known = _without_none(attributes[entity_id])
            set_now = {name: known[name] for name in sorted(names) if name in known}
            if "" in names or set_now:
                yield HomeCommand(
                    utterance_id=utterance_id,
                    entity_id=entity_id,
                    state=states[entity_id] if "" in names else "",
                    attributes=set_now,
                )

    def _untold(self) -> dict[str, set[str]]:
        """Device → the attributes that the broker does not know yet, "" for the state."""
        found: dict[str, set[str]] = {}
        for entity_id, name in self._database.execute(
            "SELECT entity_id, '' FROM devices WHERE untold = 1"
            " UNION ALL SELECT entity_id, name FROM device_attributes WHERE untold = 1"
        ):
            found.setdefault(entity_id, set()).add(name)
        return found

    def _states(self) -> dict[str, str]:
        return dict(self._database.execute("SELECT entity_id, state FROM devices"))

    def _attributes(self) -> dict[str, dict[str, SlotValue]]:
        found: dict[str, dict[str, SlotValue]] = defaultdict(dict)
        for entity_id, name, value in self._database.execute(
            "SELECT entity_id, name, value FROM device_attributes"
        ):
            found[entity_id][name] = msgspec.json.decode(value)
        return found

    def _write(self, entity_id: str, state: str, untold: bool = False) -> None:
        self._database.execute(
            "INSERT OR REPLACE INTO devices VALUES (?, ?, ?)", entity_id, state, int(untold)
        )


def _without_none(attributes: dict[str, SlotValue]) -> dict[str, SlotValue]:
    return {name: value for name, value in attributes.items() if value is not None}
