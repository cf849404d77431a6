"""What a calendar's collection elsewhere has: each event as both sides last had it alike."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from assistant.core.database import Database

NEW = "new:"


class Collected(msgspec.Struct, frozen=True, kw_only=True):
    """One event of the collection."""

    href: str
    """Where it is; for one that was sent and is not told to be there yet, `NEW` and its UID."""
    etag: str
    """Its version; "" for such a one."""
    uid: str
    """"" for one that is not taken over."""
    text: str
    """What it was when both sides last had the same."""
    removed: bool = False
    """Whether it was removed here since then."""

    @property
    def is_new(self) -> bool:
        """Whether it is not told to be there yet."""
        return self.href.startswith(NEW)


def create_collected(database: Database) -> None:
    """Create the table of the collection's events, and that of its one address."""
    database.execute(
        "CREATE TABLE calendar_collected (href TEXT PRIMARY KEY, etag TEXT NOT NULL,"
        " uid TEXT NOT NULL, text TEXT NOT NULL, removed INTEGER NOT NULL DEFAULT 0) STRICT"
    )
    database.execute("CREATE INDEX calendar_collected_uid ON calendar_collected (uid)")
    database.execute("CREATE TABLE calendar_collection (url TEXT PRIMARY KEY) STRICT")


def mark_removed(database: Database, uid: str, removed: bool) -> None:
    """Note that an event was removed here, or is back, within the turn that does so."""
    database.execute("UPDATE calendar_collected SET removed = ? WHERE uid = ?", int(removed), uid)


class CollectedEvents:
    """The events of the collection at `url`; those of another are forgotten."""

    def __init__(self, database: Database, url: str) -> None:
        self._database = database
        if database.execute("SELECT url FROM calendar_collection") != [(url,)]:
            with database.uncounted(), database.transaction():
                database.execute("DELETE FROM calendar_collected")
                database.execute("DELETE FROM calendar_collection")
                database.execute("INSERT INTO calendar_collection VALUES (?)", url)

    def __iter__(self) -> Iterator[Collected]:
        query = "SELECT href, etag, uid, text, removed FROM calendar_collected"
        for href, etag, uid, text, removed in self._database.execute(query):
            yield Collected(href=href, etag=etag, uid=uid, text=text, removed=bool(removed))

    def keep(self, event: Collected) -> None:
        """Keep what an event is now, within a transaction."""
        self._database.execute(
            "INSERT OR REPLACE INTO calendar_collected VALUES (?, ?, ?, ?, ?)",
            *(event.href, event.etag, event.uid, event.text, int(event.removed)),
        )

    def forget(self, href: str) -> None:
        """Forget an event that is there no more, within a transaction."""
        self._database.execute("DELETE FROM calendar_collected WHERE href = ?", href)
