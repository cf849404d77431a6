"""What devices are still to be told: kept on the disk until the broker has it.

1. A device's state, or an attribute, is a row from the turn that sets it until the broker has
   acknowledged it. A later value takes the place of one that waits, under a new id. It is sent
   again whenever the broker may have missed it, as a repetition does no harm.
2. A command that is no state, such as "next", is a row from its turn until the bridge reports what
   became of it. It is sent once at most. That it was not sent, or that nobody knows, is announced
   once, in the transaction that forgets it.

So whichever process is killed, and whenever:

| killed | while                                      | a state       | a command                  |
|--------|--------------------------------------------|---------------|----------------------------|
| skills | a turn is not committed                    | was never set | was never given            |
| skills | it is committed and was not sent           | is sent       | is not sent, and in doubt  |
| bridge | it has arrived and was not published       | is sent again | is not sent, and in doubt  |
| bridge | it is published and not yet acknowledged   | is sent again | is in doubt                |
| skills | it is acknowledged and still a row         | is sent again | is in doubt, or known      |
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import msgspec

from assistant.core.database import Database
from assistant.core.messages import HomeReceipt

RECEIPT_S = 10.0
"""Seconds after which a command of which nothing was reported is in doubt. It must be longer than
the bridge takes a command for new, so that none is published after it was told to be in doubt."""


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """One change or command that waits."""

    id: int
    entity_id: str
    name: str
    """The attribute, or `STATE`."""
    command: str
    """"" for a change."""


def create_outbox(database: Database) -> None:
    """Create the table, with what was kept for the broker in the tables of devices before."""
    database.execute(
        "CREATE TABLE outbox (id INTEGER PRIMARY KEY AUTOINCREMENT, entity_id TEXT NOT NULL,"
        " name TEXT NOT NULL, command TEXT NOT NULL) STRICT"
    )
    database.execute(
        "CREATE UNIQUE INDEX outbox_changes ON outbox (entity_id, name) WHERE command = ''"
    )
    database.execute(
        "INSERT INTO outbox (entity_id, name, command)"
        " SELECT entity_id, '', '' FROM devices WHERE untold = 1"
        " UNION ALL SELECT entity_id, name, '' FROM device_attributes WHERE untold = 1"
    )
    for table in ("devices", "device_attributes"):
        database.execute(f"ALTER TABLE {table} DROP COLUMN untold")


class Outbox:
    """The rows, and which of them this process has sent; `at_s` is in seconds of CLOCK_BOOTTIME.

    A turn's time may lie far back, as its words may have waited for this process: what it commands
    is waited for from the next `give_up` on.

    `announce` is called within a transaction: with the commands that were not sent, with those of
    which nobody knows whether they were, and with what could not be carried out.
    """

    def __init__(
        self,
        database: Database,
        announce: Callable[[Sequence[Row], Sequence[Row], Sequence[Row]], None],
    ) -> None:
        self._database, self._announce = database, announce
        self._changes_sent = 0
        self._since_s: dict[int, float | None] = {
            row.id: None for row in self._rows("command != ''")
        }
        """Command → when this process first waited for its receipt; None if it has not yet."""
        self._commands_sent = max(self._since_s, default=0)

    def change(self, entity_id: str, name: str) -> None:
        """Keep a change, within the turn that makes it."""
        self._keep(entity_id, name, "")

    def withdraw(self, entity_id: str, name: str) -> None:
        """Forget a change, within the turn after which there is nothing to send of it."""
        self._database.execute(
            "DELETE FROM outbox WHERE entity_id = ? AND name = ? AND command = ''", entity_id, name
        )

    def command(self, entity_id: str, command: str) -> None:
        """Keep a command, within the turn that gives it."""
        self._keep(entity_id, "", command)

    def take(self, reaches: Callable[[str], bool]) -> list[Row]:
        """The rows to send now, each of which is given once.

        Those of devices that nothing `reaches` wait until they are taken again.
        """
        rows = [
            row
            for row in self._rows("id > ?", min(self._changes_sent, self._commands_sent))
            if row.id > (self._commands_sent if row.command else self._changes_sent)
        ]
        if rows:
            self._changes_sent = self._commands_sent = max(
                rows[-1].id, self._changes_sent, self._commands_sent
            )
            self._since_s |= {row.id: None for row in rows if row.command}
        return [row for row in rows if reaches(row.entity_id)]

    def take_again(self) -> None:
        """Let `take` give the changes again; commands are not."""
        self._changes_sent = 0

    def changes(self) -> set[tuple[str, str]]:
        """The devices and attributes, or `STATE`, whose change the broker has not acknowledged."""
        return {(row.entity_id, row.name) for row in self._rows("command = ''")}

    def received(self, receipt: HomeReceipt) -> None:
        """Forget what the bridge reports of, within a transaction of its own."""
        known = {row.id: row for row in self._rows("1")}
        unsent = [known[i] for i in receipt.unsent if i in known and known[i].command]
        unsure = [known[i] for i in receipt.unsure if i in known]
        failed = [known[i] for i in receipt.failed if i in known]
        over = [i for i in (*receipt.sent, *receipt.unsent) if i in known]
        if over or unsure or failed:
            self._end(over, unsent, unsure, failed)

    def give_up(self, at_s: float) -> None:
        """Give up the commands that have waited too long for a receipt."""
        for number, since_s in self._since_s.items():
            self._since_s[number] = at_s if since_s is None else since_s
        due_s = self.deadline_s()
        if due_s is None or due_s > at_s:
            return
        late = {i for i, since_s in self._since_s.items() if (since_s or 0) + RECEIPT_S <= at_s}
        self._end(late, (), [row for row in self._rows("command != ''") if row.id in late])

    def deadline_s(self) -> float | None:
        """When `give_up` must be called next; 0.0 while the time is not yet known."""
        waits = (0.0 if s is None else s + RECEIPT_S for s in self._since_s.values())
        return min(waits, default=None)

    def _end(
        self,
        over: Iterable[int],
        unsent: Sequence[Row],
        unsure: Sequence[Row],
        failed: Sequence[Row] = (),
    ) -> None:
        gone = {*over, *(row.id for row in (*unsure, *failed))}
        with self._database.transaction():
            for number in gone:
                self._database.execute("DELETE FROM outbox WHERE id = ?", number)
            if unsent or unsure or failed:
                self._announce(unsent, unsure, failed)
        for number in gone:
            self._since_s.pop(number, None)

    def _keep(self, entity_id: str, name: str, command: str) -> None:
        self._database.execute(
            "INSERT OR REPLACE INTO outbox (entity_id, name, command) VALUES (?, ?, ?)",
            *(entity_id, name, command),
        )

    def _rows(self, where: str, *parameters: object) -> list[Row]:
        query = f"SELECT id, entity_id, name, command FROM outbox WHERE {where} ORDER BY id"  # noqa: S608 - our own words
        return [
            Row(id=number, entity_id=entity_id, name=name, command=command)
            for number, entity_id, name, command in self._database.execute(query, *parameters)
        ]
