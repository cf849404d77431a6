"""What is on lists, and which lists were made, kept in SQLite until somebody removes it."""

from __future__ import annotations

import logging
import uuid
from collections.abc import Iterable

from assistant.core.database import QUOTA, Database
from assistant.core.errors import StorageError
from assistant.skill import Entity, ListItem
from skills.devices.shared_lists import SharedLists
from skills.rights.guard import Guard

log = logging.getLogger(__name__)


def create_lists(database: Database) -> None:
    """Create the table of the lists' items."""
    database.execute(
        "CREATE TABLE list_items (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE,"
        " list_id TEXT NOT NULL, text TEXT NOT NULL, done INTEGER NOT NULL DEFAULT 0) STRICT"
    )


def create_made_lists(database: Database) -> None:
    """Create the table of the lists that users made."""
    database.execute(
        "CREATE TABLE made_lists (number INTEGER PRIMARY KEY,"
        " name TEXT NOT NULL UNIQUE COLLATE NOCASE) STRICT"
    )


class StoredLists:
    """The `ListStore` of the skills; what `guard` does not allow raises `SkillError`.

    What changes on the lists that are `shared` is kept for the other end as well.
    """

    def __init__(self, database: Database, guard: Guard, shared: SharedLists) -> None:
        self._database, self._guard, self._shared = database, guard, shared

    def take_over(self, entities: Iterable[Entity]) -> None:
        """Fill the lists of a home that is new with what its file says is on them."""
        with self._database.transaction():
            for entity in entities:
                items = entity.attributes.get("items") if entity.domain == "todo" else None
                for text in items if isinstance(items, list) else ():
                    try:
                        self.add(entity.id, str(text))
                    except StorageError as error:
                        if error.code != QUOTA:
                            raise
                        log.warning("%s: an item is left out: %s (%s)", entity.id, error, QUOTA)

    @property
    def made(self) -> tuple[str, ...]:
        """The names of the lists that users made, the oldest first."""
        rows = self._database.execute("SELECT name FROM made_lists ORDER BY number")
        return tuple(name for (name,) in rows)

    def make(self, name: str) -> None:
        """Make an empty list; its id is its name in lower case."""
        self._guard.check_list(name)
        self._database.execute("INSERT OR IGNORE INTO made_lists (name) VALUES (?)", name)

    def drop(self, name: str) -> None:
        """Delete a list that was made, with what is on it."""
        self._guard.check_list(name)
        self._database.execute("DELETE FROM made_lists WHERE name = ?", name)
        self._database.execute("DELETE FROM list_items WHERE list_id = ?", name.casefold())

    def items(self, list_id: str) -> tuple[ListItem, ...]:
        """What is on a list, the oldest first, with what was checked off."""
        rows = self._database.execute(
            "SELECT id, text, done FROM list_items WHERE list_id = ? AND gone = 0 ORDER BY number",
            list_id,
        )
        return tuple(
            ListItem(id=item_id, list_id=list_id, text=text, done=bool(done))
            for item_id, text, done in rows
        )

    def is_current(self, list_id: str) -> bool:
        """Whether a list is known as it is now."""
        return self._shared.is_current(list_id)

    def add(self, list_id: str, text: str) -> ListItem:
        """Put something at the end of a list."""
        self._guard.check_list(list_id)
        item = ListItem(id=uuid.uuid4().hex, list_id=list_id, text=text)
        self._database.execute(
            "INSERT INTO list_items (id, list_id, text) VALUES (?, ?, ?)", item.id, list_id, text
        )
        self._shared.change(list_id, item.id)
        return item

    def set_done(self, item_id: str, done: bool) -> None:
        """Check something off, or put it back."""
        list_id = self._list_of(item_id)
        self._database.execute("UPDATE list_items SET done = ? WHERE id = ?", int(done), item_id)
        self._shared.change(list_id, item_id)

    def remove(self, item_id: str) -> None:
        """Remove something for good."""
        list_id = self._list_of(item_id)
        if self._shared.shares(list_id):
            self._database.execute("UPDATE list_items SET gone = 1 WHERE id = ?", item_id)
            self._shared.change(list_id, item_id)
        else:
            self._database.execute("DELETE FROM list_items WHERE id = ?", item_id)

    def _list_of(self, item_id: str) -> str:
        """The list that an item is on, "" for an item that there is not."""
        rows = self._database.execute("SELECT list_id FROM list_items WHERE id = ?", item_id)
        for (list_id,) in rows:
            self._guard.check_list(list_id)
        return str(rows[0][0]) if rows else ""
