"""Lists that Home Assistant has, too: what it tells of them, and what it is to be told.

Once it has told what is on a list, the list is shared. From then on it is as Home Assistant tells
it, but for what was changed here and waits in the outbox, where the name of a change is the item's
id. An item that is taken off stays a row that is `gone` until the change has ended.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Mapping, Sequence

from assistant.core.database import Database
from assistant.core.home.lists import ListChange, ListedItem
from assistant.english.commands.list_words import LIST_KINDS
from skills.devices.outbox import Outbox

_Row = tuple[str, str, str, int, int]
"""The id of an item, its `uid`, its text, and whether it is done and gone."""


def create_shared_lists(database: Database) -> None:
    """Create the table of the lists that are shared, and the columns that their items need."""
    database.execute("CREATE TABLE shared_lists (list_id TEXT PRIMARY KEY) STRICT")
    database.execute("ALTER TABLE list_items ADD COLUMN uid TEXT NOT NULL DEFAULT ''")
    database.execute("ALTER TABLE list_items ADD COLUMN gone INTEGER NOT NULL DEFAULT 0")


class SharedLists:
    """The shared lists; `names` are those of the home's lists, by id.

    `reaches` tells whether the other end of one is there. Where lists are not `carried` any more,
    they are this device's own again.
    """

    def __init__(
        self,
        database: Database,
        outbox: Outbox,
        names: Mapping[str, str],
        reaches: Callable[[str], bool],
        *,
        carried: bool,
    ) -> None:
        self._database, self._outbox, self._reaches = database, outbox, reaches
        self._carried = carried
        self._names = {list_id: name.casefold() for list_id, name in names.items()}
        self._shared = {i for (i,) in database.execute("SELECT list_id FROM shared_lists")}
        if self._shared and not carried:
            self._end()

    def shares(self, list_id: str) -> bool:
        """Whether a list is shared."""
        return list_id in self._shared

    def is_current(self, list_id: str) -> bool:
        """Whether a list is as it is there, or is this device's own.

        One that there is elsewhere, and that was not told of yet, is neither.
        """
        if list_id in self._shared:
            return self._reaches(list_id)
        return not (self._carried and list_id in self._names)

    def change(self, list_id: str, item_id: str) -> None:
        """Keep that an item of a shared list has changed, within the turn that changes it."""
        if list_id in self._shared:
            self._outbox.change(list_id, item_id)

    def wanted(self, list_id: str, item_ids: Iterable[str]) -> tuple[ListChange, ...]:
        """What is to become of these items, in the order given."""
        rows = {row[0]: row for row in self._rows(list_id)}
        return tuple(_change(rows[item_id]) for item_id in item_ids if item_id in rows)

    def told(self, lists: Mapping[str, Sequence[ListedItem]]) -> None:
        """Take over what is on lists there, each in one transaction."""
        for list_id in lists.keys() & self._names.keys():
            waiting = {name for entity_id, name in self._outbox.changes() if entity_id == list_id}
            if list_id not in self._shared:
                self._share(list_id, lists[list_id])
                continue
            before = self._rows(list_id)
            if (now := _merged(before, lists[list_id], waiting)) != before:
                with self._database.transaction():
                    self._write(list_id, now)

    def _share(self, list_id: str, told: Sequence[ListedItem]) -> None:
        """Begin to share a list: what was still open here is put on it there."""
        there = {item.text.casefold() for item in told if not item.done}
        ours = [row for one in self._same(list_id) for row in self._rows(one)]
        kept = [row for row in ours if not row[3] and row[2].casefold() not in there]
        with self._database.transaction():
            self._database.execute("INSERT INTO shared_lists VALUES (?)", list_id)
            for one in self._same(list_id):
                self._database.execute("DELETE FROM list_items WHERE list_id = ?", one)
                self._database.execute("DELETE FROM made_lists WHERE name = ?", one)
            for item_id, *_ in kept:
                self._outbox.change(list_id, item_id)
            self._write(list_id, [*_merged((), told, set()), *kept])
        self._shared.add(list_id)

    def _same(self, list_id: str) -> list[str]:
        """The lists of this device that people call the same: the shopping list, or one made."""
        name = self._names[list_id]
        plain = name.removesuffix(" list")
        kinds = [kind for kind, words in LIST_KINDS.items() if plain in words]
        return [list_id, *dict.fromkeys((name, plain, *kinds))]

    def _rows(self, list_id: str) -> list[_Row]:
        query = "SELECT id, uid, text, done, gone FROM list_items WHERE list_id = ? ORDER BY number"
        return [
            (item_id, uid, text, done, gone)
            for item_id, uid, text, done, gone in self._database.execute(query, list_id)
        ]

    def _write(self, list_id: str, rows: Iterable[_Row]) -> None:
        self._database.execute("DELETE FROM list_items WHERE list_id = ?", list_id)
        for item_id, uid, text, done, gone in rows:
            self._database.execute(
                "INSERT INTO list_items (id, list_id, uid, text, done, gone)"
                " VALUES (?, ?, ?, ?, ?, ?)",
                *(item_id, list_id, uid, text, done, gone),
            )

    def _end(self) -> None:
        """Keep all that is on the lists here, and forget what was to be told."""
        with self._database.transaction():
            for list_id, item_id in self._outbox.changes():
                if list_id in self._shared:
                    self._outbox.withdraw(list_id, item_id)
            self._database.execute("DELETE FROM list_items WHERE gone = 1")
            self._database.execute("UPDATE list_items SET uid = ''")
            self._database.execute("DELETE FROM shared_lists")
        self._shared.clear()


def _change(row: _Row) -> ListChange:
    _, uid, text, done, gone = row
    return ListChange(uid, text, "gone" if gone else "done" if done else "open")


def _merged(before: Sequence[_Row], told: Sequence[ListedItem], waiting: set[str]) -> list[_Row]:
    """The rows of a list that has these items, where the changes of some rows still wait."""
    by_uid = {row[1]: row for row in before if row[1]}
    by_text = {row[2].casefold(): row for row in reversed(before) if not row[1]}
    merged: list[_Row] = []
    for item in told:
        known = by_uid.get(item.uid) or by_text.pop(item.text.casefold(), None)
        if known is None:
            merged.append((uuid.uuid4().hex, item.uid, item.text, int(item.done), 0))
        elif known[0] in waiting:
            merged.append((known[0], item.uid, *known[2:]))
        else:
            merged.append((known[0], item.uid, item.text, int(item.done), 0))
    found = {row[0] for row in merged}
    return [*merged, *(row for row in before if row[0] in waiting - found)]
